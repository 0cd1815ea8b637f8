//! The values that a PDF consists of.

/// Deepest nesting of a value.
const MAX_DEPTH: usize = 40;
/// Values inside of one value.
const MAX_VALUES: usize = 200_000;
/// Longest string, in bytes.
const MAX_STRING: usize = 1 << 20;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Null,
    Number(f64),
    Name(Vec<u8>),
    Text(Vec<u8>),
    Array(Vec<Value>),
    Dict(Dict),
    /// An object by its number.
    Reference(u32),
    /// Anything else: an operator, `true`.
    Word(Vec<u8>),
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Dict(Vec<(Vec<u8>, Value)>);

impl Dict {
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().rev().find(|(name, _)| name == key.as_bytes()).map(|(_, value)| value)
    }

    pub(super) fn is(&self, key: &str, name: &str) -> bool {
        matches!(self.get(key), Some(Value::Name(found)) if found == name.as_bytes())
    }

    pub(super) fn number(&self, key: &str) -> Option<usize> {
        match self.get(key) {
            Some(Value::Number(number)) if (0.0..1e9).contains(number) => Some(*number as usize),
            _ => None,
        }
    }
}

/// Reads values from bytes.
pub(super) struct Lexer<'b> {
    pub(super) bytes: &'b [u8],
    pub(super) at: usize,
    values: usize,
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

impl<'b> Lexer<'b> {
    pub(super) fn new(bytes: &'b [u8], at: usize) -> Self {
        Self { bytes, at: at.min(bytes.len()), values: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Whether the bytes go on with these.
    pub(super) fn follows(&self, what: &[u8]) -> bool {
        self.bytes[self.at..].starts_with(what)
    }

    pub(super) fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'%' => {
                    let line = &self.bytes[self.at..];
                    let end = line.iter().position(|b| matches!(b, b'\n' | b'\r'));
                    self.at += end.unwrap_or(line.len());
                }
                byte if is_space(byte) => self.at += 1,
                _ => return,
            }
        }
    }

    /// The next value; `None` at the end, and where a value is not complete or too large.
    pub(super) fn value(&mut self) -> Option<Value> {
        self.values = 0;
        self.nested(0)
    }

    fn nested(&mut self, depth: usize) -> Option<Value> {
        self.skip_space();
        self.values += 1;
        if depth > MAX_DEPTH || self.values > MAX_VALUES {
            return None;
        }
        match self.peek()? {
            b'/' => {
                self.at += 1;
                Some(Value::Name(self.name()))
            }
            b'(' => self.string(),
            b'<' if self.follows(b"<<") => self.dict(depth),
            b'<' => Some(self.hexadecimal()),
            b'[' => {
                self.at += 1;
                let mut all = Vec::new();
                loop {
                    self.skip_space();
                    if self.peek()? == b']' {
                        self.at += 1;
                        return Some(Value::Array(all));
                    }
                    all.push(self.nested(depth + 1)?);
                }
            }
            b'+' | b'-' | b'.' | b'0'..=b'9' => Some(self.number()),
            byte if is_delimiter(byte) => {
                self.at += 1;
                Some(Value::Word(vec![byte]))
            }
            _ => {
                let word = self.regular();
                Some(if word == b"null" { Value::Null } else { Value::Word(word.to_vec()) })
            }
        }
    }

    /// The bytes up to white space or a delimiter.
    fn regular(&mut self) -> &'b [u8] {
        let rest = &self.bytes[self.at..];
        let end = rest.iter().position(|b| is_space(*b) || is_delimiter(*b));
        let word = &rest[..end.unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn name(&mut self) -> Vec<u8> {
        let raw = self.regular();
        let mut name = Vec::with_capacity(raw.len().min(64));
        let mut rest = raw;
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            let escaped = (*byte == b'#').then(|| after.first_chunk::<2>()).flatten();
            let escaped = escaped.and_then(|[a, b]| Some(digit(*a)? * 16 + digit(*b)?));
            name.push(escaped.unwrap_or(*byte));
            if escaped.is_some() {
                rest = &after[2..];
            }
        }
        name
    }

    fn number(&mut self) -> Value {
        let word = self.regular();
        let text = std::str::from_utf8(word).unwrap_or_default();
        if let Ok(number) = text.parse::<u32>()
            && let Some(end) = self.reference_end()
        {
            self.at = end;
            return Value::Reference(number);
        }
        text.parse::<f64>().map_or_else(|_| Value::Word(word.to_vec()), Value::Number)
    }

    /// Where `0 R` ends, if that follows.
    fn reference_end(&self) -> Option<usize> {
        let mut ahead = Self { bytes: self.bytes, at: self.at, values: 0 };
        ahead.skip_space();
        let generation = ahead.regular();
        let is_number =
            (1..=5).contains(&generation.len()) && generation.iter().all(u8::is_ascii_digit);
        ahead.skip_space();
        (is_number && ahead.regular() == b"R").then_some(ahead.at)
    }

    fn string(&mut self) -> Option<Value> {
        self.at += 1;
        let (mut text, mut depth) = (Vec::new(), 1_usize);
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'\\' => text.extend(self.escape()),
                b'(' => {
                    depth += 1;
                    text.push(byte);
                }
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(Value::Text(text));
                    }
                    text.push(byte);
                }
                byte => text.push(byte),
            }
            if text.len() > MAX_STRING {
                return None;
            }
        }
    }

    fn escape(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(match byte {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' | b'f' => b' ',
            b'\r' if self.peek() == Some(b'\n') => {
                self.at += 1;
                return None;
            }
            b'\r' | b'\n' => return None,
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(next @ b'0'..=b'7') = self.peek() else { break };
                    code = code * 8 + u32::from(next - b'0');
                    self.at += 1;
                }
                (code & 0xff) as u8
            }
            other => other,
        })
    }

    fn hexadecimal(&mut self) -> Value {
        self.at += 1;
        let rest = &self.bytes[self.at..];
        let end = memchr::memchr(b'>', rest).unwrap_or(rest.len());
        self.at += (end + 1).min(rest.len());
        let digits: Vec<u8> =
            rest[..end].iter().filter_map(|b| digit(*b)).take(MAX_STRING).collect();
        let byte = |pair: &[u8]| pair[0] * 16 + pair.get(1).copied().unwrap_or(0);
        Value::Text(digits.chunks(2).map(byte).collect())
    }

    fn dict(&mut self, depth: usize) -> Option<Value> {
        self.at += 2;
        let mut all = Vec::new();
        loop {
            self.skip_space();
            if self.follows(b">>") {
                self.at += 2;
                return Some(Value::Dict(Dict(all)));
            }
            let Value::Name(key) = self.nested(depth + 1)? else { continue };
            self.skip_space();
            if self.follows(b">>") {
                continue;
            }
            all.push((key, self.nested(depth + 1)?));
        }
    }
}

fn digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}
