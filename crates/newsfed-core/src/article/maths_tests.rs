//! Formulas as plain text.

use super::maths_signs::signs;
use super::maths_table::{LOWERED, RAISED, double_struck};
use super::{formula, tall_formula};
use proptest::prelude::*;

#[test]
fn writes_formulas_on_one_line() {
    for (source, expected) in [
        ("x^2 + c_1", "x² + c₁"),
        ("a\\le b", "a ≤ b"),
        ("0 \\le m < n", "0 ≤ m < n"),
        ("c \\equiv m^{2} \\pmod{n}", "c ≡ m² (mod n)"),
        ("c \\pmod n", "c (mod n)"),
        ("\\alpha_i \\in \\Omega", "αᵢ ∈ Ω"),
        ("n \\to \\infty", "n → ∞"),
        ("\\{1,\\,2,\\ldots\\}", "{1, 2,…}"),
        ("\\log n", "log n"),
        ("x^{-1} + a_{ij}", "x⁻¹ + aᵢⱼ"),
        ("\\frac{a}{b}", "a/b"),
        ("\\frac{T~p(T)}{\\tau + 1}", "(T p(T))/(τ + 1)"),
        ("\\sqrt{2} \\left(x\\right)", "√2 (x)"),
        ("{a}", "a"),
        ("\\frac{E[T^2]}{2E[T]}", "(E[T²])/(2E[T])"),
        // Indices.
        ("p_{\\text{max}}", "p_max"),
        ("x_\\max y", "x_max y"),
        ("p_{max}", "pₘₐₓ"),
        ("k_BT", "k_B T"),
        ("x^{ij}", "x^(ij)"),
        ("x^q", "x^q"),
        ("x^{ab}_i", "xᵢ^(ab)"),
        ("x^{2}_{i}", "xᵢ²"),
        ("\\sum_{i=1}^n i", "∑_(i=1)^n i"),
        ("x_q^2", "x_q^2"),
        ("\\sum_{i=1}^{N}x_i", "∑_(i=1)^N xᵢ"),
        ("\\int_0^\\infty e^{-x}dx", "∫₀^∞ e^(-x)dx"),
        ("e^{x^2}", "e^(x²)"),
        ("10^{-3}", "10⁻³"),
        ("x^{0.5}", "x^0.5"),
        ("90^\\circ, f^{\\prime}", "90°, f′"),
        ("{a+b}^2", "(a+b)²"),
        ("{10}^2", "10²"),
        ("e^{(a+b)}", "e^(a+b)"),
        ("\\lim_{x\\to 0} f(x)", "lim_(x → 0) f(x)"),
        ("\\left. f \\right|_{x=0}", "f|_(x=0)"),
        ("\\overset{d}{=}", "=^d"),
        ("x^* y, f^*(x)", "x* y, f*(x)"),
        ("g \\leftarrow^\\$ \\mathbb{Z}_{n^2}^*", "g ←$ ℤ_(n²)*"),
        ("r \\xleftarrow{\\$} S", "r ←$ S"),
        ("X \\xrightarrow[n]{2} Y", "X →ₙ² Y"),
        ("\\underbrace{a+b}_{n}", "(a+b)ₙ"),
        // Fractions and roots.
        ("p(T) = \\frac{1}{\\tau}e^{-T/\\tau}", "p(T) = (1/τ)e^(-T/τ)"),
        ("\\frac{\\frac{a}{b}}{c}", "(a/b)/c"),
        ("\\frac{a}{\\frac{b}{c}}", "a/(b/c)"),
        ("\\frac{1}{2a}", "1/(2a)"),
        ("\\frac12 x", "(1/2) x"),
        ("x \\frac{1}{2} + y", "x (1/2) + y"),
        ("\\frac{a}{b}\\frac{c}{d}", "(a/b) (c/d)"),
        ("\\frac{a}{b} \\cdot c", "a/b · c"),
        ("\\frac{a}{b}^2", "(a/b)²"),
        ("\\frac{dy}{dx} = 1", "dy/dx = 1"),
        ("a/\\frac{b}{c}", "a/(b/c)"),
        ("\\sqrt{x+1}", "√(x+1)"),
        ("\\sqrt{x}y", "√x y"),
        ("\\sqrt[3]{x}", "³√x"),
        ("\\sqrt[q]{x}", "x^(1/q)"),
        ("\\sqrt\\frac{a}{b}", "√(a/b)"),
        // Words, accents and letters.
        ("2\\sin\\theta\\cos^2 x", "2 sin θ cos² x"),
        ("\\sin(x)", "sin(x)"),
        ("f(x) \\text{ if } x", "f(x) if x"),
        ("x\\,\\mathrm{d}x", "x dx"),
        ("\\operatorname{Var}(X)", "Var(X)"),
        ("\\mathbb{R}^n \\times \\mathbb{E}", "ℝⁿ × 𝔼"),
        ("\\hat{x} + \\bar x_1 + \\vec v", "x̂ + x̄₁ + v⃗"),
        ("\\hat{ab}", "hat(ab)"),
        ("\\overline{b}", "b̄"),
        ("\\binom{n}{k}", "binom(n, k)"),
        ("a \\not= b \\not\\in C", "a ≠ b ∉ C"),
        ("\\big( a \\bigr) \\lVert v\\rVert", "( a ) ‖v‖"),
        ("\\left\\lfloor \\frac{a}{b} \\right\\rfloor", "⌊a/b⌋"),
        // Rows.
        ("a \\\\ b", "a; b"),
        ("\\begin{bmatrix}1 & 2 & 1\\\\ 2 & 4 & 2\\end{bmatrix}", "[1 2 1; 2 4 2]"),
        ("\\begin{pmatrix}a + b & c\\\\ d & e\\\\\\end{pmatrix}^T", "(a + b, c; d, e)^T"),
        ("\\left(\\begin{array}{cc}1&2\\\\3&4\\end{array}\\right)", "(1 2; 3 4)"),
        ("\\begin{cases}1, & x > 0\\\\ 0 & x\\end{cases}", "{1, x > 0; 0, x}"),
        ("\\begin{aligned}a &= b \\\\[2pt] &= c\\end{aligned}", "a = b; = c"),
    ] {
        assert_eq!(signs(source).as_deref(), Some(expected), "{source}");
    }
}

