//! DetReduce: the paper's examples by number, what must hold for every suite, and the commands.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on may panic")]

#[path = "suite/commands.rs"]
mod commands;
mod support;
#[path = "suite/table.rs"]
mod table;
#[path = "suite/tightening.rs"]
mod tightening;
#[path = "support/walks.rs"]
mod walks;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use siamang::abstraction::StateKey;
use siamang::abstraction::registry::find;
use siamang::action::{Input, Key, Wait};
use siamang::campaign::regression::Traces;
use siamang::device::virtual_device::compile;
use siamang::device::{AnyDevice, Reset, VirtualDevice};
use siamang::oracle::Signature;
use siamang::seed::Seed;
use siamang::suite::coverage::Item;
use siamang::suite::{Config, EventIx, Executor, Recorded, Reduction, Stopped, path, reduce};
use siamang::target::Subject;
use siamang::trace::{Trace, TraceEvent};
use support::hand::{Hand, source};
use table::{Table, events, reduced};

/// The commands of a model, run by hand: a key or the label of a widget.
fn trace(model: &str, labels: &[&str]) -> Trace {
    let mut hand = Hand::file(model);
    let mut events = Vec::new();
    for &label in labels {
        let (input, target) = if label == "MENU" {
            (Input::Key(Key::Menu), None)
        } else {
            let selector = siamang::gui::Selector::of(&hand.seen.tree, hand.node(label));
            (Input::Tap(hand.center(label)), Some(selector))
        };
        hand.step(input.clone());
        events.push(TraceEvent { input, wait: Wait::Settle, target, before: None, after: None, rules: None });
    }
    let (package, app_hash, target, device) = Default::default();
    let (format, start) = (Trace::FORMAT, Reset::Clean);
    Trace { format, package, app_hash, target, device, start, first: None, failure: None, events }
}

/// Reduces one trace of a model on the virtual device.
fn reduced_on_device(model: &str, labels: &[&str]) -> (Reduction, usize) {
    let app = Arc::new(compile::load(&source(model)).unwrap_or_else(|errors| panic!("{errors:?}")));
    let device = AnyDevice::Virtual(Box::new(VirtualDevice::new(app, Seed(1))));
    let over = || false;
    let mut traces = Traces::new(device, find("swifthand").unwrap(), u64::MAX, &over).unwrap();
    let recorded = traces.visited(&trace(model, labels)).unwrap().expect("it can be run");
    let length = recorded.events.len();
    (reduced(&mut traces, &[recorded]), length)
}

#[test]
fn example_2_1_a_loop_that_covers_nothing_goes() {
    let (reduction, length) = reduced_on_device("menu_loop", &["MENU", "MENU", "MENU", "Option"]);
    assert_eq!(length, 4);
    assert_eq!(path::cost(&reduction.suite), (2, 1));
}

#[test]
fn example_2_2_a_loop_that_covers_something_stays() {
    let (reduction, _) = reduced_on_device("menu_loop_covered", &["MENU", "MENU", "MENU", "Option"]);
    assert_eq!(path::cost(&reduction.suite), (4, 1));
}

#[test]
fn where_none_of_the_shortest_ways_replays_one_loop_alone_can_still_go() {
    // Eight loops that look alike, seven of which must have been gone through before the last event does what it did.
    let mut app = Table::default();
    for done in 0..8_u64 {
        app.next.extend((0..8).map(|lap| ((done, lap), done + 1)));
    }
    app.seen.extend((0..=8).map(|done| (done, 0)));
    for done in 0..=8 {
        app.next.insert((done, 99), if done >= 7 { 100 } else { 101 });
        app.branches.insert((done, 99), 5);
    }
    let recorded = app.record(&[0, 1, 2, 3, 4, 5, 6, 7, 99]);
    let reduction = reduced(&mut app, &[recorded]);
    let [left] = &events(&reduction)[..] else { panic!("{reduction:?}") };
    assert_eq!((left.len(), left.last()), (8, Some(&99)), "{left:?}");
}

#[test]
fn example_2_3_a_loop_stays_if_the_trace_does_not_replay_without_it() {
    let (reduction, _) = reduced_on_device("file_browser", &["foo", "foo", "foo"]);
    assert_eq!(path::cost(&reduction.suite), (3, 1));
    assert!(reduction.counts.rejected >= 1, "only a replay can tell: {:?}", reduction.counts);
    assert_eq!(reduction.counts.rejected, reduction.counts.rejected_at_once);
}

