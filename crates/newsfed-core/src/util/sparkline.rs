//! Small charts in one line of text.

const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const ASCII: [char; 8] = ['_', '.', '.', ':', ':', '|', '|', '#'];

/// One character per value, scaled to the highest value; the lowest bar represents zero. Equal values are
/// drawn as a baseline, because high bars of one height would suggest many items.
pub fn sparkline(values: &[u32], ascii: bool) -> String {
    let maximum = values.iter().copied().max().unwrap_or(0).max(1);
    let is_flat = values.windows(2).all(|pair| pair[0] == pair[1]);
    let sign = |&n: &u32| {
        let level = if is_flat { 0 } else { (u64::from(n) * 7).div_ceil(u64::from(maximum)) };
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
            (vec![4, 4, 4], "▁▁▁", "___"),
            (vec![0, 1, 7, 3], "▁▂█▄", "_.#:"),
            (vec![1000, 1, u32::MAX], "▂▂█", "..#"),
        ] {
            assert_eq!(sparkline(&days, false), expected);
            assert_eq!(sparkline(&days, true), ascii);
        }
    }
}