#[test]
fn keeps_the_source_of_unsupported_formulas() {
    for source in [
        "",
        " ",
        "\\",
        "\\frac{a}",
        "\\frac{}{b}",
        "x^{}",
        "x^",
        "x^{2",
        "x^2^3",
        "a}",
        "a & b",
        "a % b",
        "a $ b",
        "\\unknown",
        "\\pmod{",
        "\\sqrt[2{x}",
        "\\begin{bmatrix}1",
        "\\begin{bmatrix}1\\end{pmatrix}",
        "\\begin{tikzpicture}\\end{tikzpicture}",
        "\\end{bmatrix}",
        "\\color{red}x",
        "\\not x",
    ] {
        assert_eq!(signs(source), None, "{source}");
    }
    let nested = |n: usize| format!("{}x{}", "{".repeat(n), "}".repeat(n));
    assert!(signs(&nested(20)).is_some());
    assert!(signs(&nested(1900)).is_none());
    assert!(signs(&"\\sqrt".repeat(800)).is_none());
    assert!(signs(&"x".repeat(5000)).is_none() && formula(&"x".repeat(5000)).is_none());
}

#[test]
fn writes_formulas_on_several_lines() {
    for (source, expected) in [
        ("E = mc", "E = mc"),
        ("E = mc^2", "E = mc²"),
        ("a &= b \\\\\nc &= d", "a = b\nc = d"),
        ("\\begin{align*}a &= b \\\\ &= \\frac{c}{d}\\end{align*}", "a = b\n= c/d"),
        (
            "\\begin{equation}\\begin{split}a &= b\\\\ &= c\\end{split}\\label{eq}\\end{equation}",
            "a = b\n= c",
        ),
        (
            "A = \\begin{bmatrix}1 & -2 & 1\\\\ 20 & 4 & 2\\\\ 1 & 2 & 1\\end{bmatrix} x^T.",
            "    [  1  -2  1 ]\nA = [ 20   4  2 ] x^T.\n    [  1   2  1 ]",
        ),
        (
            "\\frac{1}{16}\\begin{pmatrix}a & b+c\\\\ dd & e\\end{pmatrix}",
            "1/16 ( a   b+c )\n     ( dd  e   )",
        ),
        (
            "f(x) = \\begin{cases}x & \\text{if } x > 0\\\\ 0 & \\text{otherwise}\\end{cases}",
            "f(x) = { x  if x > 0\n       { 0  otherwise",
        ),
        (
            "x = \\left\\{\\begin{array}{ll}1 & a\\\\ 2 & b\\end{array}\\right.",
            "x = { 1  a\n    { 2  b",
        ),
        (
            "\\begin{aligned}x &= \\begin{vmatrix}a & b\\\\ c & d\\end{vmatrix}\\\\ y &= 2\\end{aligned}.",
            "x = | a  b |\n    | c  d |\ny = 2.",
        ),
    ] {
        assert_eq!(formula(source).as_deref(), Some(expected), "{source}");
    }
    // A matrix that is too wide is written inline.
    let cells = ["10000"; 20].join(" & ");
    let wide = format!("A = \\begin{{matrix}}{cells}\\\\{cells}\\end{{matrix}} \\\\ b");
    let row = ["10000"; 20].join(" ");
    assert_eq!(formula(&wide), Some(format!("A = [{row}; {row}]\nb")));
}

