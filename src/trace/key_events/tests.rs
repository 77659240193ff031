use proptest::prelude::*;

use super::*;
use crate::trace::user_event::test_support::sequence;

fn key_events(text: &str) -> KeyEvents {
    KeyEvents::of(&sequence(text), &Rules::default(), Similarity::default())
}

/// CHARD's motivating example after its text (sections 2 and 5; the figure itself is a picture): 30 events, the 7th leads from
/// the object's page back to the list and the 9th to the page again, the 30th crashes.
const MOTIVATING: &str = "
    Launcher launch - => List : 1
    List touch ListView#list => Add : 2
    Add touch EditText#personName => Add : 3
    Add touch LinearLayout#title => Add : 4
    Add touch EditText#personName => Add : 3
    Add touch LinearLayout#title => Add : 4
    Add key back => List : 5
    List touch Button#sort => List : 6
    List touch ListView#list@1 => Add : 2
    Add touch EditText#add_description => Add : 7
    Add touch LinearLayout#title => Add : 4
    Add touch EditText#add_description => Add : 7
    Add touch Button#pickDate => Add+date : 8
    Add+date touch - => Add : 9
    Add touch EditText#personName => Add : 3
    Add touch LinearLayout#title => Add : 4
    Add key back => List : 5
    List touch Button#sort => List : 6
    List touch ListView#list => Add : 2
    Add touch EditText#personName => Add : 3
    Add touch Button#pickDate => Add+date : 8
    Add+date touch - => Add : 9
    Add touch EditText#add_description => Add : 7
    Add touch Spinner#type_spinner => Add+popupWindow2 : 10
    Add+popupWindow2 touch CheckedTextView#text1 => Add/2 : 11
    Add touch LinearLayout#title => Add : 4
    Add key back => List : 5
    List touch ListView#list@1 => Add : 2
    Add touch EditText#personName => Add : 3
    Add touch Button#add_button => !";

/// The paper's numbers count from 1.
fn numbered(events: &[usize]) -> Vec<usize> {
    events.iter().map(|event| event + 1).collect()
}

#[test]
fn short_keeps_the_launch_the_list_and_the_crash_of_the_motivating_example() {
    let found = key_events(MOTIVATING);
    assert_eq!(numbered(&found.short.expect("windows")), [1, 2, 30]);
}

#[test]
fn duplicate_keeps_one_of_each_event_of_the_motivating_example() {
    let sequence = sequence(MOTIVATING);
    let all: Vec<usize> = (0..sequence.events.len()).collect();
    let kept = duplicate(&sequence, &all, Similarity::default()).expect("windows");
    // Figure 14's ten events, and the event on the list that the walk makes on its first visit there. The dialog is closed by
    // 22, not by 14: 21, which opens it again, takes 14 along, which led to the window of 21.
    assert_eq!(numbered(&kept), [1, 8, 2, 3, 4, 10, 13, 22, 24, 25, 30]);
}

#[test]
fn a_removed_transition_takes_the_event_that_led_to_it_along() {
    // The pair <7, 9> of the paper: 9 repeats 2, and 7 led to the list where 9 was made. What was done there stays.
    let text = "List touch ListView#list => Add : 1
                Add touch EditText#a => Add : 2
                Add key back => List : 3
                List touch Button#sort => List : 4
                List touch ListView#list => Add : 1
                Add touch Button#crash => !";
    let sequence = sequence(text);
    let all: Vec<usize> = (0..sequence.events.len()).collect();
    assert_eq!(duplicate(&sequence, &all, Similarity::default()), Some(vec![3, 0, 1, 5]));
}

