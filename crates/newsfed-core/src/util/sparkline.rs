//! Small charts in one line of text.

const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 8] = ['_', '.', '.', ':', ':', '|', '|', '#'];

/// One character per value, scaled to the highest value; the lowest bar represents zero.
pub fn sparkline(values: &[u32], ascii: bool) -> String {
    let maximum = values.iter().copied().max().unwrap_or(0).max(1);
    let sign = |&n: &u32| {
        let level = (u64::from(n) * 7).div_ceil(u64::from(maximum));
        let signs = if ascii { &ASCII } else { &HEIGHTS };
        // The level is at most 7.
        signs[usize::try_from(level).unwrap_or(7).min(7)]
    };
    values.iter().map(sign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_bars_to_the_highest_value() {
        for (days, expected, ascii) in [
            (vec![], "", ""),
            (vec![0, 0, 0], "▁▁▁", "___"),
            (vec![0, 1, 7, 3], "▁▂█▄", "_.#:"),
            (vec![1000, 1, u32::MAX], "▂▂█", "..#"),
        ] {
            assert_eq!(sparkline(&days, false), expected);
            assert_eq!(sparkline(&days, true), ascii);
        }
    }
}