#[test]
fn writes_fractions_and_limits_on_three_lines() {
    for (source, expected) in [
        ("\\frac{y-1}{n} = kn+x.", " y-1\n───── = kn+x.\n  n"),
        ("x=\\frac{1}{2}\\frac{a_1}{b},", "    1   a₁\nx= ─── ────,\n    2   b"),
        ("2\\left(\\frac ab\\right)-1", " ⎛ a ⎞\n2⎜───⎟-1\n ⎝ b ⎠"),
        ("\\lfloor\\frac ab\\rfloor, f(x)", "⎢ a ⎥\n⎢───⎥, f(x)\n⎣ b ⎦"),
        ("[\\sum_{i=1}^n x)", "⎡ n   ⎞\n⎢ ∑  x⎟\n⎣i=1  ⎠"),
        // Brackets without a counterpart, or without a tall part between them, stay small.
        ("(\\frac ab", "  a\n(───\n  b"),
        ("(a) + \\frac ab", "       a\n(a) + ───\n       b"),
        (
            "\\left(\\frac{1}{n}\\sum_{i=1}^n(x)\\right)",
            "⎛ 1   n     ⎞\n⎜───  ∑  (x)⎟\n⎝ n  i=1    ⎠",
        ),
        ("\\sum_{i=1}^n i^2", " n\n ∑  i²\ni=1"),
        ("\\lim\\limits_{n \\to \\infty} \\frac1n = 0", "       1\n lim  ─── = 0\nn → ∞  n"),
        ("\\int_0^\\infty e^{-x} dx", "∞\n∫ e^(-x) dx\n0"),
        // In a numerator or an index, a fraction is written inline.
        ("\\frac{\\frac{a}{b}}{c} + e^{\\frac{1}{2}}", " a/b\n───── + e^(1/2)\n  c"),
        ("a &= \\frac{b}{c} \\\\ d &= e \\\\ f &= g", "     b\na = ───\n     c\n\nd = e\nf = g"),
        // Inline, because the formula is too wide, or an exponent would seem to belong to the fraction bar.
        ("x = \\frac{a+b+c+d+e+f+g+h}{2}", "x = (a+b+c+d+e+f+g+h)/2"),
        ("\\frac{a}{b}^2", "(a/b)²"),
        ("\\sum x", "∑ x"),
        (
            "\\frac{1}{16}\\begin{bmatrix}1 & 2 \\\\ 3 & 4\\\\ 5 & 6\\end{bmatrix}",
            " 1   [ 1  2 ]\n──── [ 3  4 ]\n 16  [ 5  6 ]",
        ),
    ] {
        assert_eq!(tall_formula(source, 18).as_deref(), Some(expected), "{source}");
    }
    assert_eq!(tall_formula("\\frac{a}{\\unknown}", 18), None);
}

/// The letters and digits of a text, without those of commands.
fn letters(source: &str) -> Vec<char> {
    let mut plain = source.to_owned();
    for hidden in ["{cc}", "{matrix}", "{cases}", "{aligned}", "{array}", "\\hspace{1em}", "[2pt]"]
    {
        plain = plain.replace(hidden, "");
    }
    let mut out = Vec::new();
    let mut rest = plain.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\\' && rest.peek().is_some_and(char::is_ascii_alphabetic) {
            while rest.next_if(char::is_ascii_alphabetic).is_some() {}
        } else if c.is_ascii_alphanumeric() {
            out.push(c);
        }
    }
    out
}