#[test]
fn a_loop_through_several_windows_goes_only_if_all_of_it_is_made_elsewhere() {
    let round = "Main touch Button#menu => Main+popup : 1
                 Main+popup touch TextView#settings => Settings : 2
                 Settings key back => Main : 3
                 Main touch Button#menu => Main+popup : 1
                 Main+popup touch TextView#settings => Settings : 2
                 Settings key back => Main : 3
                 Main touch Button#crash => !";
    let recorded = sequence(round);
    let all: Vec<usize> = (0..recorded.events.len()).collect();
    assert_eq!(duplicate(&recorded, &all, Similarity::default()).map(|kept| kept.len()), Some(4));
    // Help is seen only within the loop, so that the loop stays.
    let detour = "A touch Button#b => B : 1
                  B key back => A : 2
                  A touch Button#help => Help : 3
                  Help key back => A : 4
                  A touch Button#b => B : 1
                  B touch Button#crash => !";
    let recorded = sequence(detour);
    assert_eq!(
        duplicate(&recorded, &[0, 1, 2, 3, 4, 5], Similarity::default()),
        Some(vec![0, 1, 2, 3, 4, 5])
    );
}

#[test]
fn theta_says_how_similar_the_methods_of_two_transitions_must_be() {
    let text = "A touch Button#one => B : 1 2 3 4
                B key back => A : 9
                A touch Button#two => B : 1 2 3 5
                B touch Button#crash => !";
    let recorded = sequence(text);
    let kept = |theta| duplicate(&recorded, &[0, 1, 2, 3], Similarity { theta }).map(|kept| kept.len());
    assert_eq!(kept(0.7), Some(2), "three of four methods are the same");
    assert_eq!(kept(0.8), Some(4));
}

#[test]
fn similarity_is_the_share_of_methods_in_common() {
    let methods = |ids: &[u32]| ids.iter().map(|&id| BranchId(id)).collect::<Vec<_>>();
    let similarity = |a: &[u32], b: &[u32]| similarity(&methods(a), &methods(b));
    assert!((similarity(&[1, 2], &[2, 1]) - 1.0).abs() < 1e-9);
    assert!((similarity(&[1, 1, 2], &[1, 3]) - 0.4).abs() < 1e-9);
    assert!((similarity(&[], &[]) - 1.0).abs() < 1e-9);
    assert!(similarity(&[1], &[]) < 1e-9);
}

#[test]
fn texts_that_differ_are_different_events() {
    let text = "A text EditText#e one => A/2 : 1
                A/2 touch Button#x => A/2 : 2
                A/2 text EditText#e two => A/3 : 1
                A/3 touch Button#crash => !";
    assert_eq!(key_events(text).duplicate, Some(vec![0, 1, 2, 3]));
}

#[test]
fn without_windows_there_is_no_short_and_no_duplicate() {
    let mut recorded = sequence("A touch Button#b => B");
    recorded.events[0].source.window = None;
    let found = KeyEvents::of(&recorded, &Rules::default(), Similarity::default());
    assert_eq!((&found.tree, &found.short, &found.duplicate), (&None, &None, &None));
    assert_eq!(found.likely(), [0]);
    let empty = KeyEvents::of(&UserSequence::default(), &Rules::default(), Similarity::default());
    assert_eq!((empty.short, empty.duplicate), (None, None));
}

proptest! {
    #[test]
    fn duplicate_always_leaves_a_way_through_the_windows_to_the_last_event(
        visits in prop::collection::vec((0..4_usize, 0..3_u8, 0..2_u32), 1..60),
    ) {
        let lines: Vec<String> = visits
            .iter()
            .enumerate()
            .map(|(at, (window, button, method))| {
                let next = visits.get(at + 1).map_or_else(|| "!".to_owned(), |(next, ..)| format!("W{next}"));
                format!("W{window} touch Button#b{button} => {next} : {method}")
            })
            .collect();
        let recorded = sequence(&lines.join("\n"));
        let all: Vec<usize> = (0..recorded.events.len()).collect();
        let kept = duplicate(&recorded, &all, Similarity::default()).expect("windows");
        prop_assert_eq!(kept.last(), all.last());
        prop_assert_eq!(visits[kept[0]].0, visits[0].0);
        for pair in kept.windows(2) {
            // Where an event leads, the next one is made. The last event is the crash.
            let leads = visits.get(pair[0] + 1).map(|next| next.0);
            prop_assert_eq!(leads, Some(visits[pair[1]].0), "{:?} then {:?}", pair[0], pair[1]);
        }
        let mut sorted = kept.clone();
        sorted.sort_unstable();
        sorted.dedup();
        prop_assert_eq!(sorted.len(), kept.len());
    }
}
