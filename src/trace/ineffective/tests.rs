//! The examples of CHARD's Table 1 and section 4, by the number of their rule.

use proptest::prelude::*;

use super::*;
use crate::trace::user_event::test_support::sequence;
use crate::trace::user_event::{Object, UserEvent};

fn found(text: &str) -> Vec<(Rule, Vec<usize>)> {
    let analysis = analyse(&sequence(text), &Rules::default());
    analysis.findings.into_iter().map(|finding| (finding.rule, finding.events)).collect()
}

#[test]
fn rule_1_a_press_on_a_blank_area_without_a_widget_is_a_no_op() {
    let text = "Main touch - => Main
                Main touch Button#go => Next/2 : 1";
    assert_eq!(found(text), [(Rule::NoOps, vec![0])]);
}

#[test]
fn rule_1_an_event_that_its_widget_does_not_take_is_a_no_op() {
    assert_eq!(found("Main touch TextView#title => Main"), [(Rule::NoOps, vec![0])]);
    assert_eq!(found("Main touch Button#go => Main : 1"), [], "a method ran");
    assert_eq!(found("Main touch Button#go => Main/2"), [], "the screen changed");
}

#[test]
fn rule_1_without_methods_only_what_hits_no_widget_is_a_no_op() {
    let mut recorded = sequence(
        "Main touch TextView#title => Main
         Main touch - => Main",
    );
    for event in &mut recorded.events {
        event.methods = None;
    }
    let analysis = analyse(&recorded, &Rules::default());
    assert_eq!(analysis.findings, [Finding { rule: Rule::NoOps, events: vec![1], assumed: true }]);
    assert_eq!(analysis.lacks, [Lack::Methods]);
}

#[test]
fn rule_2_a_press_of_home_that_is_rejected_goes() {
    assert_eq!(found("Other key home => Other : 1"), [(Rule::Home, vec![0])]);
    assert_eq!(found("Main key home => Launcher"), []);
}

#[test]
fn rule_3_back_on_the_main_activity_goes() {
    assert_eq!(found("Main key back => Main"), [(Rule::BackOnMain, vec![0])]);
    let elsewhere = "Main touch Button#go => Other/2 : 1
                     Other/2 key back => Other/2 : 2";
    assert_eq!(found(elsewhere), []);
}

#[test]
fn rule_4_optional_keys_go_and_are_configurable() {
    let text = "Main touch Button#go => Page/2 : 1
                Page/2 key volume-up => Page/2
                Page/2 key volume-down => Page/2
                Page/2 key call => Page/2";
    assert_eq!(
        found(text),
        [(Rule::OptionalKey, vec![1]), (Rule::OptionalKey, vec![2]), (Rule::OptionalKey, vec![3])]
    );
    let e_book = Rules { optional_keys: BTreeSet::from([Key::Call]), ..Rules::default() };
    let pages = sequence(&text.replace("key volume-up => Page/2", "key volume-up => Page/3"));
    let findings = analyse(&pages, &e_book).findings;
    assert!(
        findings.iter().all(|finding| finding.events != [1]),
        "turning a page is effective: {findings:?}"
    );
    assert_eq!(findings.iter().filter(|finding| finding.rule == Rule::OptionalKey).count(), 1);
}

#[test]
fn rule_5_a_checkbox_selected_and_disabled_is_a_contrary_pair() {
    let text = "Main/1 touch CheckBox#wifi@0.1 => Main/2
                Main/2 touch CheckBox#wifi@0.1 => Main/1";
    assert_eq!(found(text), [(Rule::ContraryPair, vec![0, 1])]);
    let two_boxes = "Main/1 touch CheckBox#wifi@0.1 => Main/2
                     Main/2 touch CheckBox#sound@0.2 => Main/3";
    assert_eq!(found(two_boxes), []);
}

#[test]
fn rule_5_an_activity_opened_and_left_without_operation_is_a_contrary_pair() {
    let text = "Main/1 touch Button#help => Help/5 : 1
                Help/5 key back => Main/1 : 2";
    assert_eq!(found(text), [(Rule::ContraryPair, vec![0, 1])]);
    let changed = "Main/1 touch Button#add => Edit/5 : 1
                   Edit/5 touch Button#save => Main/2 : 2";
    assert_eq!(found(changed), [], "the main activity shows something else than before");
}

