//! Selectors for a page that nobody has written any for.
