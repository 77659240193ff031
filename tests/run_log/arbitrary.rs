//! Anything that a run could say.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use siamang::action::{Input, Key, Wait};
use siamang::device::{Asked, Reset};
use siamang::gui::tree::WidgetPool;
use siamang::gui::{
    ActionSet, Bounds, Flags, GuiTree, Point, Selector, TreeBuilder, Widget, Window, WindowKind,
};
use siamang::ids::{BranchId, SessionId, StepId, TreeHash};
use siamang::oracle::{Failure, FailureKind, Frame, Signature, Throwable};
use siamang::trace::{RunEvent, Screen, StepRecord, Touched};
use smol_str::SmolStr;

pub fn text() -> impl Strategy<Value = String> + Clone {
    vec(any::<char>(), 0..6).prop_map(String::from_iter)
}

fn word() -> impl Strategy<Value = SmolStr> {
    text().prop_map(SmolStr::from)
}

fn window_kind() -> impl Strategy<Value = WindowKind> {
    use WindowKind::{Application, Dialog, InputMethod, Popup, System, Toast};
    prop::sample::select(vec![Application, Dialog, Popup, InputMethod, Toast, System])
}

fn bounds() -> impl Strategy<Value = Bounds> {
    any::<[i32; 4]>().prop_map(|[left, top, right, bottom]| Bounds { left, top, right, bottom })
}

fn point() -> impl Strategy<Value = Point> {
    any::<(i32, i32)>().prop_map(|(x, y)| Point { x, y })
}

/// A few screens come again and again, others once.
fn screen() -> impl Strategy<Value = Screen> {
    let tree = prop_oneof![(0..3_u64), any::<u64>()].prop_map(TreeHash);
    let activity = prop_oneof![Just(SmolStr::new("Main")), word()];
    (activity, vec(window_kind(), 0..3), tree, option::weighted(0.1, word())).prop_map(
        |(activity, windows, tree, foreign)| Screen { activity, windows, tree, foreign, structure: None },
    )
}

fn selector() -> impl Strategy<Value = Selector> {
    (word(), word(), word(), window_kind(), vec(any::<u32>(), 0..4), bounds()).prop_map(
        |(class, id, text, window, path, bounds)| Selector { class, id, text, window, path, bounds },
    )
}

fn touched() -> impl Strategy<Value = Touched> {
    prop_oneof![
        Just(Touched::Nothing),
        window_kind().prop_map(Touched::Window),
        selector().prop_map(Touched::Widget),
    ]
}

fn key() -> impl Strategy<Value = Key> {
    let named = [
        Key::Back,
        Key::Home,
        Key::Menu,
        Key::Enter,
        Key::AppSwitch,
        Key::VolumeUp,
        Key::VolumeDown,
        Key::Call,
        Key::EndCall,
        Key::DpadUp,
        Key::DpadDown,
        Key::DpadLeft,
        Key::DpadRight,
        Key::DpadCenter,
    ];
    prop_oneof![prop::sample::select(named.to_vec()), any::<i32>().prop_map(Key::Code)]
}

fn input() -> impl Strategy<Value = Input> {
    prop_oneof![
        point().prop_map(Input::Tap),
        point().prop_map(Input::LongTap),
        (point(), point()).prop_map(|(from, to)| Input::Swipe { from, to }),
        (point(), any::<bool>()).prop_map(|(center, open)| Input::Pinch { center, open }),
        (point(), text()).prop_map(|(at, text)| Input::Text { at, text }),
        key().prop_map(Input::Key),
        Just(Input::Rotate),
        Just(Input::HomeAndReturn),
        Just(Input::ProcessDeath),
        Just(Input::Restart),
        text().prop_map(Input::DeepLink),
        any::<u32>().prop_map(Input::Wait),
    ]
}

fn branches() -> impl Strategy<Value = Vec<BranchId>> {
    vec(any::<u32>().prop_map(BranchId), 0..4)
}

fn session() -> impl Strategy<Value = SessionId> {
    (0..3_u32).prop_map(SessionId)
}

fn signature() -> impl Strategy<Value = Signature> {
    text().prop_map(Signature)
}

