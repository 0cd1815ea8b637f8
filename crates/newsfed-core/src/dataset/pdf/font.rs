//! Fonts: the characters that the codes of a text stand for.

use super::file::PdfFile;
use super::object::{Dict, Lexer, Value};
use encoding_rs::{MACINTOSH, WINDOWS_1252};
use std::collections::HashMap;

/// Characters and ranges that a font names.
const MAX_NAMED: usize = 70_000;
/// What remembering one of them costs, compared with reading a byte.
const COST: usize = 256;

/// How the codes of a font are read.
#[derive(Debug, Default)]
pub(super) struct Font {
    /// Codes have two bytes.
    wide: bool,
    named: HashMap<u32, String>,
    /// Codes from and to, and the first character.
    ranges: Vec<(u32, u32, u32)>,
    mac: bool,
}

impl Font {
    pub(super) fn read(file: &mut PdfFile<'_>, dict: &Dict) -> Self {
        let mut font = Self { wide: dict.is("Subtype", "Type0"), ..Self::default() };
        font.encoding(file, dict.get("Encoding"));
        if let Some(Value::Reference(number)) = dict.get("ToUnicode")
            && let Some((_, map)) = file.stream(*number)
        {
            font.read_map(&map);
            file.charge(map.len());
        }
        file.charge((font.named.len() + font.ranges.len()) * COST);
        font.ranges.sort_unstable();
        font
    }

    fn encoding(&mut self, file: &mut PdfFile<'_>, value: Option<&Value>) {
        let value = value.map(|value| file.resolve(value));
        let dict = match value {
            Some(Value::Name(name)) => {
                self.mac = name == b"MacRomanEncoding";
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
        for value in differences.iter().take(MAX_NAMED) {
            match value {
                Value::Number(number) => code = *number as u32,
                Value::Name(name) => {
                    if let Some(found) = character(name) {
                        self.named.insert(code, found.to_string());
                    }
                    code = code.wrapping_add(1);
                }
                _ => {}
            }
        }
    }

    /// Reads a map from codes to characters.
    fn read_map(&mut self, map: &[u8]) {
        let (mut lexer, mut operands) = (Lexer::new(map, 0), Vec::new());
        while let Some(value) = lexer.value() {
            let Value::Word(word) = value else {
                if operands.len() < 3 * MAX_NAMED {
                    operands.push(value);
                }
                continue;
            };
            match word.as_slice() {
                b"endbfchar" => operands.chunks_exact(2).for_each(|pair| self.add_character(pair)),
                b"endbfrange" => operands.chunks_exact(3).for_each(|range| self.add_range(range)),
                _ => {}
            }
            operands.clear();
        }
    }

    fn add_character(&mut self, pair: &[Value]) {
        if let [Value::Text(code), Value::Text(text)] = pair
            && self.named.len() < MAX_NAMED
        {
            self.named.insert(number(code), utf16(text));
        }
    }

    fn add_range(&mut self, range: &[Value]) {
        match range {
            [Value::Text(from), Value::Text(to), Value::Text(first)] => {
                let first = utf16(first).chars().last().map(u32::from);
                if let Some(first) = first.filter(|_| self.ranges.len() < MAX_NAMED) {
                    self.ranges.push((number(from), number(to), first));
                }
            }
            [Value::Text(from), Value::Text(_), Value::Array(all)] => {
                for (code, text) in (number(from)..).zip(all) {
                    if let (Value::Text(text), true) = (text, self.named.len() < MAX_NAMED) {
                        self.named.insert(code, utf16(text));
                    }
                }
            }
            _ => {}
        }
    }

    /// The characters of a text.
    pub(super) fn decode(&self, text: &[u8], out: &mut String) {
        for code in text.chunks(if self.wide { 2 } else { 1 }) {
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
            } else if !self.wide {
                let encoding = if self.mac { MACINTOSH } else { WINDOWS_1252 };
                out.push_str(&encoding.decode_without_bom_handling(&[byte]).0);
            } else if let Some(unknown) = char::from_u32(0xf0000 + (code & 0xffff)) {
                // Which character that is is not known; the same code is the same one.
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

/// The character that a name of a glyph stands for.
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
    const NAMES: &str = "space  period . comma , hyphen - colon : semicolon ; slash / parenleft ( parenright ) \
        zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 quotesingle ' quotedbl \" \
        quoteright ’ quoteleft ‘ quotedblleft “ quotedblright ” endash – emdash — bullet • percent % plus + \
        equal = exclam ! question ? ampersand & at @ numbersign # asterisk * underscore _ bracketleft [ \
        bracketright ] less < greater > Euro € section § degree ° germandbls ß adieresis ä odieresis ö \
        udieresis ü Adieresis Ä Odieresis Ö Udieresis Ü eacute é egrave è agrave à ccedilla ç aring å oslash ø \
        ae æ ntilde ñ fi ﬁ fl ﬂ ff ﬀ";
    if name == "space" {
        return Some(' ');
    }
    let mut words = NAMES.split_whitespace().skip(1);
    while let Some(found) = words.next() {
        let character = words.next()?;
        if found == name {
            return character.chars().next();
        }
    }
    None
}
