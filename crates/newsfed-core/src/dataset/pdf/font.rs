//! Fonts: maps the character codes of a text to characters.

use super::file::PdfFile;
use super::object::{Dict, Lexer, Value};
use super::work::{Items, Work};
use encoding_rs::{MACINTOSH, WINDOWS_1252};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::LazyLock;

/// Maximum number of characters, and of ranges, in the mapping of a font.
const MAX_NAMED: usize = 70_000;
/// Cost of storing a mapping, relative to reading a byte.
const COST: usize = 256;
/// Cost of reading a font.
const FONT: usize = 1024;
/// Cost of reading a glyph name.
const GLYPH: usize = 32;
/// Number of codes in a font with one-byte codes.
const BYTE_CODES: u32 = 256;

/// The mapping from character codes to characters.
#[derive(Debug, Default)]
pub(super) struct Font {
    /// Whether codes have two bytes.
    wide: bool,
    named: HashMap<u32, Box<str>>,
    /// The first and last code of each range, and the character of the first code.
    ranges: Vec<(u32, u32, u32)>,
    mac: bool,
}

impl Font {
    pub(super) fn read(file: &mut PdfFile<'_>, dict: &Dict) -> Self {
        let mut font = Self { wide: dict.is("Subtype", "Type0"), ..Self::default() };
        file.work().charge(FONT);
        font.encoding(file, dict.get("Encoding"));
        if let Some(Value::Reference(number)) = dict.get("ToUnicode")
            && let Some(map) = file.stream(*number)
        {
            font.read_map(&map, file.work());
        }
        font.ranges.sort_unstable();
        font
    }

