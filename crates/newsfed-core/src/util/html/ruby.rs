//! Adds brackets around the readings of characters if a page has none in `rp` elements.

/// State of the `ruby` element that is being read.
#[derive(Default)]
pub(super) struct Reading {
    /// Whether the page has its own brackets.
    bracketed: bool,
    /// Whether an added bracket is open.
    open: bool,
}

impl Reading {
    /// Brackets to add before an element with this name.
    pub(super) fn open(&mut self, name: &str) -> [&'static str; 2] {
        match name {
            "ruby" => self.end(false),
            "rp" => self.end(true),
            "rb" => self.end(self.bracketed),
            "rt" => {
                let [end, _] = self.end(self.bracketed);
                self.open = !self.bracketed;
                [end, if self.open { "(" } else { "" }]
            }
            _ => ["", ""],
        }
    }

    /// Brackets to add at the end of an element with this name.
    pub(super) fn close(&mut self, name: &str) -> [&'static str; 2] {
        match name {
            "ruby" => self.end(false),
            "rt" => self.end(self.bracketed),
            _ => ["", ""],
        }
    }

    fn end(&mut self, bracketed: bool) -> [&'static str; 2] {
        self.bracketed = bracketed;
        [if std::mem::take(&mut self.open) { ")" } else { "" }, ""]
    }
}
