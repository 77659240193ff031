//! The canonical form of a state: equal for states that behave alike.
//!
//! Time is relative to now, ids of activities are positions on the stack, toasts are left out because they take no touch,
//! and of the variables only those in the slice are in it.

use rhai::Dynamic;
use xxhash_rust::xxh3::xxh3_128;

use super::super::app::App;
use super::super::state::{Instance, Layer, Pending, State};
use super::slice::Slice;
use crate::gui::Point;

/// The hash of a state's canonical form. It is long enough that two states never share one by accident.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key(u128);

/// Makes keys; the buffer is reused.
#[derive(Debug, Default)]
pub(super) struct Keys {
    bytes: Vec<u8>,
}

impl Keys {
    /// The key of a state.
    pub(super) fn key(&mut self, app: &App, slice: &Slice, state: &State) -> Key {
        let bytes = &mut self.bytes;
        bytes.clear();
        bytes.push(u8::from(state.running) | u8::from(state.at_home) << 1 | u8::from(state.landscape) << 2);
        write_values(bytes, &state.globals, &slice.globals);
        for permission in &state.permissions {
            write_text(bytes, permission);
        }
        write_number(bytes, state.stack.len() as u32);
        for instance in &state.stack {
            write_instance(bytes, app, slice, state.now, instance);
        }
        if slice.timed {
            for pending in &state.pending {
                write_pending(bytes, slice, state, pending);
            }
        }
        Key(xxh3_128(bytes))
    }
}

fn write_instance(bytes: &mut Vec<u8>, app: &App, slice: &Slice, now: u64, instance: &Instance) {
    let activity = instance.activity.0;
    write_number(bytes, activity);
    bytes.push(
        u8::from(instance.landscape)
            | u8::from(instance.stale) << 1
            | u8::from(instance.keyboard) << 2
            | u8::from(instance.resumed) << 3,
    );
    // A field that has the focus only matters to Enter.
    let focus = instance.focus.filter(|field| !app.widget(*field).submit.is_empty());
    write_number(bytes, focus.map_or(0, |field| field.0 + 1));
    write_number(bytes, instance.layers.len() as u32);
    for layer in &instance.layers {
        write_layer(bytes, *layer);
    }
    for (widget, offset) in &instance.scrolls {
        if slice.scrolls[widget.0 as usize] {
            write_number(bytes, widget.0);
            write_number(bytes, *offset as u32);
        }
    }
    bytes.push(0xff);
    let matter = &slice.locals[activity as usize];
    write_values(bytes, &instance.locals, matter);
    let lost = app.activity(instance.activity).lost_count;
    for (variable, value) in &instance.extras {
        if usize::from(*variable) < lost && matter[usize::from(*variable)] {
            write_number(bytes, u32::from(*variable));
            write_value(bytes, value);
        }
    }
    bytes.push(0xfe);
    if slice.timed {
        for due in &instance.ticks {
            bytes.extend_from_slice(&due.saturating_sub(now).to_le_bytes());
        }
    }
}

fn write_layer(bytes: &mut Vec<u8>, layer: Layer) {
    let none = Point::default();
    let (kind, number, point) = match layer {
        Layer::Dialog(ix) => (0, ix, none),
        Layer::Popup(ix, point) => (1, ix, point),
        Layer::Menu => (2, 0, none),
        Layer::Choices(ix, point) => (3, ix.0, point),
        Layer::Permission(ix) => (4, ix, none),
    };
    bytes.push(kind);
    write_number(bytes, number);
    write_number(bytes, point.x as u32);
    write_number(bytes, point.y as u32);
}

/// What is due changes how long the phone settles, so that it counts even if what it does then does not matter.
fn write_pending(bytes: &mut Vec<u8>, slice: &Slice, state: &State, pending: &Pending) {
    bytes.extend_from_slice(&pending.due.saturating_sub(state.now).to_le_bytes());
    let position = state.position(pending.instance);
    let Some(position) = position.filter(|_| slice.rules[pending.rule.0 as usize]) else {
        bytes.push(0);
        return;
    };
    bytes.push(1);
    write_number(bytes, position as u32);
    write_number(bytes, pending.rule.0);
    let activity = state.stack[position].activity.0 as usize;
    if slice.rows[activity] {
        write_value(bytes, &pending.row);
        write_value(bytes, &pending.index);
    }
    if slice.values[activity] {
        write_value(bytes, &pending.value);
    }
}

fn write_values(bytes: &mut Vec<u8>, values: &[Dynamic], matter: &[bool]) {
    for (value, _) in values.iter().zip(matter).filter(|(_, matters)| **matters) {
        write_value(bytes, value);
    }
}

fn write_number(bytes: &mut Vec<u8>, number: u32) {
    bytes.extend_from_slice(&number.to_le_bytes());
}

fn write_text(bytes: &mut Vec<u8>, text: &str) {
    write_number(bytes, text.len() as u32);
    bytes.extend_from_slice(text.as_bytes());
}

fn write_value(bytes: &mut Vec<u8>, value: &Dynamic) {
    if value.is_unit() {
        bytes.push(0);
    } else if let Ok(flag) = value.as_bool() {
        bytes.push(1 + u8::from(flag));
    } else if let Ok(number) = value.as_int() {
        bytes.push(3);
        bytes.extend_from_slice(&number.to_le_bytes());
    } else if let Ok(text) = value.as_immutable_string_ref() {
        bytes.push(4);
        write_text(bytes, &text);
    } else if let Ok(items) = value.as_array_ref() {
        bytes.push(5);
        write_number(bytes, items.len() as u32);
        for item in items.iter() {
            write_value(bytes, item);
        }
    } else if let Ok(fields) = value.as_map_ref() {
        bytes.push(6);
        write_number(bytes, fields.len() as u32);
        for (name, field) in fields.iter() {
            write_text(bytes, name);
            write_value(bytes, field);
        }
    } else {
        bytes.push(7);
        write_text(bytes, &format!("{value:?}"));
    }
}