#[test]
fn rule_5_a_dialog_opened_and_cancelled_is_a_contrary_pair() {
    let text = "Main/1 touch Button#date => Main+date/5 : 1
                Main+date/5 touch Button#cancel => Main/1";
    assert_eq!(found(text), [(Rule::ContraryPair, vec![0, 1])]);
}

#[test]
fn rule_6_pairs_within_pairs_are_found_with_the_stack() {
    let text = "Main/1 touch Button#a => A/2 : 1
                A/2 touch Button#b => B/3 : 2
                B/3 touch CheckBox#c => B/4
                B/4 touch CheckBox#c => B/3
                B/3 key back => A/2 : 3
                A/2 key back => Main/1 : 4";
    assert_eq!(
        found(text),
        [
            (Rule::ContraryPair, vec![2, 3]),
            (Rule::NestedContraryPair, vec![1, 4]),
            (Rule::NestedContraryPair, vec![0, 5])
        ]
    );
}

#[test]
fn rule_6_is_stopped_by_an_event_that_stays() {
    let text = "Main/1 touch Button#a => A/2 : 1
                A/2 touch Button#do => A/2 : 9
                A/2 key back => Main/1 : 4";
    assert_eq!(found(text), []);
}

#[test]
fn rule_7_of_radios_selected_one_after_the_other_the_last_stays() {
    let text = "Main/1 touch RadioButton#red@0.3.0 => Main/2
                Main/2 touch RadioButton#green@0.3.1 => Main/3
                Main/3 touch RadioButton#blue@0.3.2 => Main/4
                Main/4 touch Button#ok => Done/9 : 1";
    assert_eq!(found(text), [(Rule::LastEffective, vec![0, 1])]);
    let other_group = "Main/1 touch RadioButton#red@0.3.0 => Main/2
                       Main/2 touch RadioButton#big@0.4.0 => Main/3";
    assert_eq!(found(other_group), []);
}

#[test]
fn rule_7_of_repeated_clicks_on_a_text_box_the_last_stays() {
    let text = "Main/1 touch EditText#name@0.1 => Main/2 : 1
                Main/2 touch EditText#name@0.1 => Main/2 : 1
                Main/2 touch EditText#name@0.1 => Main/2 : 1";
    assert_eq!(found(text), [(Rule::LastEffective, vec![0, 1])]);
}

#[test]
fn rule_7_a_text_replaces_what_came_before_and_a_click_does_not_replace_a_text() {
    let typed = "Main/1 touch EditText#name@0.1 => Main/2 : 1
                 Main/2 text EditText#name@0.1 abc => Main/3 : 1
                 Main/3 text EditText#name@0.1 xyz => Main/4 : 1
                 Main/4 touch EditText#name@0.1 => Main/4 : 1";
    assert_eq!(found(typed), [(Rule::LastEffective, vec![0, 1])]);
}

#[test]
fn rule_8_a_window_of_text_that_is_slid_over_and_left_goes() {
    let text = "Main/1 touch Button#licence => Text/5 : 1
                Text/5 slide ScrollView#text => Text/6
                Text/6 slide ScrollView#text => Text/7
                Text/7 key back => Main/1 : 2";
    assert_eq!(found(text), [(Rule::TextSlide, vec![0, 1, 2, 3])]);
    let logged = text.replace("Text/7\n", "Text/7 : 8\n");
    assert_eq!(found(&logged), [], "a slide that runs a method is an operation");
}

#[test]
fn rule_9_a_hidden_menu_a_window_and_its_close_go() {
    let text = "Main/1 touch - => Main+popup/2 : 1
                Main+popup/2 touch TextView#about => Main+about/3 : 2
                Main+about/3 key back => Main/1";
    assert_eq!(found(text), [(Rule::HiddenMenu, vec![0, 1, 2])]);
    let used = "Main/1 touch - => Main+popup/2 : 1
                Main+popup/2 touch TextView#clear => Main/9 : 2
                Main/9 key call => Main/9";
    assert_eq!(found(used), [(Rule::OptionalKey, vec![2])]);
}

