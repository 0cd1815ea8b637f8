//! Addresses: what may be opened, and when two are the same.
