//! Simple formulas as plain text: Unicode symbols in place of TeX commands.

use std::iter::Peekable;
use std::str::Chars;

/// Commands and their symbols. A relation is surrounded by spaces.
const SIGNS: [(&str, &str); 81] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ϵ"),
    ("varepsilon", "ε"),
    ("zeta", "ζ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("iota", "ι"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("nu", "ν"),
    ("xi", "ξ"),
    ("pi", "π"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("tau", "τ"),
    ("upsilon", "υ"),
    ("phi", "ϕ"),
    ("varphi", "φ"),
    ("chi", "χ"),
    ("psi", "ψ"),
    ("omega", "ω"),
    ("Gamma", "Γ"),
    ("Delta", "Δ"),
    ("Theta", "Θ"),
    ("Lambda", "Λ"),
    ("Xi", "Ξ"),
    ("Pi", "Π"),
    ("Sigma", "Σ"),
    ("Phi", "Φ"),
    ("Psi", "Ψ"),
    ("Omega", "Ω"),
    ("infty", "∞"),
    ("partial", "∂"),
    ("nabla", "∇"),
    ("emptyset", "∅"),
    ("ell", "ℓ"),
    ("sum", "∑"),
    ("prod", "∏"),
    ("int", "∫"),
    ("ldots", "…"),
    ("cdots", "⋯"),
    ("dots", "…"),
    ("forall", "∀"),
    ("exists", "∃"),
    ("neg", "¬"),
    ("prime", "′"),
    ("le", " ≤ "),
    ("leq", " ≤ "),
    ("ge", " ≥ "),
    ("geq", " ≥ "),
    ("ne", " ≠ "),
    ("neq", " ≠ "),
    ("lt", " < "),
    ("gt", " > "),
    ("ll", " ≪ "),
    ("gg", " ≫ "),
    ("equiv", " ≡ "),
    ("approx", " ≈ "),
    ("sim", " ∼ "),
    ("times", " × "),
    ("cdot", " ⋅ "),
    ("div", " ÷ "),
    ("pm", " ± "),
    ("in", " ∈ "),
    ("notin", " ∉ "),
    ("subset", " ⊂ "),
    ("subseteq", " ⊆ "),
    ("cup", " ∪ "),
    ("cap", " ∩ "),
    ("to", " → "),
    ("rightarrow", " → "),
    ("leftarrow", " ← "),
    ("Rightarrow", " ⇒ "),
    ("mapsto", " ↦ "),
    ("mid", " ∣ "),
    ("bmod", " mod "),
    ("quad", " "),
];
/// Names of functions, which are written as words.
const WORDS: [&str; 11] =
    ["log", "ln", "exp", "sin", "cos", "tan", "min", "max", "gcd", "lim", "det"];
const RAISED: [(char, char); 14] = [
    ('0', '⁰'),
    ('1', '¹'),
    ('2', '²'),
    ('3', '³'),
    ('4', '⁴'),
    ('5', '⁵'),
    ('6', '⁶'),
    ('7', '⁷'),
    ('8', '⁸'),
    ('9', '⁹'),
    ('+', '⁺'),
    ('-', '⁻'),
    ('n', 'ⁿ'),
    ('i', 'ⁱ'),
];
const LOWERED: [(char, char); 22] = [
    ('0', '₀'),
    ('1', '₁'),
    ('2', '₂'),
    ('3', '₃'),
    ('4', '₄'),
    ('5', '₅'),
    ('6', '₆'),
    ('7', '₇'),
    ('8', '₈'),
    ('9', '₉'),
    ('+', '₊'),
    ('-', '₋'),
    ('a', 'ₐ'),
    ('e', 'ₑ'),
    ('i', 'ᵢ'),
    ('j', 'ⱼ'),
    ('k', 'ₖ'),
    ('m', 'ₘ'),
    ('n', 'ₙ'),
    ('p', 'ₚ'),
    ('t', 'ₜ'),
    ('x', 'ₓ'),
];

/// A one-line formula as plain text; `None` if it contains anything without a symbol.
pub(super) fn signs(source: &str) -> Option<String> {
    let mut out = String::with_capacity(source.len());
    let mut rest = source.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => command(&mut rest, &mut out)?,
            '^' => out.push_str(&index(&mut rest, &RAISED)?),
            '_' => out.push_str(&index(&mut rest, &LOWERED)?),
            '~' => out.push(' '),
            '{' | '}' | '&' | '$' | '%' | '#' => return None,
            c => out.push(c),
        }
    }
    let line = out.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then_some(line)
}

