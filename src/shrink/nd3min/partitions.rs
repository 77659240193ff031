//! The lists that ND3MIN tries (section 3, Figure 2): contiguous parts of a trace and their complements.
//!
//! The paper's parts are of `len / k` events each, which loses the rest of the division; here the parts together are the
//! whole trace.

use crate::shrink::arena::EventIx;
use crate::shrink::list::equal_parts;

/// `T_i`: the trace in `parts` contiguous parts, as equal as can be.
pub fn parts(trace: &[EventIx], parts: usize) -> Vec<Vec<EventIx>> {
    bounds(trace, parts).windows(2).map(|ends| trace[ends[0]..ends[1]].to_vec()).collect()
}

/// `T \ T_i`: what is left without each of the parts.
pub fn complements(trace: &[EventIx], parts: usize) -> Vec<Vec<EventIx>> {
    let left = |ends: &[usize]| [&trace[..ends[0]], &trace[ends[1]..]].concat();
    bounds(trace, parts).windows(2).map(left).collect()
}

fn bounds(trace: &[EventIx], parts: usize) -> Vec<usize> {
    equal_parts(trace.len(), parts.clamp(1, trace.len().max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn no_event_is_ever_lost(len in 1_u32..300, count in 1_usize..40) {
            let trace: Vec<EventIx> = (0..len).collect();
            let pieces = parts(&trace, count);
            proptest::prop_assert_eq!(pieces.concat(), trace.clone());
            proptest::prop_assert!(pieces.iter().all(|part| !part.is_empty()));
            for (part, rest) in pieces.iter().zip(complements(&trace, count)) {
                let mut both = [part.as_slice(), &rest].concat();
                both.sort_unstable();
                proptest::prop_assert_eq!(&both, &trace);
            }
        }
    }

    #[test]
    fn of_two_parts_each_is_the_complement_of_the_other() {
        let trace = [0, 1, 2, 3, 4];
        assert_eq!(parts(&trace, 2), [vec![0, 1], vec![2, 3, 4]]);
        assert_eq!(complements(&trace, 2), [vec![2, 3, 4], vec![0, 1]]);
    }
}
