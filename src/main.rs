//! The thin binary: arguments -> run -> exit code.

fn main() {
    let mut a = std::env::args().skip(1);
    let paths = newsfed::config::Paths::resolve(a.next().map(Into::into), a.next().map(Into::into))
        .unwrap();
    let o: Vec<String> = a.collect();
    let loaded = newsfed::config::load(&paths, &o).unwrap_or_else(|e| panic!("{e}"));
    let r = newsfed::cli::panes::run(paths, loaded, o);
    if let Err(e) = r {
        eprintln!("{e:#}");
        std::process::exit(1)
    }
}
