# Homebrew. `packaging/fill` fills in version and checksum.
class Newsfed < Formula
  desc "News reader for people who live in a terminal"
  homepage "https://newsfed.example/"
  url "@RELEASE@/newsfed-@VERSION@.tar.gz"
  sha256 "@SHA256(newsfed-@VERSION@.tar.gz)@"
  license "MIT"

  depends_on "rust" => :build

  def install
    system "cargo", "build", "--locked", "--profile", "dist"
    ENV["PREFIX"] = opt_prefix
    system "sh", "packaging/assemble", "target/dist/newsfed", prefix
  end

  service do
    run [opt_bin/"newsfed", "daemon"]
    # A second newsfed, invalid usage and an invalid configuration end it for a reason.
    keep_alive crashed: true
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/newsfed --version")
    system bin/"newsfed", "--config-dir", testpath, "--data-dir", testpath, "config", "check"
  end
end
