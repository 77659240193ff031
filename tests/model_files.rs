//! App models as people mistype them: whatever the file says, siamang answers.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

use std::sync::Arc;

use proptest::prelude::*;
use siamang::action::{Event, Input, Key};
use siamang::device::virtual_device::check::check;
use siamang::device::virtual_device::compile::load;
use siamang::device::{Reset, VirtualDevice};
use siamang::gui::Point;
use siamang::seed::Seed;

fn models() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/models");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

/// Loads a model and, if it loads, pokes at it.
fn poke(source: &str) {
    let Ok(app) = load(source) else { return };
    let mut device = VirtualDevice::new(Arc::new(app), Seed(1));
    device.do_reset(Reset::Clean);
    for number in 0..20 {
        let point = Point { x: 90 + 100 * (number % 10), y: 150 + 170 * (number % 11) };
        let input = match number % 7 {
            0 => Input::Key(Key::Menu),
            1 => Input::Rotate,
            2 => Input::ProcessDeath,
            3 => Input::Text { at: point, text: "x".into() },
            _ => Input::Tap(point),
        };
        device.do_step(&Event::settled(input));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_text_is_answered(source in "\\PC{0,200}") {
        poke(&source);
    }

    #[test]
    fn a_model_cut_anywhere_is_answered(which in 0_usize..100, cut in 0.0_f64..1.0) {
        let models = models();
        let model = &models[which % models.len()];
        let mut end = (model.len() as f64 * cut) as usize;
        while !model.is_char_boundary(end) {
            end -= 1;
        }
        poke(&model[..end]);
    }

    #[test]
    fn a_model_with_a_changed_line_is_answered(
        which in 0_usize..100,
        line in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
        what in 0_u8..4,
    ) {
        let models = models();
        let mut lines: Vec<&str> = models[which % models.len()].lines().collect();
        let (line, other) = (line.index(lines.len()), other.index(lines.len()));
        match what {
            0 => { lines.remove(line); }
            1 => lines.swap(line, other),
            2 => lines.insert(line, lines[other]),
            _ => lines[line] = lines[other],
        }
        poke(&lines.join("\n"));
    }
}

/// What a tester is told about a mistake.
fn told(old: &str, new: &str) -> String {
    let source = include_str!("../models/counter_crash.toml");
    assert!(source.contains(old), "{old}");
    let report = check(&source.replacen(old, new, 1));
    let findings: Vec<String> =
        report.errors.iter().chain(&report.warnings).map(ToString::to_string).collect();
    findings.join("\n")
}

#[test]
fn mistakes_are_told_with_their_place_and_the_nearest_name() {
    insta::assert_snapshot!(told("bind = \"doubled\"", "bind = \"double\""), @"21:8: there is no variable `double`; did you mean `doubled`?");
    insta::assert_snapshot!(told("start = \"AboutActivity\"", "start = \"AbotActivity\""), @"45:17: there is no activity `AbotActivity`; did you mean `AboutActivity`?");
    insta::assert_snapshot!(told("fail = \"overflow\"", "fail = \"overflows\""), @"31:42: there is no failure `overflows`; did you mean `overflow`?");
    insta::assert_snapshot!(told("count += 1", "count +="), @r#"32:10: in `do = "count +="`: Script is incomplete (line 1, position 9)"#);
    insta::assert_snapshot!(told("count += 1", "counter += 1"), @r#"32:10: in `do = "counter += 1"`: there is no variable `counter`; did you mean `count`?"#);
    insta::assert_snapshot!(told("type = \"switch\"", "type = \"swich\""), @"18:8: there is no kind `swich`; did you mean `switch`? Known here: label, button, image_button, image, field, check, switch, spinner, tabs, list, row, column, scroll, web, progress");
    insta::assert_snapshot!(told("id = \"plus\"", "ident = \"plus\""), @"28:1: there is no key `ident`; did you mean `id`? Known here: type, id, text, desc, hint, input, bind, checked, options, rows, row_height, height, nodes, visible, enabled, widget, tap, long_tap, change, submit, swipe_left, swipe_right, pinch");
    insta::assert_snapshot!(told("package = \"org.siamang.counter\"", "package = \"counter\""), @"4:11: `counter` is no package name; write two or more words with dots, such as `org.example.notes`");
    insta::assert_snapshot!(told("tap = { start = \"AboutActivity\" }", ""), @r#"48:8: nothing leads to the activity `AboutActivity`; add `start = "AboutActivity"` to a rule that is reached, or a `link`"#);
}
