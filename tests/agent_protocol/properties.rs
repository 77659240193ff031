//! What must hold for all bytes and all messages.

use proptest::prelude::*;
use siamang::device::agent::answer::{Answer, Coverage, Hits, Shot, Stamp, StepAnswer};
use siamang::device::agent::frame::{FrameBuffer, MAX_FRAME};
use siamang::device::agent::notice::Noticed;
use siamang::device::agent::request::Request;
use siamang::device::agent::values::{Reader, Writer};
use siamang::device::agent::{Frame, Kind, Sight, WireTree};
use siamang::gui::tree::WidgetPool;

use crate::golden;
use crate::phones::wire_tree::wire_tree;
use crate::support::phone::model;

proptest! {
    #[test]
    fn numbers_and_strings_come_back(number in 0..1_u64 << 63, signed: i32, text in ".{0,40}") {
        let mut out = Writer::default();
        out.uv(number).sv(signed).str(&text);
        let bytes = out.into_bytes();
        let mut from = Reader::new(&bytes);
        prop_assert_eq!(from.uv().unwrap(), number);
        prop_assert_eq!(from.sv().unwrap(), signed);
        prop_assert_eq!(from.str().unwrap(), text);
        prop_assert!(from.rest().is_empty());
    }

    #[test]
    fn a_step_answer_comes_back(
        step: u32, hash: u64, tree in prop::option::of(prop::collection::vec(any::<u8>(), 0..50)),
        fresh in prop::option::of(prop::collection::btree_set(0..1_u64 << 40, 0..20)),
        callbacks in prop::option::of(prop::collection::vec("[a-z.]{0,9}", 0..5)),
        hits in prop::option::of(prop::collection::vec((0..64_u32, any::<i32>(), any::<u32>()), 0..9)),
    ) {
        let answer = Answer::Step(Box::new(StepAnswer {
            step: step.into(),
            hash,
            tree,
            shot: Some(Shot { format: 1, width: step, height: 1, image: vec![1, 2] }),
            coverage: fresh.map(|fresh| Coverage { source: 1, total: 7, fresh: fresh.into_iter().collect() }),
            callbacks: callbacks.map(|names| names.into_iter().map(Into::into).collect()),
            hits: hits.map(|hits| Hits { tree: 3, hits }),
            ..StepAnswer::default()
        }));
        let stamp = Stamp { last_seq: 9, uptime_ms: hash >> 1 };
        prop_assert_eq!(Answer::read(&answer.frame(8, 5, stamp)).unwrap(), (stamp, answer));
    }

    #[test]
    fn any_bytes_are_read_or_refused_and_never_more_is_held_than_came(bytes in prop::collection::vec(any::<u8>(), 0..400), kind in 1..5_u8, op: u8) {
        let mut buffer = FrameBuffer::default();
        buffer.extend(&bytes);
        while let Ok(Some(_)) = buffer.take(MAX_FRAME) {}
        let kind = match kind { 1 => Kind::Request, 2 => Kind::Ok, 3 => Kind::Error, _ => Kind::Event };
        let frame = Frame { kind, op, id: 1, payload: bytes.clone() };
        let _ = Request::read(&frame);
        let _ = Answer::read(&frame);
        let _ = Noticed::read(&frame);
        if let Ok(tree) = WireTree::read(&bytes) {
            prop_assert!(tree.nodes.len() * 9 <= bytes.len() && tree.strings.len() <= bytes.len());
        }
    }

    #[test]
    fn a_golden_tree_with_changed_bytes_is_read_or_refused(changes in prop::collection::vec((0..530_usize, any::<u8>()), 1..6), cut in 0..600_usize) {
        let mut bytes = golden("tree_ok")[25..].to_vec();
        for (at, byte) in changes {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        bytes.truncate(bytes.len().min(cut));
        let _ = Sight::read(&bytes, 1, &mut WidgetPool::default());
    }
}

#[test]
fn counts_beyond_the_payload_are_refused_before_anything_is_allocated() {
    let mut out = Writer::default();
    out.uv(1).uv(0).uv(0).u8(0).uv(1).uv(1).uv(32_768);
    let error = WireTree::read(out.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "malformed: 32768 strings in 0 bytes");
    let mut buffer = FrameBuffer::default();
    buffer.extend(&100_000_000_u32.to_be_bytes());
    assert!(buffer.take(MAX_FRAME).is_err());
}

#[test]
fn a_string_that_is_too_long_is_cut_at_a_character() {
    let mut out = Writer::default();
    out.str(&format!("a{}", "ä".repeat(40_000)));
    let bytes = out.into_bytes();
    assert_eq!(Reader::new(&bytes).str().unwrap().len(), 65_535);
}

/// What a phone cannot say of a widget: that two fingers do something to it.
#[test]
fn every_screen_of_the_notes_app_survives_the_wire_but_for_pinching() {
    use siamang::device::virtual_device::phone::{Chance, Phone};
    use siamang::gui::{ActionSet, Reach, TreeBuilder};
    use siamang::seed::Seed;
    let mut phone = Phone::new(model("notes"), Chance::Drawn(Seed(1).rng()));
    phone.launch();
    let mut pool = WidgetPool::default();
    let mut rng = Seed(5).rng();
    let mut kinds = std::collections::BTreeSet::new();
    for number in 0..600 {
        let tree = std::sync::Arc::clone(&phone.screen().tree);
        kinds.extend(tree.windows().iter().map(|window| window.kind));
        let wire = wire_tree(&tree, number, 0, u8::from(phone.state().landscape));
        let sight = Sight::read(&wire.encode(), wire.hash(), &mut pool).unwrap();
        let mut plain = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut plain, tree.activity().clone());
        let mut depths = 0;
        for (at, node) in tree.nodes().iter().enumerate() {
            if node.parent.is_none() {
                builder.window(tree.windows()[node.window as usize].clone());
                depths = 0;
            }
            while depths > node.depth {
                builder.close();
                depths -= 1;
            }
            let mut widget = (*node.widget).clone();
            widget.actions -= ActionSet::PINCH;
            assert_eq!(builder.open(widget).0 as usize, at);
            depths += 1;
        }
        let expected = builder.finish();
        assert_eq!(*sight.tree, expected, "screen {number}");
        let reach = Reach::all(&tree);
        if !phone.state().running || reach.is_empty() {
            phone.reset(siamang::device::Reset::Warm);
            continue;
        }
        let pick = reach[rng.random_range(0..reach.len())];
        phone.inject(&pick.input(&tree, "abc".into()));
        phone.wait(siamang::action::Wait::Settle);
    }
    assert!(kinds.len() >= 5, "{kinds:?}");
}