    fn encoding(&mut self, file: &mut PdfFile<'_>, value: Option<&Value>) {
        let value = value.map(|value| file.resolve(value));
        let dict = match value {
            Some(Value::Name(name)) => {
                self.mac = *name == *b"MacRomanEncoding";
                return;
            }
            Some(Value::Dict(dict)) => dict,
            _ => return,
        };
        self.mac = dict.is("BaseEncoding", "MacRomanEncoding");
        let Some(Value::Array(differences)) = dict.get("Differences").map(|d| file.resolve(d))
        else {
            return;
        };
        let mut code = 0_u32;
        for value in differences.iter() {
            if file.is_exhausted() {
                return;
            }
            file.work().charge(GLYPH);
            match value {
                Value::Number(number) => code = *number as u32,
                Value::Name(name) => {
                    if let Some(found) = character(name).filter(|_| code < BYTE_CODES) {
                        self.add(code, found.to_string(), file.work());
                    }
                    code = code.wrapping_add(1);
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, code: u32, text: String, work: &Work) {
        work.charge(COST);
        if self.named.len() < MAX_NAMED && !work.is_exhausted() {
            self.named.insert(code, text.into_boxed_str());
        }
    }

    /// Reads a mapping from codes to characters (ToUnicode).
    fn read_map(&mut self, map: &[u8], work: &Rc<Work>) {
        let (mut lexer, mut operands) = (Lexer::new(map, 0, work), Items::new(work));
        // Number of values per entry.
        let mut entry = usize::MAX;
        while let Some(value) = lexer.value() {
            if let Value::Word(word) = value {
                entry = match &*word {
                    b"beginbfchar" => 2,
                    b"beginbfrange" => 3,
                    _ => usize::MAX,
                };
                operands.clear();
                continue;
            }
            if entry == usize::MAX {
                continue;
            }
            operands.push(value);
            if operands.len() == entry {
                self.add_entry(&operands, work);
                operands.clear();
            }
        }
    }

    fn add_entry(&mut self, entry: &[Value], work: &Work) {
        match entry {
            [Value::Text(code), Value::Text(text)] => self.add(number(code), utf16(text), work),
            [Value::Text(from), Value::Text(to), Value::Text(first)] => {
                work.charge(COST);
                let first = utf16(first).chars().last().map(u32::from);
                if let Some(first) = first.filter(|_| self.ranges.len() < MAX_NAMED) {
                    self.ranges.push((number(from), number(to), first));
                }
            }
            [Value::Text(from), Value::Text(_), Value::Array(all)] => {
                for (code, text) in (number(from)..=u32::MAX).zip(all.iter()) {
                    if let Value::Text(text) = text {
                        self.add(code, utf16(text), work);
                    }
                }
            }
            _ => {}
        }
    }

    /// Decodes a text and appends it to `out`, until that is longer than `most` bytes.
    pub(super) fn decode(&self, text: &[u8], out: &mut String, most: usize) {
        for code in text.chunks(if self.wide { 2 } else { 1 }) {
            if out.len() > most {
                return;
            }
            let byte = code[0];
            let code = number(code);
            if let Some(found) = self.named.get(&code) {
                out.push_str(found);
                continue;
            }
            let next = self.ranges.partition_point(|(from, ..)| *from <= code);
            let range = next.checked_sub(1).map(|at| self.ranges[at]);
            if let Some((from, _, first)) = range.filter(|(_, to, _)| code <= *to) {
                out.extend(char::from_u32(first.wrapping_add(code - from)));
            } else if !self.wide && byte.is_ascii() && byte >= b' ' {
                out.push(char::from(byte));
            } else if !self.wide {
                let encoding = if self.mac { MACINTOSH } else { WINDOWS_1252 };
                out.push_str(&encoding.decode_without_bom_handling(&[byte]).0);
            } else if let Some(unknown) = char::from_u32(0xf0000 + (code & 0xffff)) {
                // The character is unknown, but the same code is always replaced by the same character.
                out.push(unknown);
            }
        }
    }
}

fn number(code: &[u8]) -> u32 {
    code.iter().take(4).fold(0, |number, byte| (number << 8) | u32::from(*byte))
}

fn utf16(text: &[u8]) -> String {
    let units = text.chunks(2).take(16).map(|pair| match pair {
        [high, low] => u16::from_be_bytes([*high, *low]),
        one => u16::from(one[0]),
    });
    char::decode_utf16(units).filter_map(Result::ok).collect()
}

/// Glyph names, each followed by its character.
const NAMES: &str = "period . comma , hyphen - colon : semicolon ; slash / parenleft ( parenright ) \
    zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 quotesingle ' quotedbl \" \
    quoteright ’ quoteleft ‘ quotedblleft “ quotedblright ” endash – emdash — bullet • percent % plus + \
    equal = exclam ! question ? ampersand & at @ numbersign # asterisk * underscore _ bracketleft [ \
    bracketright ] less < greater > Euro € section § degree ° germandbls ß adieresis ä odieresis ö \
    udieresis ü Adieresis Ä Odieresis Ö Udieresis Ü eacute é egrave è agrave à ccedilla ç aring å oslash ø \
    ae æ ntilde ñ fi ﬁ fl ﬂ ff ﬀ";

static GLYPHS: LazyLock<HashMap<&str, char>> = LazyLock::new(|| {
    let mut words = NAMES.split_whitespace();
    let pairs = std::iter::from_fn(|| Some((words.next()?, words.next()?.chars().next()?)));
    std::iter::once(("space", ' ')).chain(pairs).collect()
});

/// The character for a glyph name.
fn character(name: &[u8]) -> Option<char> {
    let name = std::str::from_utf8(name).ok()?;
    let mut chars = name.chars();
    if let (Some(only), None) = (chars.next(), chars.next()) {
        return Some(only);
    }
    if let Some(hex) = name.strip_prefix("uni").or(name.strip_prefix('u')) {
        let code = u32::from_str_radix(hex.get(..4.min(hex.len()))?, 16).ok();
        if let Some(found) = code.and_then(char::from_u32) {
            return Some(found);
        }
    }
    GLYPHS.get(name).copied()
}