fn step() -> impl Strategy<Value = StepRecord> {
    let wait = prop_oneof![Just(Wait::Settle), any::<u32>().prop_map(Wait::Millis)];
    let what = (any::<u64>(), session(), input(), wait, word(), any::<u64>(), option::of(touched()));
    let seen = (screen(), screen(), option::of(branches()), branches(), vec(signature(), 0..2), any::<u64>());
    (what, seen).prop_map(
        |(
            (step, session, input, wait, reason, pause_ms, touched),
            (before, after, rules, new_branches, failures, time_ms),
        )| {
            StepRecord {
                step: StepId(step),
                session,
                input,
                wait,
                reason,
                pause_ms,
                touched,
                before,
                after,
                rules,
                new_branches,
                failures,
                time_ms,
            }
        },
    )
}

fn failure() -> impl Strategy<Value = Failure> {
    use FailureKind::{Anr, Exit, Java, Native, Swallowed};
    let kind = prop::sample::select(vec![Java, Native, Anr, Exit, Swallowed]);
    let frame = (text(), text(), text(), any::<Option<u32>>())
        .prop_map(|(class, method, file, line)| Frame { class, method, file, line });
    let throwable = (text(), text(), vec(frame, 0..3)).prop_map(|(class, message, frames)| Throwable {
        class,
        message,
        frames,
    });
    (kind, text(), vec(throwable, 0..3), text()).prop_map(|(kind, package, chain, message)| Failure {
        kind,
        package,
        chain,
        message,
    })
}

pub fn event() -> impl Strategy<Value = RunEvent> {
    let to = prop::sample::select(vec![Reset::Warm, Reset::Clean]);
    prop_oneof![
        6 => step().prop_map(|step| RunEvent::Step(Box::new(step))),
        2 => (session(), to, word(), screen(), option::of(branches()), branches(), any::<u64>()).prop_map(
            |(session, to, reason, screen, rules, new_branches, time_ms)| RunEvent::Reset {
                session, to, reason, screen, rules, new_branches, time_ms
            }
        ),
        1 => (session(), any::<u64>(), signature(), option::of(failure())).prop_map(
            |(session, step, signature, failure)| RunEvent::Failure {
                session, step: StepId(step), signature, failure: failure.map(Box::new)
            }
        ),
        1 => (session(), any::<u64>(), [word(), word(), word(), word()]).prop_map(
            |(session, step, [action, data, component, answer])| RunEvent::Asked {
                session, step: StepId(step), asked: Asked { action, data, component, answer }
            }
        ),
        1 => (option::of(session()), text())
            .prop_map(|(session, text)| RunEvent::Warning { session, text }),
        1 => (word(), any::<u64>()).prop_map(|(reason, steps)| RunEvent::End { reason, steps }),
    ]
}

fn widget() -> impl Strategy<Value = Widget> {
    let words = (word(), word(), word(), word(), word(), word(), word());
    let rest = (0..3_u32, bounds(), any::<u16>(), any::<u16>(), any::<i32>(), any::<i32>());
    (words, rest).prop_map(
        |(
            (class, package, resource_id, text, content_desc, hint, state_desc),
            (index, bounds, flags, actions, drawing_order, input_type),
        )| Widget {
            class,
            package,
            resource_id,
            text,
            content_desc,
            hint,
            state_desc,
            index,
            bounds,
            flags: Flags::from_bits_retain(flags),
            actions: ActionSet::from_bits_retain(actions),
            drawing_order,
            input_type,
        },
    )
}

/// What is done to a builder.
#[derive(Clone, Debug)]
enum Build {
    Window(Window),
    Open(Widget),
    Leaf(Widget),
    Close,
}

/// Any tree that a builder can build: windows without widgets, several roots in one window, equal subtrees.
pub fn tree() -> impl Strategy<Value = GuiTree> {
    let window = (window_kind(), any::<i32>(), any::<bool>(), any::<bool>(), word(), bounds()).prop_map(
        |(kind, layer, focused, modal, title, bounds)| Window {
            kind,
            layer,
            focused,
            title,
            bounds,
            modal,
            root: None,
        },
    );
    let few = prop_oneof![Just(Widget::default()), widget()];
    let build = prop_oneof![
        1 => window.prop_map(Build::Window),
        4 => few.prop_map(Build::Open),
        4 => widget().prop_map(Build::Leaf),
        4 => Just(Build::Close),
    ];
    (word(), vec(build, 0..30)).prop_map(|(activity, builds)| {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, activity);
        for build in builds {
            match build {
                Build::Window(window) => builder.window(window),
                Build::Open(widget) => {
                    builder.open(widget);
                }
                Build::Leaf(widget) => {
                    builder.leaf(widget);
                }
                Build::Close => builder.close(),
            }
        }
        builder.finish()
    })
}
