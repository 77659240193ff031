//! What is made of a spliced suite: the same coverage for fewer steps.

use siamang::suite::{Recorded, path};

use crate::table::{Table, reduced};

/// Event 1 leads from each state to the next, 2 from the first to the last, 3 from each to the one before. One trace that goes
/// up and down again covers everything; that what it goes up for is had for one step each shows only by counting steps.
#[test]
fn a_trace_that_covers_everything_gives_way_to_two_that_cost_less() {
    const LAST: u64 = 5;
    let (mut app, only, top, bottom) = (Table::default(), 10, 11, 12);
    for state in 0..LAST {
        app.next.extend([((state, 1), state + 1), ((state + 1, 3), state)]);
    }
    app.next.insert((0, 2), LAST);
    app.branches.extend([((0, 1), only), ((LAST - 1, 1), top), ((0, 2), top), ((2, 3), bottom)]);
    let recorded: Vec<Recorded> =
        [&[1, 1, 1, 1, 1][..], &[2, 3, 3, 3, 3]].iter().map(|events| app.record(events)).collect();
    let reduction = reduced(&mut app, &recorded);
    assert_eq!(path::cost(&reduction.without_splicing), (10, 2));
    assert_eq!(path::cost(&reduction.suite), (6, 2), "one step up, and the whole way down");
}

/// Four places behind the same long way, with a way back from each: no trace of three fragments sees all of them, but one that
/// replays is a fragment of the next.
#[test]
fn a_way_that_more_traces_share_than_there_are_fragments_is_gone_once() {
    let mut app = Table::default();
    app.next.extend((0..4).map(|state| ((state, 1), state + 1)));
    app.next.extend((5..9).flat_map(|place| [((4, place), u64::from(place)), ((u64::from(place), 9), 4)]));
    let recorded: Vec<Recorded> = (5..9).map(|place| app.record(&[1, 1, 1, 1, place, 9])).collect();
    let reduction = reduced(&mut app, &recorded);
    assert_eq!(path::cost(&reduction.suite), (11, 1));
}