/// The last event of the second trace leads to where the first one was: no loop, and nothing that is needed.
#[test]
fn an_end_that_covers_nothing_goes_with_the_loops() {
    let mut app = Table::default();
    app.next.extend([((0, 1), 1), ((0, 2), 2), ((2, 3), 1)]);
    let recorded: Vec<Recorded> = [&[1][..], &[2, 3]].iter().map(|events| app.record(events)).collect();
    let reduction = reduced(&mut app, &recorded);
    assert_eq!(path::cost(&reduction.without_splicing), (2, 2));
    assert_eq!(reduction.counts.kept, 2, "the beginning of a trace that replays is not run again");
}

/// Events a to f are 1 to 6; states 0 to 5.
#[test]
fn example_2_4_three_traces_are_spliced_into_one() {
    let mut app = Table::default();
    for (from, event, to) in [(0, 1, 1), (1, 2, 2), (2, 3, 3), (3, 4, 4), (1, 4, 4), (4, 5, 2), (3, 6, 5)] {
        app.next.insert((from, event), to);
        app.branches.insert((from, event), event);
    }
    let recorded: Vec<Recorded> = [&[1, 2, 3, 4][..], &[1, 4, 5, 3, 4], &[1, 2, 3, 6]]
        .iter()
        .map(|events| app.record(events))
        .collect();
    let reduction = reduced(&mut app, &recorded);
    let row = |name: &str| reduction.phases.iter().find(|phase| phase.name == name).unwrap();
    assert_eq!((row("recorded").actions, row("recorded").traces), (13, 3));
    assert_eq!(events(&reduction), [[1, 2, 3, 4, 5, 3, 6]]);
    assert_eq!(path::cost(&reduction.suite), (7, 1));
    assert_eq!(row("spliced").branches, row("recorded").branches);
}

#[test]
fn a_trace_that_does_not_replay_is_cut_and_the_loss_is_told() {
    let mut app = Table::default();
    app.next.extend([((0, 1), 1), ((1, 1), 2), ((2, 1), 3)]);
    let mut recorded = app.record(&[1, 1, 1]);
    recorded.states[3] = StateKey(9);
    let mut strange = app.record(&[1]);
    strange.states[0] = StateKey(8);
    let reduction = reduced(&mut app, &[recorded, strange]);
    assert_eq!(events(&reduction), [[1, 1]]);
    assert_eq!((reduction.loss.traces, reduction.loss.cut, reduction.loss.events), (1, 1, 2));
    assert_eq!(reduction.loss.items, 2, "the states 8 and 9 were never there again");
}

/// What a trace needs from before its warm start is kept by the whole since the clean start.
#[test]
fn a_trace_that_needs_what_came_before_is_kept_with_it() {
    let mut app = Table::default();
    // Event 1 stores something, 7 restarts; only then event 2 leads to state 3.
    app.next.extend([((0, 1), 1), ((1, 7), 10), ((10, 2), 3), ((0, 2), 4)]);
    app.seen.insert(10, 0);
    let first = app.record(&[1]);
    let whole = Arc::new(app.record(&[1, 7, 2]));
    let (states, items) = (vec![StateKey(0), StateKey(3)], Vec::new());
    let warm = Recorded { events: vec![2], states, items, whole: Some(whole) };
    let reduction = reduced(&mut app, &[first, warm]);
    assert_eq!(events(&reduction), [[1, 7, 2]]);
    assert_eq!(reduction.loss.events, 0);
}

/// A launch that needs what came before it is kept with it, whether it leads elsewhere or only fails.
#[test]
fn a_launch_that_needs_what_came_before_is_kept_with_it() {
    let mut app = Table::default();
    // Event 1 stores something, 7 restarts, and then the launch fails.
    app.next.extend([((0, 1), 1), ((1, 7), 10)]);
    let wrong = Signature("java E".to_owned());
    app.failures.insert((1, 7), wrong.clone());
    for seen in [10, 0] {
        app.seen.insert(10, seen);
        let first = app.record(&[1]);
        let whole = Arc::new(app.record(&[1, 7]));
        let items = vec![Item::Failure(wrong.clone())];
        let warm = Recorded { events: Vec::new(), states: vec![StateKey(seen)], items, whole: Some(whole) };
        let reduction = reduced(&mut app, &[first, warm]);
        assert_eq!(events(&reduction), [[1, 7]], "where the failing launch looks like state {seen}");
        assert!(reduction.loss.failures.is_empty() && reduction.loss.traces == 0, "{:?}", reduction.loss);
    }
}

