//! How coverage grew over a run, as SVG.

use std::fmt::Write as _;

use super::axis::Axis;
use super::page::escape;
use crate::numbers::thousands;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 56.0;
/// Half of the widest number fits beside the end of the axis.
const RIGHT: f64 = 36.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 40.0;
/// More points than these say no more.
const MOST_POINTS: usize = 400;

/// A curve that only rises: after which step it had which value, in order. The last point is the run's end.
pub fn curve(what: &str, points: &[(u64, u64)]) -> String {
    let (last, top) = points.last().map_or((1, 1), |&(step, value)| (step.max(1), value.max(1)));
    let up = Axis::up_to(top as f64);
    let x = |step: u64| LEFT + step as f64 / last as f64 * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - value / up.top() * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"12\" color=\"#777\">\n<title>{what} over steps</title>\n",
        what = escape(what)
    );
    for mark in up.marks() {
        let at = y(mark as f64);
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {at:.1}H{:.1}\" stroke=\"currentColor\" stroke-opacity=\".3\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"currentColor\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0,
            thousands(mark)
        );
    }
    for mark in Axis::ending_at(last as f64).marks() {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"currentColor\">{}</text>",
            x(mark),
            HEIGHT - BOTTOM + 16.0,
            thousands(mark)
        );
    }
    let stride = points.len().div_ceil(MOST_POINTS).max(1);
    let kept = points.iter().enumerate().filter(|(at, _)| at % stride == 0 || at + 1 == points.len());
    let mut path = String::new();
    for (_, &(step, value)) in kept {
        let lead = if path.is_empty() { "M" } else { "H" };
        let (across, up) = (x(step), y(value as f64));
        let _ = if path.is_empty() {
            write!(path, "{lead}{across:.1} {up:.1}")
        } else {
            write!(path, "{lead}{across:.1}V{up:.1}")
        };
    }
    let middle = LEFT.midpoint(WIDTH - RIGHT);
    let _ = writeln!(
        svg,
        "<path d=\"{path}\" fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2\"/>\
         <text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"currentColor\">steps</text>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"currentColor\">{}</text>\n</svg>",
        HEIGHT - 6.0,
        // What only rises leaves this corner free.
        WIDTH - RIGHT - 8.0,
        HEIGHT - BOTTOM - 8.0,
        escape(what)
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_rises_in_steps_from_the_first_to_the_last_point() {
        let svg = curve("branches", &[(0, 0), (50, 10), (100, 20)]);
        assert!(svg.contains("d=\"M56.0 200.0H370.0V108.0H684.0V16.0\""), "{svg}");
    }

    #[test]
    fn the_numbers_beside_a_curve_are_round() {
        let svg = curve("branches", &[(0, 0), (50, 10), (350, 102)]);
        for number in ["50", "100", "150", "200", "300"] {
            assert!(svg.contains(&format!(">{number}</text>")), "{number}: {svg}");
        }
        assert!(!svg.contains(">26</text>") && !svg.contains(">51</text>"), "{svg}");
    }
}
