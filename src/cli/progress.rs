//! The bar of a refresh, drawn only where a terminal shows it.

use super::output::Output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on the standard error; nothing at all where that is no terminal, or when quiet.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar of that many steps.
    pub(super) fn new(steps: usize, out: &Output) -> Self {
        let target =
            if out.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        // The template is fixed and valid, so the plain style is never the fallback.
        let style = ProgressStyle::with_template("{pos} of {len} {wide_bar} {msg:24!.dim}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("##-"));
        Self { bar }
    }

    /// Words beside a wheel, for work whose end is not known.
    pub(super) fn wheel(out: &Output) -> Self {
        let progress = Self::new(0, out);
        let style = ProgressStyle::with_template("{spinner} {wide_msg}");
        progress.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        progress
    }

    /// Turns the wheel and says something else beside it.
    pub(super) fn say(&self, words: String) {
        self.bar.set_message(words);
        self.bar.inc(1);
    }

    /// One step is done; `host` is being asked now.
    pub(super) fn step(&self, host: Option<&str>) {
        if let Some(host) = host {
            self.bar.set_message(host.to_owned());
        }
        self.bar.inc(1);
    }

    /// Lets others write while the bar is away.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Takes the bar away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