/// State 2 looks like state 1, and event 3 does something else there: leaving out event 2 makes another trace's beginning
/// of it, which is known to replay, and does not cover the same.
#[test]
fn a_beginning_that_is_known_to_replay_covers_what_it_covered_and_no_more() {
    let mut app = Table::default();
    app.next.extend([((0, 1), 1), ((1, 2), 2), ((1, 3), 3), ((2, 3), 3)]);
    app.branches.extend([((0, 1), 1), ((1, 2), 7), ((1, 3), 5), ((2, 3), 6)]);
    app.seen.insert(2, 1);
    let recorded: Vec<Recorded> =
        [&[1, 3][..], &[1, 2], &[1, 2, 3]].iter().map(|events| app.record(events)).collect();
    let reduction =
        reduce(&mut app, &recorded, &Config { fragments: 1, ..Config::default() }, &mut |_, _| {});
    let suite = events(&reduction);
    assert!(suite.contains(&vec![1, 2, 3]), "only this one covers branch 6: {suite:?}");
}

#[test]
fn an_interrupted_reduction_keeps_what_is_there() {
    let mut whole = Table::default();
    for state in 0..6 {
        whole.next.extend([((state, 1), (state + 1) % 6), ((state, 2), state)]);
        whole.branches.extend([((state, 1), state as u32), ((state, 2), 10 + state as u32)]);
    }
    let recorded: Vec<Recorded> =
        (0..6).map(|n| whole.record(&[vec![1; n], vec![2, 2, 1, 1]].concat())).collect();
    let full = reduced(&mut whole, &recorded);
    let all = full.phases[1].clone();
    for left in 60..whole.executions {
        let mut app =
            Table { next: whole.next.clone(), branches: whole.branches.clone(), ..Table::default() };
        app.left = Some(left);
        let reduction = reduced(&mut app, &recorded);
        assert_eq!(reduction.stopped, Some(Stopped::Ended));
        let last = reduction.phases.last().unwrap();
        assert_eq!((last.branches, last.screens), (all.branches, all.screens), "after {left} executions");
    }
    assert_eq!(full.stopped, None);
}

/// Searches that run nothing ask, too: whoever wants an end gets it soon, with what is there.
#[test]
fn a_search_that_runs_nothing_ends_when_it_is_over() {
    let mut app = Table::default();
    for state in 0..40 {
        app.next.extend([
            ((state, 1), (state + 1) % 40),
            ((state, 2), state * 7 % 40),
            ((state, 3), state / 2),
        ]);
        app.branches.extend([((state, 2), state as u32)]);
    }
    let walk = |seed: u64| {
        let event = move |at: u64| (Seed(seed).nth(at).0 % 3 + 1) as EventIx;
        (0..3_000).map(event).collect::<Vec<_>>()
    };
    let recorded: Vec<Recorded> = (0..4).map(|seed| app.record(&walk(seed))).collect();
    for asks in [10, 1_000, 20_000] {
        (app.asks, app.asked) = (Some(asks), Cell::new(0));
        let config = Config { repeats: 1, ..Config::default() };
        let reduction = reduce(&mut app, &recorded, &config, &mut |_, _| {});
        assert_eq!(reduction.stopped, Some(Stopped::Ended), "after {asks} questions");
        let more = app.asked.get() - asks;
        assert!(more < 20, "asked {more} times more after it was told that it is over");
        let (replayable, last) = (&reduction.phases[1], reduction.phases.last().unwrap());
        assert_eq!((last.branches, last.screens), (replayable.branches, replayable.screens));
    }
}

/// Whoever was told to end before all was done does not say that all was done.
#[test]
fn a_reduction_that_was_told_that_it_is_over_says_so() {
    let mut app = Table::default();
    for state in 0..6 {
        app.next.extend([((state, 1), (state + 1) % 6), ((state, 2), state)]);
        app.branches.extend([((state, 1), state as u32), ((state, 2), 10 + state as u32)]);
    }
    let recorded: Vec<Recorded> =
        (0..6).map(|n| app.record(&[vec![1; n], vec![2, 2, 1, 1]].concat())).collect();
    for fragments in [1, 3] {
        let config = Config { repeats: 1, fragments, ..Config::default() };
        (app.asks, app.asked) = (None, Cell::new(0));
        assert_eq!(reduce(&mut app, &recorded, &config, &mut |_, _| {}).stopped, None);
        let all = app.asked.get();
        for asks in 0..all {
            (app.asks, app.asked) = (Some(asks), Cell::new(0));
            let stopped = reduce(&mut app, &recorded, &config, &mut |_, _| {}).stopped;
            assert_eq!(
                stopped,
                Some(Stopped::Ended),
                "{fragments} fragments, after {asks} of {all} questions"
            );
        }
    }
}

