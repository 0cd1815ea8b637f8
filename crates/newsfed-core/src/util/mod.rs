//! Small helpers that every module may use.

pub mod address;
pub mod allocator;
pub mod argv;
pub mod browser;
pub mod clock;
pub mod color;
pub mod crash;
pub mod date;
pub mod domain;
pub mod file_error;
pub mod file_name;
pub mod html;
pub mod limits;
pub mod login;
pub mod media;
pub mod name;
pub mod near;
pub mod scratch;
pub mod session;
pub mod shared_file;
pub mod sparkline;
pub mod text;
pub mod time_text;
pub mod url;
pub mod url_text;
pub mod xml;