/// The letter or digit that a character in a result stands for.
fn original(c: char) -> char {
    let indices = RAISED.iter().chain(&LOWERED);
    let struck = ('A'..='Z').chain(['1']).map(|from| (from, double_struck(from)));
    indices.copied().chain(struck).find(|(_, to)| *to == c).map_or(c, |(from, _)| from)
}

fn keeps_all_letters(source: &str) {
    for result in [signs(source), formula(source)].into_iter().flatten() {
        assert!(result.len() < 200 * source.len().max(20), "{source}: {}", result.len());
        let mut left: Vec<char> = result.chars().map(original).collect();
        for c in letters(source) {
            let at = left.iter().position(|l| *l == c);
            let Some(at) = at else { panic!("{c} of {source} is missing from {result}") };
            left.swap_remove(at);
        }
    }
}

fn token() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "x",
        "q",
        "7",
        "12",
        " ",
        "+",
        "=",
        "(",
        ")",
        "^",
        "_",
        "^2",
        "_i",
        "{",
        "}",
        "{",
        "}",
        "&",
        "\\\\",
        "\\\\[2pt]",
        "\\frac",
        "\\frac{a}{b}",
        "\\sqrt",
        "\\sqrt[3]",
        "\\text{if }",
        "\\mathbb{R}",
        "\\mathrm",
        "\\hat",
        "\\bar{x}",
        "\\sin",
        "\\max",
        "\\alpha",
        "\\le",
        "\\sum",
        "\\left(",
        "\\right)",
        "\\left\\{",
        "\\right.",
        "\\,",
        "\\quad",
        "\\not",
        "\\in",
        "\\binom",
        "\\begin{matrix}",
        "\\end{matrix}",
        "\\begin{array}{cc}",
        "\\end{array}",
        "\\begin{cases}",
        "\\end{cases}",
        "\\begin{aligned}",
        "\\end{aligned}",
        "\\overset",
        "\\hspace{1em}",
        "~",
        "'",
        "\\pmod",
        "\\operatorname",
        "é",
        "中",
        "\\|",
        "\\{",
        "\\",
        "$",
    ])
}

fn group() -> impl Strategy<Value = String> {
    let leaf = prop::collection::vec(token(), 0..4).prop_map(|tokens| tokens.concat());
    leaf.prop_recursive(4, 40, 4, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            pair.clone().prop_map(|(a, b)| format!("{{{a}}}^{{{b}}}")),
            pair.clone().prop_map(|(a, b)| format!("\\frac{{{a}}}{{{b}}}")),
            pair.clone().prop_map(|(a, b)| format!("{a}_{{x{b}}}")),
            pair.clone().prop_map(|(a, b)| {
                format!("\\begin{{matrix}}{a} & x\\\\ 1 & {b}\\end{{matrix}}")
            }),
            pair.clone().prop_map(|(a, b)| {
                format!("\\left\\{{\\begin{{aligned}}{a} \\\\ {b}\\end{{aligned}}\\right.")
            }),
            pair.prop_map(|(a, b)| format!("{a}\\sqrt[{b}]{{{a}}}")),
        ]
    })
}

proptest! {
    #[test]
    fn keeps_letters_of_random_tokens(tokens in prop::collection::vec(token(), 0..12)) {
        keeps_all_letters(&tokens.concat());
    }

    #[test]
    fn keeps_letters_of_random_formulas(source in group()) {
        keeps_all_letters(&source);
    }

    #[test]
    fn no_input_causes_a_panic(source in ".*") {
        let _ = (signs(&source), formula(&source), tall_formula(&source, 80));
    }
}

#[test]
fn limits_the_text_of_hostile_formulas() {
    for (part, count) in [
        ("\\frac", 800),
        ("{", 4000),
        ("x^", 2000),
        ("{a}^2", 800),
        ("\\frac{a}{b}", 360),
        ("\\left(\\begin{matrix}", 190),
        ("\\begin{matrix}a&b\\\\c\\end{matrix}", 120),
        ("\\begin{aligned}a\\\\b\\end{aligned}", 110),
        ("&", 4000),
        ("a\\\\", 1300),
        ("\\hat{ab}", 500),
        ("\\sqrt[", 600),
    ] {
        let source = part.repeat(count);
        let results = [signs(&source), formula(&source), tall_formula(&source, 80)];
        assert!(results.iter().flatten().all(|r| r.len() < 200_000), "{part}");
    }
}
