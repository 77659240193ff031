//! The window tree as SVG, laid out by itself: a row a level.

use std::fmt::Write as _;

use super::tree::{Arrow, Picture};
use crate::letters::plain;

const BOX: (f64, f64) = (190.0, 44.0);
const GAP: (f64, f64) = (26.0, 74.0);
const MARGIN: f64 = 20.0;
/// Longer names are cut off; the whole name is in the tooltip.
const LONGEST_NAME: usize = 26;

/// The picture.
pub fn render(picture: &Picture) -> String {
    let levels = picture.boxes.iter().map(|window| window.level).max().unwrap_or(0) + 1;
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); levels];
    for (number, window) in picture.boxes.iter().enumerate() {
        rows[window.level].push(number);
    }
    let widest = rows.iter().map(Vec::len).max().unwrap_or(1).max(1) as f64;
    let width = 2.0 * MARGIN + widest * (BOX.0 + GAP.0);
    let height = 2.0 * MARGIN + levels as f64 * (BOX.1 + GAP.1);
    let mut places = vec![(0.0, 0.0); picture.boxes.len()];
    for (level, row) in rows.iter().enumerate() {
        let free = width - row.len() as f64 * (BOX.0 + GAP.0);
        for (at, &number) in row.iter().enumerate() {
            let x = free / 2.0 + at as f64 * (BOX.0 + GAP.0) + GAP.0 / 2.0;
            places[number] = (x, MARGIN + level as f64 * (BOX.1 + GAP.1));
        }
    }
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>The window tree of a trace; what is reduced is grey and dashed</title>\n<defs><marker id=\"tip\" \
         viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path \
         d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n"
    );
    for arrow in &picture.arrows {
        draw(&mut out, arrow, places[arrow.from], places[arrow.to]);
    }
    for (window, &(x, y)) in picture.boxes.iter().zip(&places) {
        let (stroke, dash, ink) = match (window.fails, window.key) {
            (true, _) => ("#d55e00", "", "#000"),
            (false, 0) => ("#aaa", " stroke-dasharray=\"4 3\"", "#888"),
            (false, _) => ("#0072b2", "", "#000"),
        };
        let (name, whole) = (clipped(&window.name), escape(&plain(&window.name)));
        let _ = writeln!(
            out,
            "<g><title>{whole}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"#fff\" \
             stroke=\"{stroke}\" stroke-width=\"1.5\"{dash}/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" \
             fill=\"{ink}\">{name}</text><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{ink}\" \
             font-size=\"11\">{} of {} events</text></g>",
            BOX.0,
            BOX.1,
            x + BOX.0 / 2.0,
            y + 18.0,
            x + BOX.0 / 2.0,
            y + 34.0,
            window.key,
            window.events
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Ways down go from bottom to top, ways back from top to bottom, a little to the right so that both can be seen.
fn draw(out: &mut String, arrow: &Arrow, from: (f64, f64), to: (f64, f64)) {
    let (half, down) = (BOX.0 / 2.0, from.1 < to.1);
    let shift = if down { -12.0 } else { 12.0 };
    let (x1, x2) = (from.0 + half + shift, to.0 + half + shift);
    let (y1, y2) = match from.1.total_cmp(&to.1) {
        std::cmp::Ordering::Less => (from.1 + BOX.1, to.1),
        std::cmp::Ordering::Greater => (from.1, to.1 + BOX.1),
        std::cmp::Ordering::Equal => (from.1 + BOX.1, to.1 + BOX.1),
    };
    // Between two boxes of a row the way hangs below them.
    let bend = if (from.1 - to.1).abs() < f64::EPSILON { GAP.1 * 0.6 } else { 0.0 };
    let middle = y1.midpoint(y2) + bend;
    let (ink, dash) = if arrow.key { ("#555", "") } else { ("#bbb", " stroke-dasharray=\"4 3\"") };
    let _ = writeln!(
        out,
        "<path d=\"M{x1:.1} {y1:.1}C{x1:.1} {middle:.1} {x2:.1} {middle:.1} {x2:.1} {y2:.1}\" fill=\"none\" \
         stroke=\"{ink}\"{dash} marker-end=\"url(#tip)\"/><text x=\"{:.1}\" y=\"{:.1}\" fill=\"{ink}\" \
         font-size=\"10\">{}</text>",
        x1.midpoint(x2) + 4.0,
        y1.midpoint(y2) + bend * 0.75,
        escape(&arrow.label())
    );
}

fn clipped(name: &str) -> String {
    let name = plain(name);
    if name.chars().count() <= LONGEST_NAME {
        return escape(&name);
    }
    let end: String = name.chars().skip(name.chars().count() - LONGEST_NAME + 1).collect();
    escape(&format!("…{end}"))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
