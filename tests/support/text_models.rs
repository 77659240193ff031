//! Tiny random apps whose failures hang on what the user enters.

use std::collections::BTreeMap;
use std::sync::Arc;

use rand::RngExt;
use siamang::action::{ActionKind, Wait};
use siamang::device::Reset;
use siamang::device::virtual_device::app::App;
use siamang::device::virtual_device::phone::{Chance, Phone};
use siamang::gui::Reach;
use siamang::seed::{Rng, Seed};

/// The fewest events to each failure of such a model, as far as these texts lead to one: the button alone, or a text and then
/// the button.
pub fn referee(app: &Arc<App>, texts: &[String]) -> BTreeMap<u32, u32> {
    let mut phone = Phone::new(Arc::clone(app), Chance::Scripted { answers: Vec::new(), asked: Vec::new() });
    let mut met = BTreeMap::new();
    for text in std::iter::once(None).chain(texts.iter().map(Some)) {
        phone.reset(Reset::Clean);
        phone.wait(Wait::Settle);
        if let Some(text) = text {
            act(&mut phone, ActionKind::Text, text);
        }
        act(&mut phone, ActionKind::Tap, "");
        for (failure, _) in phone.take_happened().failures {
            met.entry(failure.0).or_insert(if text.is_some() { 2 } else { 1 });
        }
    }
    met
}

/// The last thing on the screen that takes such an action is the field or the button.
fn act(phone: &mut Phone, kind: ActionKind, text: &str) {
    let tree = Arc::clone(&phone.screen().tree);
    let reach = Reach::all(&tree).into_iter().rfind(|reach| reach.kind == kind).expect("it is there");
    phone.inject(&reach.input(&tree, text.to_owned()));
    phone.wait(Wait::Settle);
}

/// The app model that belongs to a number, as TOML: one field and one button, which fails where its guards hold.
pub fn text_model(number: u64) -> String {
    let mut rng = Seed(number).named("text model").rng();
    let first = guard(&mut rng);
    let second = guard(&mut rng);
    let input = ["text", "text", "number"][rng.random_range(0..3)];
    let copies = rng.random_bool(0.3);
    let (change, asked) = if copies { ("change = { do = 'kept = name' }, ", "kept") } else { ("", "name") };
    let (first, second) = (first.replace("TEXT", asked), second.replace("TEXT", "name"));
    format!(
        "name = \"Texts\"\npackage = \"org.siamang.texts\"\nstart = \"Main\"\n[[activity]]\nname = \"Main\"\n\
         data = {{ name = \"\", kept = \"\" }}\nwidget = [\n\
         {{ type = \"field\", {change}bind = \"name\", input = \"{input}\" }},\n\
         {{ type = \"button\", text = \"Go\", tap = [\n  {{ if = '{first}', fail = \"f0\" }},\n  \
         {{ if = '{second}', fail = \"f1\" }}] }}]\n\
         [failure.f0]\nexception = \"java.lang.Error\"\n[failure.f1]\nexception = \"java.lang.Exception\"\n"
    )
}

/// One to three questions about a text, put together.
fn guard(rng: &mut Rng) -> String {
    let count = rng.random_range(1..=3);
    let mut guard = question(rng);
    for _ in 1..count {
        let next = question(rng);
        guard = match rng.random_range(0..6) {
            0 => format!("{guard} || {next}"),
            1 => format!("!({guard}) && {next}"),
            _ => format!("{guard} && {next}"),
        };
    }
    guard
}

fn question(rng: &mut Rng) -> String {
    let length = rng.random_range(1..=2);
    let part: String = (0..length).map(|_| ['a', 'b', '1'][rng.random_range(0..3)]).collect();
    let sign = ["==", "!=", "<", "<=", ">", ">="][rng.random_range(0..6)];
    let number = [0, 1, 2, 3, 11][rng.random_range(0..5)];
    match rng.random_range(0..20) {
        0..2 => format!("TEXT == \"{part}\""),
        2..4 => format!("TEXT != \"{part}\""),
        4..7 => format!("TEXT.contains(\"{part}\")"),
        7..9 => format!("TEXT.starts_with(\"{part}\")"),
        9..11 => format!("TEXT.ends_with(\"{part}\")"),
        11..14 => format!("TEXT.len() {sign} {number}"),
        14..15 => "TEXT.is_empty()".to_owned(),
        15..18 => format!("parse_int(TEXT) {sign} {number}"),
        18..19 => format!("parse_int(TEXT) + 1 {sign} {number}"),
        _ => format!("TEXT {sign} \"{part}\""),
    }
}
