//! The text of a page, from its drawing instructions.

use super::file::PdfFile;
use super::font::Font;
use super::object::{Dict, Lexer, Value};
use super::work::Items;
use std::collections::HashMap;
use std::rc::Rc;

/// Maximum number of operands in an instruction.
const MAX_OPERANDS: usize = 64;
/// Maximum number of values in the operands of an instruction.
const MAX_VALUES: usize = 4_000;
/// Maximum size of the text of a page, in bytes.
const MAX_TEXT: usize = 400_000;
/// Maximum nesting depth of forms.
const MAX_FORMS: usize = 4;
/// Maximum adjustment, in thousandths of the font size, at which a gap separates words.
const GAP: f64 = -180.0;
/// Cost of finding a resource, relative to reading a byte.
const RESOURCE: usize = 64;
/// Cost of a byte of a shown string.
const CODE: usize = 4;
/// Cost of each byte of the resulting text.
const TEXT: usize = 2;

/// Fonts that were read, by object number.
pub(super) type Fonts = HashMap<u32, Rc<Font>>;

/// The text of a page with this content.
pub(super) fn text(
    file: &mut PdfFile<'_>,
    resources: &Dict,
    content: &[u8],
    fonts: &mut Fonts,
) -> String {
    let mut page = PageText { file, fonts, out: String::new() };
    page.draw(resources, content, 0);
    page.out
}

/// The text of a page while it is being read.
struct PageText<'f, 'b> {
    file: &'f mut PdfFile<'b>,
    fonts: &'f mut Fonts,
    out: String,
}

/// The resources of a content stream. Each kind is read when an instruction first needs it.
struct Resources<'r> {
    all: &'r Dict,
    font: Option<Dict>,
    forms: Option<Dict>,
    /// Fonts that were read, by their names in these resources.
    fonts: HashMap<Rc<[u8]>, Option<Rc<Font>>>,
}

impl PageText<'_, '_> {
    fn is_full(&self) -> bool {
        self.out.len() > MAX_TEXT || self.file.is_exhausted()
    }

    fn draw(&mut self, resources: &Dict, content: &[u8], level: usize) {
        let work = self.file.work().clone();
        let mut resources =
            Resources { all: resources, font: None, forms: None, fonts: HashMap::new() };
        let mut font: Option<Rc<Font>> = None;
        let (mut lexer, mut operands) = (Lexer::new(content, 0, &work), Items::new(&work));
        let mut values = MAX_VALUES;
        while !self.is_full() {
            let before = lexer.at;
            let Some(value) = lexer.value_of(&mut values) else {
                if lexer.at >= content.len() {
                    return;
                }
                // Invalid bytes are skipped and charged one by one.
                lexer.at = before + 1;
                values = MAX_VALUES;
                continue;
            };
            let Value::Word(operator) = value else {
                if operands.len() < MAX_OPERANDS {
                    operands.push(value);
                }
                continue;
            };
            match (&*operator, &*operands) {
                (b"Tf", [.., Value::Name(name), _]) => font = self.font(&mut resources, name),
                (b"ID", _) => skip_image(&mut lexer),
                (b"Do", [.., Value::Name(name)]) if level < MAX_FORMS => {
                    let name = name.clone();
                    // The operands are dropped first, so that those of nested forms are not in memory at the
                    // same time.
                    operands.clear();
                    self.form(&mut resources, &name, level);
                }
                (operator, operands) => self.instruction(operator, operands, font.as_deref()),
            }
            operands.clear();
            values = MAX_VALUES;
        }
    }

    /// Executes an instruction that shows text or moves the text position.
    fn instruction(&mut self, operator: &[u8], operands: &[Value], font: Option<&Font>) {
        match (operator, operands) {
            (b"Tj", [.., Value::Text(text)]) => self.show(font, text),
            (b"'" | b"\"", [.., Value::Text(text)]) => {
                self.out.push('\n');
                self.show(font, text);
            }
            (b"TJ", [.., Value::Array(parts)]) => {
                for part in parts.iter() {
                    match part {
                        Value::Text(text) => self.show(font, text),
                        Value::Number(gap) if *gap < GAP => self.out.push(' '),
                        _ => {}
                    }
                }
            }
            // A horizontal move separates words.
            (b"Td" | b"TD", [.., _, Value::Number(0.0)]) => self.out.push(' '),
            (b"Td" | b"TD" | b"T*" | b"Tm" | b"ET", _) => self.out.push('\n'),
            _ => {}
        }
    }

    fn show(&mut self, font: Option<&Font>, text: &[u8]) {
        let before = self.out.len();
        match font {
            Some(font) => font.decode(text, &mut self.out, MAX_TEXT),
            None => Font::default().decode(text, &mut self.out, MAX_TEXT),
        }
        let added = self.out.len() - before;
        self.file.work().charge(text.len() * CODE + added * TEXT);
    }

    fn font(&mut self, resources: &mut Resources<'_>, name: &Rc<[u8]>) -> Option<Rc<Font>> {
        self.file.work().charge(RESOURCE);
        if let Some(known) = resources.fonts.get(name) {
            return known.clone();
        }
        let own = resources
            .font
            .get_or_insert_with(|| self.file.dict(resources.all.get("Font")).unwrap_or_default());
        let value = own.find(name)?;
        let number = match value {
            Value::Reference(number) => Some(*number),
            _ => None,
        };
        let known = number.and_then(|number| self.fonts.get(&number)).cloned();
        let font = known.or_else(|| {
            let dict = self.file.dict(Some(value))?;
            Some(Rc::new(Font::read(self.file, &dict)))
        });
        if let (Some(number), Some(font)) = (number, &font) {
            self.fonts.insert(number, font.clone());
        }
        resources.fonts.insert(name.clone(), font.clone());
        font
    }

    /// Draws a form, which has its own content stream.
    fn form(&mut self, resources: &mut Resources<'_>, name: &[u8], level: usize) {
        self.file.work().charge(RESOURCE);
        let forms = resources.forms.get_or_insert_with(|| {
            self.file.dict(resources.all.get("XObject")).unwrap_or_default()
        });
        let Some(Value::Reference(number)) = forms.find(name) else { return };
        let Some(Value::Dict(dict)) = self.file.object(*number) else { return };
        if !dict.is("Subtype", "Form") {
            return;
        }
        let Some(content) = self.file.stream_of(*number, &dict) else { return };
        let own = self.file.dict(dict.get("Resources"));
        self.draw(own.as_ref().unwrap_or(resources.all), &content, level + 1);
    }
}

/// Skips the data of an inline image.
fn skip_image(lexer: &mut Lexer<'_>) {
    let rest = &lexer.bytes[lexer.at..];
    let end = memchr::memmem::find_iter(rest, b"EI").find(|at| {
        let space = |at: usize| rest.get(at).is_none_or(|b| super::object::is_space(*b));
        *at > 0 && space(at - 1) && space(at + 2)
    });
    lexer.skip(end.map_or(rest.len(), |at| at + 2));
}
