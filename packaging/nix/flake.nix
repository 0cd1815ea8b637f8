# Nix: nix build 'PATH?dir=packaging/nix', where PATH is a clone of the repository.
{
  description = "A news reader for people who live in a terminal";

  inputs.nixpkgs.url = "nixpkgs";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in {
      packages = each (pkgs: rec {
        newsfed = pkgs.callPackage ./package.nix { };
        default = newsfed;
      });
    };
}