/// One branch is seen only along the one long way to where it is, and more short ways lead to what looks the same than a search
/// keeps: none of them covers it, and each is tried once.
#[test]
fn joining_ends_where_all_that_a_search_finds_was_refused() {
    const WAYS: u32 = 17;
    let mut app = Table::default();
    let (long, last) = ([300, 301, 302], 200);
    app.next.extend([((0, 300), 20), ((20, 301), 21), ((21, 302), 22), ((22, last), 3), ((2, last), 3)]);
    // What is seen on the long way is seen elsewhere, too.
    app.seen.extend([(20, 40), (21, 41), (22, 2)]);
    app.branches.insert((22, last), 1);
    let elsewhere: Vec<EventIx> = (400..412).collect();
    for (state, &event) in (40..).zip(&elsewhere) {
        let from = if event == 400 { 0 } else { state - 1 };
        app.next.insert((from, event), if event == 411 { 3 } else { state });
    }
    for way in 0..WAYS {
        app.next.extend([((0, way), 1), ((1, 100 + way), 2)]);
        app.branches.extend([((0, way), 10 + way), ((1, 100 + way), 100 + way)]);
    }
    let mut recorded = vec![app.record(&elsewhere)];
    recorded.extend((0..WAYS).map(|way| app.record(&[way, 100 + way])));
    recorded.push(app.record(&[&long[..], &[last]].concat()));
    // Whoever goes on for ever is told to stop.
    app.asks = Some(20_000);
    let reduction = reduce(&mut app, &recorded, &Config { repeats: 1, ..Config::default() }, &mut |_, _| {});
    let asked = app.asked.get();
    assert!(
        reduction.stopped.is_none() && asked < 20_000,
        "asked {asked} times, {} executions",
        app.executions
    );
    let (replayable, end) = (&reduction.phases[1], reduction.phases.last().unwrap());
    assert_eq!((end.branches, end.screens), (replayable.branches, replayable.screens));
    assert!(events(&reduction).contains(&[&long[..], &[last]].concat()), "{:?}", events(&reduction));
}

/// A trace may be longer than the stack is deep.
#[test]
fn a_trace_of_many_steps_is_searched_for_fragments() {
    const LENGTH: u64 = 20_000;
    let mut app = Table::default();
    for state in 0..LENGTH {
        app.next.insert((state, 1), state + 1);
        app.seen.insert(state, state);
        if state.is_multiple_of(1_000) {
            app.branches.insert((state, 1), state as u32);
        }
    }
    let recorded = app.record(&vec![1; LENGTH as usize]);
    let config = Config { repeats: 1, ..Config::default() };
    let reduction = reduce(&mut app, &[recorded], &config, &mut |_, _| {});
    assert_eq!(path::cost(&reduction.suite), (LENGTH as usize, 1));
}

#[test]
fn what_is_not_tried_before_the_end_counts_as_lost() {
    let mut app = Table::default();
    app.next.extend((0..9).map(|state| ((state, 1), state + 1)));
    let recorded: Vec<Recorded> = (1..9).map(|length| app.record(&vec![1; length])).collect();
    let all = path::cost(&reduced(&mut app, &recorded).replayable).0;
    for left in 0..app.executions {
        (app.left, app.executions) = (Some(left), 0);
        let reduction = reduced(&mut app, &recorded);
        let kept = path::cost(&reduction.replayable).0;
        assert_eq!(kept + reduction.loss.events, all, "after {left} executions");
        assert_eq!(reduction.replayable.len() + reduction.loss.traces, recorded.len());
    }
}

