//! Coverage curves as SVG: the median of the runs as a line, the quartiles as a band.

use std::fmt::Write as _;

use super::outcome::{Row, Spread, TargetOutcome};
use super::page::capital;
use crate::numbers::thousands;
use crate::report::axis::Axis;
use crate::report::page::escape;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 48.0;
const RIGHT: f64 = 180.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 40.0;
/// How far below each other the names of the curves are.
const LINE: f64 = 18.0;
/// Okabe and Ito's colours for all sorts of eyes, without those that vanish on white or black.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
/// Where colours come again, the lines differ.
const DASHES: [&str; 3] = ["", "6 3", "2 3"];

/// The curves of all combinations on one app.
pub fn curves(target: &TargetOutcome, steps: u64) -> String {
    let highest = target.rows.iter().flat_map(|row| &row.curve).map(|point| point.high);
    let up = Axis::up_to(highest.fold(1.0, f64::max));
    let top = up.top();
    // The names beside the curves may need more room than the curves.
    let height = HEIGHT.max(2.0 * TOP + LINE * target.rows.len() as f64);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"12\" color=\"#777\">\n<title>{}</title>\n",
        escape(&format!(
            "{} of {} covered over steps: median and quartiles",
            capital(target.branches_word()),
            target.app
        ))
    );
    axes(&mut svg, target.branches_word(), Axis::ending_at(steps as f64), up);
    for (number, row) in target.rows.iter().enumerate() {
        curve(&mut svg, row, number, top);
    }
    svg.push_str("</svg>\n");
    svg
}

fn axes(svg: &mut String, what: &str, steps: Axis, covered: Axis) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for mark in covered.marks() {
        let up = y(mark as f64, covered.top());
        let _ = writeln!(
            svg,
            "<path d=\"M{LEFT} {up:.1}H{right}\" stroke=\"currentColor\" stroke-opacity=\".3\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"currentColor\">{}</text>",
            LEFT - 6.0,
            up + 4.0,
            thousands(mark)
        );
    }
    for mark in steps.marks() {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"currentColor\">{}</text>",
            x(mark as f64 / steps.top()),
            bottom + 16.0,
            thousands(mark)
        );
    }
    let (middle, up) = (LEFT.midpoint(right), TOP.midpoint(bottom));
    let _ = writeln!(
        svg,
        "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"currentColor\">steps</text>\
         <text x=\"14\" y=\"{up:.1}\" text-anchor=\"middle\" fill=\"currentColor\" transform=\"rotate(-90 14 {up:.1})\">\
         {what} covered</text>",
        HEIGHT - 6.0
    );
}

fn curve(svg: &mut String, row: &Row, number: usize, top: f64) {
    let colour = COLOURS[number % COLOURS.len()];
    let dash = DASHES[number / COLOURS.len() % DASHES.len()];
    let points = row.curve.len().max(1) as f64;
    let path = |of: fn(&Spread) -> f64| {
        let at = |(place, spread): (usize, &Spread)| {
            format!("{:.1} {:.1}", x((place as f64 + 1.0) / points), y(of(spread), top))
        };
        row.curve.iter().enumerate().map(at).collect::<Vec<String>>()
    };
    let (median, high, mut low) =
        (path(|spread| spread.median), path(|spread| spread.high), path(|spread| spread.low));
    if median.is_empty() {
        return;
    }
    low.reverse();
    let label_y = TOP + 12.0 + LINE * number as f64;
    let label_x = WIDTH - RIGHT + 12.0;
    let _ = writeln!(
        svg,
        "<path d=\"M{}L{}Z\" fill=\"{colour}\" fill-opacity=\".15\"/>\n\
         <path d=\"M{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>\n\
         <path d=\"M{label_x:.1} {:.1}h20\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\"/>\
         <text x=\"{:.1}\" y=\"{label_y:.1}\" fill=\"currentColor\">{}</text>",
        high.join("L"),
        low.join("L"),
        median.join("L"),
        label_y - 4.0,
        label_x + 26.0,
        escape(&row.label)
    );
}

fn x(share: f64) -> f64 {
    LEFT + share * (WIDTH - LEFT - RIGHT)
}

fn y(value: f64, top: f64) -> f64 {
    HEIGHT - BOTTOM - value / top * (HEIGHT - TOP - BOTTOM)
}

#[cfg(test)]
mod tests {
    use indexmap::IndexMap;

    use super::*;
    use crate::compare::outcome::Score;

    fn row(label: &str, medians: [f64; 4]) -> Row {
        let spread = |median: f64| Spread { mean: median, low: median - 1.0, median, high: median + 1.0 };
        Row {
            label: label.to_owned(),
            runs: 3,
            score: Score::default(),
            measures: IndexMap::new(),
            curve: medians.map(spread).to_vec(),
        }
    }

    #[test]
    fn two_curves_with_bands() {
        let target = TargetOutcome {
            target: "a.toml".to_owned(),
            app: "<b>&\u{1}".to_owned(),
            branches: 10,
            rows: vec![row("evolving", [2.0, 5.0, 7.0, 8.0]), row("stoat", [1.0, 2.0, 3.0, 3.0])],
            failures: Vec::new(),
            pairs: Vec::new(),
        };
        insta::assert_snapshot!(curves(&target, 400));
    }

    #[test]
    fn a_number_beside_an_axis_is_where_it_says() {
        let target = TargetOutcome {
            target: "a.toml".to_owned(),
            app: "a".to_owned(),
            branches: 40,
            rows: vec![row("evolving", [10.0, 20.0, 30.0, 33.0])],
            failures: Vec::new(),
            pairs: Vec::new(),
        };
        let svg = curves(&target, 2_000);
        let marked: Vec<(f64, f64)> = svg
            .split("text-anchor=\"end\" fill=\"currentColor\">")
            .zip(svg.split("text-anchor=\"end\" fill=\"currentColor\">").skip(1))
            .filter_map(|(before, after)| {
                let place = before.rsplit_once("y=\"")?.1.split('"').next()?;
                Some((place.parse::<f64>().ok()?, after.split('<').next()?.parse().ok()?))
            })
            .collect();
        assert_eq!(marked.len(), 5, "{svg}");
        let (zero, unit) = (marked[0].0, (marked[0].0 - marked[4].0) / 40.0);
        for (place, number) in marked {
            assert!((zero - place - unit * number).abs() < 0.2, "{number} is at {place}: {svg}");
            assert!((number % 10.0).abs() < 1e-9, "{number}");
        }
    }
}