/// Writes the symbol of a command after its backslash.
fn command(rest: &mut Peekable<Chars<'_>>, out: &mut String) -> Option<()> {
    let mut name = String::new();
    while let Some(c) = rest.next_if(char::is_ascii_alphabetic) {
        name.push(c);
    }
    match name.as_str() {
        "" => match rest.next()? {
            ',' | ';' | ':' | ' ' => out.push(' '),
            '!' => {}
            sign @ ('{' | '}' | '%' | '#' | '&' | '_' | '$') => out.push(sign),
            _ => return None,
        },
        "pmod" => {
            out.push_str(" (mod ");
            out.push_str(&argument(rest)?);
            out.push(')');
        }
        "frac" | "dfrac" | "tfrac" => {
            let (over, under) = (argument(rest)?, argument(rest)?);
            out.push_str(&format!("{}/{}", grouped(&over), grouped(&under)));
        }
        "sqrt" => out.push_str(&format!("√{}", grouped(&argument(rest)?))),
        "text" | "mathrm" | "mathbf" | "mathit" | "operatorname" => out.push_str(&argument(rest)?),
        // These only set the size of the following bracket.
        "left" | "right" | "big" | "Big" => {}
        name if WORDS.contains(&name) => out.push_str(name),
        name => out.push_str(SIGNS.iter().find(|(command, _)| *command == name)?.1),
    }
    Some(())
}

/// The argument of a command: a character, or a group in braces.
fn argument(rest: &mut Peekable<Chars<'_>>) -> Option<String> {
    while rest.next_if_eq(&' ').is_some() {}
    match rest.next()? {
        '{' => {
            let inner: String = rest.by_ref().take_while(|c| *c != '}').collect();
            // Only one level of braces: a formula with more is not simple, and there could be thousands of
            // levels.
            if inner.contains('{') { None } else { signs(&inner) }
        }
        c if c.is_alphanumeric() => Some(c.to_string()),
        _ => None,
    }
}

/// A part of a fraction, in parentheses unless it is one word.
fn grouped(part: &str) -> String {
    let is_word = part.chars().all(|c| c.is_alphanumeric() || c == '.' || c == '′');
    if is_word { part.to_owned() } else { format!("({part})") }
}

/// An index: one character, or several in braces.
fn index(rest: &mut Peekable<Chars<'_>>, known: &[(char, char)]) -> Option<String> {
    let sign = |of: char| known.iter().find(|(c, _)| *c == of).map(|(_, sign)| *sign);
    if rest.next_if_eq(&'{').is_none() {
        return Some(sign(rest.next()?)?.to_string());
    }
    let mut out = String::new();
    loop {
        match rest.next()? {
            '}' if out.is_empty() => return None,
            '}' => return Some(out),
            of => out.push(sign(of)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_only_simple_formulas_as_text() {
        for (source, expected) in [
            ("x^2 + c_1", Some("x² + c₁")),
            ("a\\le b", Some("a ≤ b")),
            ("0 \\le m < n", Some("0 ≤ m < n")),
            ("c \\equiv m^{2} \\pmod{n}", Some("c ≡ m² (mod n)")),
            ("c \\pmod n", Some("c (mod n)")),
            ("\\alpha_i \\in \\Omega", Some("αᵢ ∈ Ω")),
            ("n \\to \\infty", Some("n → ∞")),
            ("\\{1,\\,2,\\ldots\\}", Some("{1, 2,…}")),
            ("\\log n", Some("log n")),
            ("x^{-1} + a_{ij}", Some("x⁻¹ + aᵢⱼ")),
            ("\\frac{a}{b}", Some("a/b")),
            ("\\frac{T~p(T)}{\\tau + 1}", Some("(T p(T))/(τ + 1)")),
            ("\\sqrt{2} \\left(x\\right)", Some("√2 (x)")),
            ("p_{\\text{max}}", None),
            ("\\frac{a}", None),
            ("\\frac{\\frac{a}{b}}{c}", None),
            ("x^{}", None),
            ("x^{ij}", None),
            ("x^q", None),
            ("\\sum_{i=1}^n i", None),
            ("{a}", None),
            ("a & b", None),
            ("\\unknown", None),
            ("\\pmod{", None),
            ("\\pmod{a{b}", None),
            ("x^", None),
            ("x^{2", None),
            ("\\", None),
            ("", None),
        ] {
            assert_eq!(signs(source).as_deref(), expected, "{source}");
        }
    }
}