#[test]
fn what_one_rule_leaves_another_may_delete() {
    // A no-op stands between the two events of a pair.
    let text = "Main/1 touch Button#help => Help/5 : 1
                Help/5 touch - => Help/5
                Help/5 key back => Main/1 : 2";
    assert_eq!(found(text), [(Rule::NoOps, vec![1]), (Rule::ContraryPair, vec![0, 2])]);
    // A pair stands between radios.
    let radios = "Main/1 touch RadioButton#red@0.3.0 => Main/2
                  Main/2 touch Button#help => Help/5 : 1
                  Help/5 key back => Main/2 : 2
                  Main/2 touch RadioButton#green@0.3.1 => Main/3";
    assert_eq!(found(radios), [(Rule::ContraryPair, vec![1, 2]), (Rule::LastEffective, vec![0])]);
}

#[test]
fn the_event_that_crashes_is_never_deleted() {
    let text = "Main/1 touch CheckBox#wifi => Main/2
                Main/2 touch CheckBox#wifi => !";
    assert_eq!(found(text), []);
    assert_eq!(found("Main key back => !"), []);
}

#[test]
fn without_screens_the_rules_that_need_them_do_not_apply_and_it_is_said() {
    let mut recorded = sequence(
        "Main touch - => Main
         Main touch Button#help => Help : 1
         Help key back => Main
         Main key home => Main",
    );
    for event in &mut recorded.events {
        event.methods = None;
        (event.source.tree, event.destination.tree) = (None, None);
    }
    let analysis = analyse(&recorded, &Rules::default());
    assert_eq!(analysis.lacks, [Lack::Screens]);
    assert_eq!(analysis.findings, [Finding { rule: Rule::Home, events: vec![3], assumed: true }]);
    for event in &mut recorded.events {
        (event.source.window, event.destination.window) = (None, None);
    }
    assert_eq!(analyse(&recorded, &Rules::default()).lacks, [Lack::Activities]);
}

#[test]
fn a_rule_can_be_switched_off() {
    let mut rules = Rules::default();
    rules.enabled.remove(&Rule::NoOps);
    let analysis = analyse(&sequence("Main touch - => Main"), &rules);
    assert_eq!((analysis.findings, analysis.kept), (Vec::new(), vec![0]));
}

#[test]
fn an_empty_sequence_is_left_empty() {
    assert_eq!(analyse(&UserSequence::default(), &Rules::default()), Ineffective::default());
}

fn line() -> impl Strategy<Value = String> {
    let status = (0..3_u8, 0..2_u8, 1..3_u8).prop_map(|(window, over, tree)| {
        format!("W{window}{}/{tree}", if over == 1 { "+popup" } else { "" })
    });
    let done = prop::sample::select(vec![
        "touch -",
        "touch Button#b@0.1",
        "touch CheckBox#c@0.2",
        "touch RadioButton#r@0.3.1",
        "touch EditText#e@0.4",
        "slide ScrollView#s@0.5",
        "key back",
        "key home",
        "key call",
    ]);
    (status.clone(), done, status, prop::bool::ANY).prop_map(|(from, done, to, method)| {
        format!("{from} {done} => {to} {}", if method { ": 1" } else { "" })
    })
}

proptest! {
    #[test]
    fn every_event_is_kept_or_deleted_once_and_the_order_stays(lines in prop::collection::vec(line(), 0..60), fails: bool) {
        let mut recorded = sequence(&lines.join("\n"));
        if let Some(last) = recorded.events.last_mut() {
            last.fails = fails;
        }
        let analysis = analyse(&recorded, &Rules::default());
        let mut all: Vec<usize> = analysis.findings.iter().flat_map(|finding| finding.events.clone()).collect();
        all.extend(&analysis.kept);
        all.sort_unstable();
        prop_assert_eq!(all, (0..recorded.events.len()).collect::<Vec<_>>());
        prop_assert!(analysis.kept.is_sorted());
        if fails && !recorded.events.is_empty() {
            prop_assert_eq!(analysis.kept.last(), Some(&(recorded.events.len() - 1)));
        }
        // What is left has nothing more to delete.
        let left: Vec<UserEvent> = analysis.kept.iter().map(|&event| recorded.events[event].clone()).collect();
        let again = analyse(&UserSequence { events: left, ..recorded.clone() }, &Rules::default());
        prop_assert_eq!(again.findings, Vec::new());
    }
}

#[test]
fn a_place_whose_widget_is_unknown_is_no_blank_area() {
    let mut recorded = sequence("Main touch - => Main");
    recorded.events[0].object = Some(Object::Place(crate::gui::Point { x: 1, y: 2 }));
    recorded.events[0].methods = None;
    assert_eq!(analyse(&recorded, &Rules::default()).findings, []);
}