proptest::proptest! {
    /// Apps with hidden state, seen through a coarse abstraction: splices and shortcuts often fail.
    #[test]
    fn a_suite_covers_what_the_replayable_traces_cover_and_replays(
        edges in proptest::collection::vec((0_u64..12, 0_u32..4, 0_u64..12, 0_u32..10), 10..50),
        seen in proptest::collection::vec(0_u64..5, 12),
        walks in proptest::collection::vec(proptest::collection::vec(0_u32..4, 1..16), 1..12),
    ) {
        let mut app = Table::default();
        for (from, event, to, branch) in edges {
            app.next.insert((from, event), to);
            app.branches.insert((from, event), branch);
        }
        app.seen = (0..12).zip(seen).collect();
        let recorded: Vec<Recorded> =
            walks.iter().map(|walk| app.record(walk)).filter(|trace| !trace.events.is_empty()).collect();
        let reduction = reduced(&mut app, &recorded);
        let phases = &reduction.phases;
        for phase in &phases[1..] {
            // What is seen is what was recorded, by the replay rule. Behind it a shorter trace may run through other hidden
            // states and cover branches that no recorded trace did, never fewer.
            proptest::prop_assert_eq!(phase.screens, phases[0].screens);
            proptest::prop_assert!(phase.branches >= phases[0].branches);
        }
        let mut items = reduction.items.clone();
        let covered = path::coverage(&reduction.suite);
        for item in recorded.iter().flat_map(|trace| trace.items.iter()) {
            proptest::prop_assert!(covered.contains(items.number(item.clone())), "{item:?} is lost");
        }
        for pair in phases.windows(2) {
            proptest::prop_assert!((pair[1].actions, pair[1].traces) <= (pair[0].actions, pair[0].traces));
        }
        proptest::prop_assert_eq!(reduction.loss.events, 0);
        let mut shown = BTreeSet::new();
        for path in &reduction.suite {
            let (events, states): (Vec<_>, Vec<_>) = path.edges().unzip();
            let states: Vec<StateKey> = [path.start].into_iter().chain(states).collect();
            let did = app.run(&events, &states).unwrap();
            let visited: Vec<StateKey> = did.iter().map(|did| did.state).collect();
            proptest::prop_assert_eq!(visited, states);
            shown.extend(did.into_iter().flat_map(|did| did.items));
        }
        // Not what the suite claims to cover: what it covers when it is run once more.
        for item in recorded.iter().flat_map(|trace| trace.items.iter()) {
            proptest::prop_assert!(shown.contains(item), "{item:?} is not covered by the suite that is run");
        }
        let counts = reduction.counts;
        proptest::prop_assert!(counts.executions <= 10 * counts.kept + counts.rejected);
    }
}

proptest::proptest! {
    /// Where nothing is hidden, equal states do equal things: the coverage is unchanged in every phase.
    #[test]
    fn on_an_app_that_hides_nothing_every_phase_covers_exactly_what_was_recorded(
        edges in proptest::collection::vec((0_u64..12, 0_u32..4, 0_u64..12, 0_u32..10), 10..50),
        walks in proptest::collection::vec(proptest::collection::vec(0_u32..4, 1..16), 1..12),
    ) {
        let mut app = Table::default();
        for (from, event, to, branch) in edges {
            app.next.insert((from, event), to);
            app.branches.insert((from, event), branch);
        }
        let recorded: Vec<Recorded> =
            walks.iter().map(|walk| app.record(walk)).filter(|trace| !trace.events.is_empty()).collect();
        let reduction = reduced(&mut app, &recorded);
        for phase in &reduction.phases {
            let first = &reduction.phases[0];
            proptest::prop_assert_eq!((phase.branches, phase.screens), (first.branches, first.screens));
        }
        proptest::prop_assert_eq!(reduction.counts.rejected, 0, "every candidate replays");
    }
}

/// The first app of the benchmark, with as many traces as in the paper.
#[test]
fn splicing_leaves_at_most_two_thirds_of_what_loops_leave_and_executions_keep_to_their_bound() {
    const TRACES: u64 = 800;
    let target = siamang::target::Target::parse("generated:plain?screens=30&crashes=3&seed=1").unwrap();
    let app = target.load().unwrap();
    let device = AnyDevice::Virtual(Box::new(VirtualDevice::new(Arc::clone(&app), Seed(1).named("suite"))));
    let over = || false;
    let mut traces = Traces::new(device, find("swifthand").unwrap(), u64::MAX, &over).unwrap();
    let walks = walks::walks(&Subject::Model(Arc::clone(&app)), 1, TRACES);
    let recorded: Vec<Recorded> = walks.iter().filter_map(|trace| traces.visited(trace).unwrap()).collect();
    let reduction = reduced(&mut traces, &recorded);
    let phase = |name: &str| reduction.phases.iter().find(|phase| phase.name == name).unwrap();
    let (replayable, loops, spliced) = (phase("replayable"), phase("no redundant loops"), phase("spliced"));
    let covered = |phase: &siamang::suite::Phase| (phase.branches, phase.screens, phase.failures);
    assert_eq!(covered(spliced), covered(replayable));
    assert!(spliced.actions as f64 <= 0.67 * loops.actions as f64, "{loops:?} became {spliced:?}");
    let counts = reduction.counts;
    assert!(counts.executions * 10 <= 100 * counts.kept + 11 * counts.rejected, "{counts:?}");
}
