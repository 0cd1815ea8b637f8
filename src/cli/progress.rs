//! Progress bars and spinners, shown only on a terminal.

use super::output::Output;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar on standard error; hidden if that is not a terminal, or with `--quiet`.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A progress bar with a number of steps.
    pub(super) fn new(steps: usize, out: &Output) -> Self {
        Self::drawn(steps, out.quiet)
    }

    fn drawn(steps: usize, quiet: bool) -> Self {
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        // The template is constant and valid, so the fallback is never used.
        let style = ProgressStyle::with_template("{pos} of {len} {wide_bar} {msg:24!.dim}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("##-"));
        Self { bar }
    }

    /// A spinner with a message, for work of unknown length.
    pub(super) fn wheel(out: &Output) -> Self {
        Self::spinner(out.quiet)
    }

    /// A spinner for rare work that takes a long time, shown even with `--quiet`.
    pub(super) fn rare() -> Self {
        Self::spinner(false)
    }

    fn spinner(quiet: bool) -> Self {
        let progress = Self::drawn(0, quiet);
        let style = ProgressStyle::with_template("{spinner} {wide_msg}");
        progress.bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        progress
    }

    /// A progress bar for the download of a file.
    pub(super) fn file(name: &str, out: &Output) -> Self {
        let progress = Self::new(0, out);
        let template = "{msg:24!.dim} {wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}";
        let style = ProgressStyle::with_template(template);
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("##-");
        progress.bar.set_style(style);
        progress.bar.set_message(name.to_owned());
        progress
    }

    /// Sets the number of received bytes, and their total.
    pub(super) fn bytes(&self, received: u64, total: Option<u64>) {
        self.bar.set_length(total.unwrap_or(received));
        self.bar.set_position(received);
    }

    /// Advances the spinner and changes its message.
    pub(super) fn show(&self, words: String) {
        self.bar.set_message(words);
        self.bar.inc(1);
    }

    /// Completes a step and shows the current `host`.
    pub(super) fn step(&self, host: Option<&str>) {
        if let Some(host) = host {
            self.bar.set_message(host.to_owned());
        }
        self.bar.inc(1);
    }

    /// Hides the bar while `write` prints something else.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Removes the bar.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
