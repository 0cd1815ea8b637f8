//! Colours: contrast, mixing, and the nearest of the 256 colours of a terminal.

use std::sync::LazyLock;

/// Red, green and blue, 0 to 255 each.
pub type Rgb = [u8; 3];

/// The linear value of each channel level, precomputed because a palette needs thousands of them.
static LINEAR: LazyLock<[f64; 256]> = LazyLock::new(|| {
    let mut levels = [0.0; 256];
    for (level, linear) in (0u8..=255).zip(&mut levels) {
        let c = f64::from(level) / 255.0;
        *linear = if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    }
    levels
});

/// Relative luminance, 0 (black) to 1 (white); WCAG 2.2, "relative luminance".
pub fn luminance(color: Rgb) -> f64 {
    let [r, g, b] = color.map(|channel| LINEAR[usize::from(channel)]);
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// Contrast of two colours, 1 (none) to 21 (black on white); WCAG 2.2, "contrast ratio".
pub fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The lowest contrast of a colour on any of the surfaces; infinite without surfaces.
pub fn lowest_contrast(color: Rgb, surfaces: &[Rgb]) -> f64 {
    surfaces.iter().map(|&s| contrast(color, s)).fold(f64::INFINITY, f64::min)
}

/// `from` moved towards `to` by a share from 0 to 1.
pub fn mix(from: Rgb, to: Rgb, share: f64) -> Rgb {
    std::array::from_fn(|i| {
        let (a, b) = (f64::from(from[i]), f64::from(to[i]));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
        let mixed = (a + (b - a) * share.clamp(0.0, 1.0)).round() as u8;
        mixed
    })
}

/// The colour, moved towards white (on dark surfaces) or black in steps of 2 % until its contrast on every
/// surface reaches `least`, or until it is white or black.
pub fn lift(color: Rgb, surfaces: &[Rgb], least: f64) -> Rgb {
    let Some(&first) = surfaces.first() else { return color };
    let end = if luminance(first) < 0.18 { [255; 3] } else { [0; 3] };
    let steps = (0..=50).map(|step| mix(color, end, f64::from(step) / 50.0));
    steps.into_iter().find(|&c| lowest_contrast(c, surfaces) >= least).unwrap_or(end)
}

/// The colour with an index from 16 to 255: a cube of 6x6x6, followed by 24 greys.
pub fn of_index(index: u8) -> Rgb {
    match index {
        232.. => [8 + 10 * (index - 232); 3],
        _ => {
            let n = index.saturating_sub(16);
            [n / 36, n / 6 % 6, n % 6].map(|level| if level == 0 { 0 } else { 55 + 40 * level })
        }
    }
}

/// The index, 16 to 255, of the nearest colour whose contrast on the surfaces reaches `least`, or of the
/// nearest colour overall if there is none.
pub fn nearest_index(color: Rgb, surfaces: &[Rgb], least: f64) -> u8 {
    if surfaces.is_empty() {
        return nearest_of_all(color);
    }
    let readable = |index: u8| lowest_contrast(of_index(index), surfaces) >= least;
    let mut nearest: Option<(u32, u8)> = None;
    for index in 16..=255 {
        let distance = unlikeness(color, of_index(index));
        if nearest.is_none_or(|(least, _)| distance < least) && readable(index) {
            nearest = Some((distance, index));
        }
    }
    nearest.map_or_else(|| nearest_of_all(color), |(_, index)| index)
}

/// Perceived difference of two colours: a grey that turns green is worse than one that is a little lighter.
/// It is the squared difference of luma, plus four times those of both chroma components (ITU-R BT.601).
fn unlikeness(a: Rgb, b: Rgb) -> u32 {
    const HUE: i32 = 4;
    let parts = |[r, g, b]: Rgb| {
        let (r, g, b) = (i32::from(r), i32::from(g), i32::from(b));
        let luma = (299 * r + 587 * g + 114 * b) / 1000;
        [luma, b - luma, r - luma]
    };
    let [y, u, v] = std::array::from_fn(|i| (parts(a)[i] - parts(b)[i]).pow(2));
    (y + HUE * (u + v)).unsigned_abs()
}

/// The nearest colour of the cube and the greys, computed without a search because pictures have many
/// colours.
fn nearest_of_all(color: Rgb) -> u8 {
    // The levels of the cube are 0, 95, 135 … 255.
    let level = |c: u8| match c {
        0..48 => 0,
        48..115 => 1,
        _ => (c - 35) / 40,
    };
    let [r, g, b] = color.map(level);
    let cube = 16 + 36 * r + 6 * g + b;
    let mean = color.iter().map(|&c| u16::from(c)).sum::<u16>() / 3;
    let step = (mean.saturating_sub(3) / 10).min(23);
    let grey = 232 + u8::try_from(step).unwrap_or(0);
    let distance = |index: u8| -> u32 {
        let other = of_index(index);
        (0..3).map(|i| u32::from(color[i].abs_diff(other[i])).pow(2)).sum()
    };
    if distance(grey) < distance(cube) { grey } else { cube }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_matches_wcag() {
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
        assert!((contrast([119; 3], [255; 3]) - 4.48).abs() < 0.01);
        assert!((contrast([9, 9, 9], [9, 9, 9]) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn maps_truecolor_to_the_nearest_of_256_colours() {
        for (rgb, expected) in [
            ([0, 0, 0], 16),
            ([255, 255, 255], 231),
            ([255, 0, 0], 196),
            ([8, 8, 8], 232),
            ([95, 135, 175], 67),
        ] {
            assert_eq!(nearest_index(rgb, &[], 0.0), expected, "{rgb:?}");
        }
        // A bluish grey stays grey if it has to be lightened.
        for text in [[140, 147, 161], [120, 126, 140]] {
            let index = nearest_index(text, &[[19, 21, 27], [58, 58, 58]], 4.5);
            assert!((232..=255).contains(&index), "{text:?}: {index}");
        }
        let dark = [[30, 30, 46]];
        let lifted = of_index(nearest_index([80, 80, 90], &dark, 4.5));
        assert!(lowest_contrast(lifted, &dark) >= 4.5);
    }

    #[test]
    fn adjusts_colours_until_they_are_readable() {
        for (color, surface) in [([60, 60, 60], [20, 20, 20]), ([200, 190, 90], [250, 247, 240])] {
            assert!(contrast(color, surface) < 4.5);
            assert!(contrast(lift(color, &[surface], 4.5), surface) >= 4.5);
        }
        assert_eq!(lift([255; 3], &[[0; 3]], 4.5), [255; 3]);
        assert_eq!(mix([0, 100, 200], [100, 0, 200], 0.5), [50, 50, 200]);
    }
}
