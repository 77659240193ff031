//! The wire protocol of the agent: the golden frames, what must hold for all bytes, and a conversation.
#![cfg(feature = "agent")]
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

#[path = "agent_protocol/conversation.rs"]
mod conversation;
#[path = "support/phones/mod.rs"]
mod phones;
#[path = "agent_protocol/properties.rs"]
mod properties;
mod support;

use std::path::Path;

use siamang::device::agent::answer::Answer;
use siamang::device::agent::frame::{FrameBuffer, MAX_FRAME};
use siamang::device::agent::notice::{Notice, Noticed};
use siamang::device::agent::request::Request;
use siamang::device::agent::{Frame, Kind, Sight, Token, WireTree};
use siamang::gui::tree::WidgetPool;

fn golden(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("agent/golden").join(format!("{name}.hex"));
    let text = std::fs::read_to_string(&path).unwrap();
    text.lines()
        .filter_map(|line| line.split('#').next())
        .flat_map(str::split_whitespace)
        .map(|byte| u8::from_str_radix(byte, 16).unwrap())
        .collect()
}

fn frame(name: &str) -> Frame {
    let mut buffer = FrameBuffer::default();
    buffer.extend(&golden(name));
    let frame = buffer.take(MAX_FRAME).unwrap().unwrap();
    assert_eq!(buffer.waiting(), 0, "{name} is one frame");
    frame
}

#[test]
fn every_golden_frame_is_read_and_written_byte_for_byte() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("agent/golden");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let frame = frame(&name);
        let again = match frame.kind {
            Kind::Request => {
                let read = Request::read(&frame).unwrap();
                assert!(read.is_some() || name == "unknown_op", "{name}");
                read.map_or(frame.clone(), |(prefix, request)| request.frame(frame.id, prefix))
            }
            Kind::Ok | Kind::Error => {
                let (stamp, answer) = Answer::read(&frame).unwrap();
                answer.frame(frame.op, frame.id, stamp)
            }
            Kind::Event => Noticed::read(&frame).unwrap().frame(),
        };
        assert_eq!(again.encode(), golden(&name), "{name}");
        seen += 1;
    }
    assert!(seen >= 46, "{seen} golden frames");
}

#[test]
fn the_golden_tree_is_read_and_written_byte_for_byte_and_has_its_hash() {
    let (_, Answer::Tree { hash, tree, .. }) = Answer::read(&frame("tree_ok")).unwrap() else { panic!() };
    let wire = WireTree::read(&tree).unwrap();
    assert_eq!(wire.encode(), tree);
    assert_eq!(wire.hash(), hash);
}

#[test]
fn the_golden_tree_is_seen_as_a_person_sees_it() {
    let (_, Answer::Step(step)) = Answer::read(&frame("step_ok")).unwrap() else { panic!() };
    let sight = Sight::read(step.tree.as_deref().unwrap(), step.hash, &mut WidgetPool::default()).unwrap();
    insta::assert_snapshot!(siamang::gui::print::print(&sight.tree, siamang::gui::print::PrintStyle::plain()), @r#"
    activity com.example.notes.Main
    dialog "Delete note?" focused modal [100,400][980,1200] layer 2
    └─ FrameLayout [100,400][980,1200]
       ├─ TextView "Delete “Café” 🙈?" [140,440][940,700]
       └─ Button #ok "OK" {tap} [700,1000][940,1160]
    window [0,0][1080,1920] layer 1
    └─ FrameLayout [0,0][1080,1920]
       ├─ EditText #pin "••••••" hint "PIN" focused password {type} [0,100][1080,220]
       └─ ListView (All notes) state "3 of 10" {↓↑} [0,220][1080,1920]
          └─ TextView hidden {tap hold} [0,220][1080,320]
    keyboard [0,1300][1080,1920] layer 3
    "#);
    // The dialog's button is the third node on the wire and stands behind the activity's four here.
    let button = sight.node(2).unwrap();
    assert_eq!(sight.tree.widget(button).short_id(), "ok");
    assert_eq!(sight.wire_node(button), Some(2));
    assert_eq!(sight.window(7), Some(2));
    assert_eq!(sight.cuts, ["a window could not be read", "widgets vanished while they were read"]);
}

#[test]
fn the_golden_macs_are_those_of_the_golden_token() {
    let token = Token::new(std::array::from_fn(|at| at as u8));
    let Notice::Hello(hello) = Noticed::read(&frame("event_hello")).unwrap().notice else { panic!() };
    let Some((_, Request::Auth(auth))) = Request::read(&frame("auth")).unwrap() else { panic!() };
    let (_, Answer::Auth(granted)) = Answer::read(&frame("auth_ok")).unwrap() else { panic!() };
    assert_eq!(token.host_mac(&hello.nonce, &auth.nonce), auth.mac);
    assert_eq!(token.agent_mac(&hello.nonce, &auth.nonce), granted.agent_mac);
    assert_eq!(token.line(), "000102030405060708090a0b0c0d0e0f\n");
    assert_eq!(format!("{token:?}"), "Token(…)");
}
