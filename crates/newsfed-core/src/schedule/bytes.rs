//! Saved states: sequences of little-endian numbers.

#[derive(Debug, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn count(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    /// Writes the length and the bytes of a section of less than 64 KiB.
    pub(super) fn section(&mut self, bytes: &[u8]) {
        let length = u16::try_from(bytes.len()).unwrap_or(0);
        self.0.extend(length.to_le_bytes());
        self.0.extend(&bytes[..usize::from(length)]);
    }

    pub(super) fn number(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }
}

/// Reads what a [`Writer`] wrote. Returns `None` at the end and for invalid numbers.
#[derive(Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn section(&mut self) -> Option<&'a [u8]> {
        let length = self.take().map(u16::from_le_bytes)?;
        let (section, rest) = self.0.split_at_checked(length.into())?;
        self.0 = rest;
        Some(section)
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        self.take::<1>().map(|[byte]| byte)
    }

    pub(super) fn count(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    /// Reads a finite number.
    pub(super) fn number(&mut self) -> Option<f64> {
        self.take().map(f64::from_le_bytes).filter(|n| n.is_finite())
    }

    pub(super) fn counts<const N: usize>(&mut self) -> Option<[u32; N]> {
        let mut all = [0; N];
        for one in &mut all {
            *one = self.count()?;
        }
        Some(all)
    }

    pub(super) fn numbers<const N: usize>(&mut self) -> Option<[f64; N]> {
        let mut all = [0.0; N];
        for one in &mut all {
            *one = self.number()?;
        }
        Some(all)
    }
}
