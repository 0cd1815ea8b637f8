//! The roles of text and surfaces, which themes style.

macro_rules! roles {
    ($($name:ident, $word:literal, $help:literal;)+) => {
        /// The role of a text, which determines its style. Colour is never the only sign of a state.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role {
            $(#[doc = $help] $name,)+
        }

        impl Role {
            /// Every role.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The role's name in a theme.
            pub fn name(self) -> &'static str {
                match self { $(Self::$name => $word,)+ }
            }
        }
    };
}

roles! {
    Ground, "ground", "The background of lists and articles";
    Panel, "panel", "The background of the Sources pane";
    Raised, "raised", "The background of dialogs, messages and code blocks";
    Sunken, "sunken", "The background of text fields, and of the screen behind a dialog";
    Text, "text", "Running text";
    Soft, "soft", "Labels and names";
    Dim, "dim", "Less important text";
    Bright, "bright", "Important text";
    Accent, "accent", "The accent colour";
    Title, "title", "Title of an article or of the focused pane";
    Border, "border", "Lines between panes";
    BorderFocus, "border-focus", "The line below the title of the focused pane";
    Edge, "edge", "Borders of dialogs, scroll bars";
    Header, "header", "Name of a pane or folder";
    Selected, "selected", "The selected row";
    SelectedTitle, "selected-title", "The title in the selected row";
    SelectedUnfocused, "selected-unfocused", "The selected row of another pane";
    Unread, "unread", "An unread row";
    Read, "read", "A read row";
    Pinned, "pinned", "The mark of a pinned row";
    Changed, "changed", "The mark of a changed row";
    Error, "error", "Something failed";
    Warning, "warning", "Something needs attention";
    Ok, "ok", "Something succeeded";
    Link, "link", "A link in an article";
    Code, "code", "Code in an article";
    CodeKeyword, "code-keyword", "A keyword in code";
    CodeFunction, "code-function", "A function in code";
    CodeType, "code-type", "A type in code";
    CodeString, "code-string", "A string in code";
    CodeNumber, "code-number", "A number in code";
    CodeComment, "code-comment", "A comment in code";
    CodeOperator, "code-operator", "An operator in code";
    Quote, "quote", "A quotation in an article";
    Emphasis, "emphasis", "Emphasised words of an article";
    Strong, "strong", "Strongly emphasised words of an article";
    Caption, "caption", "The caption of a picture";
    Heading, "heading", "A heading of an article";
    Subheading, "subheading", "A second-level heading of an article";
    Bar, "bar", "The bar beside a quotation, and bars in statistics";
    Match, "match", "A search match";
    Status, "status", "The status line";
    KeyHint, "key-hint", "A key in a hint";
    Toast, "toast", "A temporary message";
    Input, "input", "A text field";
    InputFocus, "input-focus", "The text field that receives keys";
    Added, "added", "Added text";
    Removed, "removed", "Removed text";
    Source1, "source-1", "The colour of a source";
    Source2, "source-2", "The colour of a source";
    Source3, "source-3", "The colour of a source";
    Source4, "source-4", "The colour of a source";
    Source5, "source-5", "The colour of a source";
    Source6, "source-6", "The colour of a source";
    Source7, "source-7", "The colour of a source";
    Source8, "source-8", "The colour of a source";
}

impl Role {
    /// The colours of sources.
    pub const SOURCES: [Self; 8] = [
        Self::Source1,
        Self::Source2,
        Self::Source3,
        Self::Source4,
        Self::Source5,
        Self::Source6,
        Self::Source7,
        Self::Source8,
    ];
}
