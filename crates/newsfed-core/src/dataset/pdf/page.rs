//! The text of a page, from its drawing instructions.

use super::file::PdfFile;
use super::font::Font;
use super::object::{Dict, Lexer, Value};
use std::collections::HashMap;
use std::rc::Rc;

/// Operands of an instruction.
const MAX_OPERANDS: usize = 64;
/// Text of a page, in bytes.
const MAX_TEXT: usize = 400_000;
/// Forms inside of forms.
const MAX_FORMS: usize = 4;
/// A gap in thousandths of the font size that separates words.
const GAP: f64 = -180.0;

/// Fonts that were read, by the number of their object.
pub(super) type Fonts = HashMap<u32, Rc<Font>>;

/// The text of a page with this content.
pub(super) fn text(
    file: &mut PdfFile<'_>,
    resources: &Dict,
    content: &[u8],
    fonts: &mut Fonts,
) -> String {
    let mut out = String::new();
    draw(file, resources, content, fonts, &mut out, 0);
    out
}

fn draw(
    file: &mut PdfFile<'_>,
    resources: &Dict,
    content: &[u8],
    fonts: &mut Fonts,
    out: &mut String,
    level: usize,
) {
    file.charge(content.len());
    let own = file.dict(resources.get("Font")).unwrap_or_default();
    let mut font: Option<Rc<Font>> = None;
    let (mut lexer, mut operands) = (Lexer::new(content, 0), Vec::new());
    loop {
        let before = lexer.at;
        let Some(value) = lexer.value() else {
            // What cannot be read is skipped byte by byte, at a price.
            if lexer.at >= content.len() || out.len() > MAX_TEXT || file.is_exhausted() {
                return;
            }
            file.charge(lexer.at - before);
            lexer.at = before + 1;
            continue;
        };
        let Value::Word(operator) = value else {
            if operands.len() < MAX_OPERANDS {
                operands.push(value);
            }
            continue;
        };
        match (operator.as_slice(), operands.as_slice()) {
            (b"Tf", [.., Value::Name(name), _]) => font = find_font(file, &own, name, fonts),
            (b"Tj", [.., Value::Text(text)]) => show(font.as_deref(), text, out),
            (b"'" | b"\"", [.., Value::Text(text)]) => {
                out.push('\n');
                show(font.as_deref(), text, out);
            }
            (b"TJ", [.., Value::Array(parts)]) => {
                for part in parts {
                    match part {
                        Value::Text(text) => show(font.as_deref(), text, out),
                        Value::Number(gap) if *gap < GAP => out.push(' '),
                        _ => {}
                    }
                }
            }
            // A step within a line is one between words.
            (b"Td" | b"TD", [.., _, Value::Number(0.0)]) => out.push(' '),
            (b"Td" | b"TD" | b"T*" | b"Tm" | b"ET", _) => out.push('\n'),
            (b"ID", _) => skip_image(&mut lexer),
            (b"Do", [.., Value::Name(name)]) if level < MAX_FORMS => {
                form(file, resources, name, fonts, out, level);
            }
            _ => {}
        }
        operands.clear();
        if out.len() > MAX_TEXT || file.is_exhausted() {
            return;
        }
    }
}

fn show(font: Option<&Font>, text: &[u8], out: &mut String) {
    match font {
        Some(font) => font.decode(text, out),
        None => Font::default().decode(text, out),
    }
}

fn find_font(
    file: &mut PdfFile<'_>,
    own: &Dict,
    name: &[u8],
    fonts: &mut Fonts,
) -> Option<Rc<Font>> {
    let name = std::str::from_utf8(name).ok()?;
    let value = own.get(name)?;
    let number = match value {
        Value::Reference(number) => Some(*number),
        _ => None,
    };
    if let Some(known) = number.and_then(|number| fonts.get(&number)) {
        return Some(known.clone());
    }
    let dict = file.dict(Some(value))?;
    let font = Rc::new(Font::read(file, &dict));
    if let Some(number) = number {
        fonts.insert(number, font.clone());
    }
    Some(font)
}

/// A form has instructions of its own.
fn form(
    file: &mut PdfFile<'_>,
    resources: &Dict,
    name: &[u8],
    fonts: &mut Fonts,
    out: &mut String,
    level: usize,
) {
    let Some(forms) = file.dict(resources.get("XObject")) else { return };
    let Ok(name) = std::str::from_utf8(name) else { return };
    let Some(Value::Reference(number)) = forms.get(name) else { return };
    let number = Value::Reference(*number);
    let Some(dict) = file.dict(Some(&number)).filter(|dict| dict.is("Subtype", "Form")) else {
        return;
    };
    let Value::Reference(number) = number else { return };
    let Some((_, content)) = file.stream(number) else { return };
    let own = file.dict(dict.get("Resources"));
    draw(file, own.as_ref().unwrap_or(resources), &content, fonts, out, level + 1);
}

/// Goes behind the data of a picture between instructions.
fn skip_image(lexer: &mut Lexer<'_>) {
    let rest = &lexer.bytes[lexer.at..];
    let end = memchr::memmem::find_iter(rest, b"EI").find(|at| {
        let space = |at: usize| rest.get(at).is_none_or(|b| super::object::is_space(*b));
        *at > 0 && space(at - 1) && space(at + 2)
    });
    lexer.at += end.map_or(rest.len(), |at| at + 2);
}
