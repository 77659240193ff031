//! How much memory a state takes.

use rhai::Dynamic;
use rustc_hash::FxHashSet;

use super::super::state::{Instance, Layer, Pending, State};

/// The long texts that were already counted: states share them as long as no script changes them.
pub(super) type Weight = FxHashSet<usize>;

/// Shorter texts than this are counted wherever they are.
const SHARED: usize = 64;
/// What an allocation takes beside what is asked for, counters of its users included.
const ALLOCATION: usize = 32;

/// The bytes that a state takes, without the long texts that were counted before.
pub(super) fn weight(state: &State, counted: &mut Weight) -> usize {
    let globals = values(&state.globals, counted);
    let stack: usize = state.stack.iter().map(|instance| of_instance(instance, counted)).sum();
    let pending: usize = state.pending.iter().map(|pending| of_pending(pending, counted)).sum();
    let permissions = state.permissions.len() * 24;
    let toast = state.toast.as_ref().map_or(0, |toast| toast.text.len());
    size_of::<State>() + 4 * ALLOCATION + globals + stack + pending + permissions + toast
}

fn of_instance(instance: &Instance, counted: &mut Weight) -> usize {
    let extras: usize = instance.extras.iter().map(|(_, value)| 8 + of_value(value, counted)).sum();
    size_of::<Instance>()
        + 5 * ALLOCATION
        + values(&instance.locals, counted)
        + extras
        + instance.layers.len() * size_of::<Layer>()
        + instance.scrolls.len() * 8
        + instance.ticks.len() * 8
}

fn of_pending(pending: &Pending, counted: &mut Weight) -> usize {
    let values = [&pending.row, &pending.index, &pending.value];
    size_of::<Pending>() + values.into_iter().map(|value| inside(value, counted)).sum::<usize>()
}

fn values(values: &[Dynamic], counted: &mut Weight) -> usize {
    values.iter().map(|value| of_value(value, counted)).sum()
}

fn of_value(value: &Dynamic, counted: &mut Weight) -> usize {
    size_of::<Dynamic>() + inside(value, counted)
}

/// What a value holds elsewhere.
fn inside(value: &Dynamic, counted: &mut Weight) -> usize {
    // A node of a map has room for eleven names and values.
    const NODE: usize = 11 * (24 + size_of::<Dynamic>()) + ALLOCATION;
    if let Ok(text) = value.as_immutable_string_ref() {
        let length = text.len();
        if length < SHARED {
            return ALLOCATION + 24 + length;
        }
        let new = counted.insert(text.as_ptr() as usize);
        if new { 2 * ALLOCATION + 24 + length } else { 0 }
    } else if let Ok(items) = value.as_array_ref() {
        ALLOCATION
            + items.capacity() * size_of::<Dynamic>()
            + items.iter().map(|item| inside(item, counted)).sum::<usize>()
    } else if let Ok(fields) = value.as_map_ref() {
        let held = fields.iter().map(|(name, field)| name.len() + inside(field, counted)).sum::<usize>();
        ALLOCATION + fields.len().div_ceil(6) * NODE + held
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_counts_with_its_length_and_only_once() {
        let text: Dynamic = "a".repeat(30_000).into();
        let other: Dynamic = "b".repeat(10_000).into();
        let mut counted = Weight::default();
        let first = of_value(&text, &mut counted);
        assert!((30_000..31_000).contains(&first), "{first}");
        assert_eq!(of_value(&text.clone(), &mut counted), size_of::<Dynamic>());
        let list: Dynamic = vec![text, other].into();
        let list = of_value(&list, &mut counted);
        assert!((10_000..11_000).contains(&list), "{list}");
    }

    #[test]
    fn everything_in_a_map_counts() {
        let mut map = rhai::Map::new();
        map.insert("about".into(), "x".repeat(5_000).into());
        map.insert("lines".into(), vec![Dynamic::from("y".repeat(4_000))].into());
        let weight = of_value(&map.into(), &mut Weight::default());
        assert!((9_000..10_500).contains(&weight), "{weight}");
    }
}
