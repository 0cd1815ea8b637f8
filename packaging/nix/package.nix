{ lib, rustPlatform }:

let
  source = ../..;
  toml = builtins.fromTOML (builtins.readFile (source + "/Cargo.toml"));
  manifest = toml.workspace.package // { inherit (toml.package) description; };
in
rustPlatform.buildRustPackage {
  pname = "newsfed";
  inherit (manifest) version;
  src = lib.cleanSource source;
  cargoLock.lockFile = source + "/Cargo.lock";
  buildType = "dist";
  # The tests start servers and terminals.
  doCheck = false;

  postInstall = ''
    PREFIX=$out sh packaging/assemble $out/bin/newsfed $out
  '';

  meta = {
    inherit (manifest) description homepage;
    license = lib.licenses.mit;
    mainProgram = "newsfed";
    platforms = lib.platforms.unix;
  };
}
