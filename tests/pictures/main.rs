//! Measures the memory for pictures that are designed to need a lot of it. A separate process decodes them
//! one after another.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot continue should fail")]
#![allow(clippy::print_stdout, reason = "prints its measurement")]
#![cfg(target_os = "linux")]

mod hostile;

use newsfed::article::Thumbnail;
use newsfed::util::limits;
use std::process::Command;

/// Maximum additional memory of a process while pictures are enabled, in KiB.
const MEMORY: u64 = 64 << 10;

const PHOTO: &str = "a photograph";
/// The environment variable with the folder of the pictures.
const FOLDER: &str = "NEWSFED_PICTURES";

/// A value from `/proc/self/status`, in KiB.
fn status(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').trim().trim_end_matches(" kB").parse().unwrap()
}

/// A JPEG with the size of a 12-megapixel photograph.
fn photo() -> Vec<u8> {
    let mut out = std::io::Cursor::new(Vec::new());
    let photo = image::DynamicImage::new_rgb8(4032, 3024);
    photo.write_to(&mut out, image::ImageFormat::Jpeg).unwrap();
    out.into_inner()
}

/// Creates the pictures, and starts another process that reads them and measures its own memory.
#[test]
fn no_picture_needs_much_memory() {
    let mut pictures = hostile::pictures();
    assert!(pictures.len() > 150, "{}", pictures.len());
    pictures.push((PHOTO.to_owned(), photo()));
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in &pictures {
        std::fs::write(folder.path().join(name.replace('/', "-")), bytes).unwrap();
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "reads_the_pictures_of_a_folder", "--nocapture"])
        .env(FOLDER, folder.path())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&child.stdout);
    print!("{output}");
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    assert!(output.contains(&format!("{} pictures", pictures.len())), "{output}");
}

#[test]
#[ignore = "the other test runs it"]
fn reads_the_pictures_of_a_folder() {
    let folder = std::env::var_os(FOLDER).unwrap();
    let start = status("VmRSS");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).unwrap();
        count += 1;
        let shown = Thumbnail::read(&bytes, true);
        let needed = status("VmHWM").saturating_sub(start);
        assert!(needed < MEMORY, "{name}: {needed} KiB");
        let Some(picture) = shown else {
            assert_ne!(name, PHOTO);
            continue;
        };
        assert!(bytes.len() <= limits::IMAGE_BYTES, "{name}");
        let side = u32::try_from(limits::IMAGE_SIDE).unwrap();
        assert!(picture.natural.0 <= side && picture.natural.1 <= side, "{name}");
        assert!(picture.width <= 320 && picture.height <= 320, "{name}");
        let pixels = picture.width as usize * picture.height as usize;
        assert_eq!(picture.pixels.len(), pixels, "{name}");
        let detailed = picture.image();
        assert!(detailed.width() * detailed.height() <= 960 * 600, "{name}");
    }
    println!("{} KiB at most for {count} pictures", status("VmHWM") - start);
}
