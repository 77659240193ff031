//! Texts for fields: one for each class of texts that a guard can tell apart.

use std::collections::BTreeSet;

use rhai::Dynamic;

use super::super::app::{ActivityIx, App, WidgetIx};
use super::super::app_model::{InputKind, WidgetKind};
use super::super::expr::{Env, Expr, Slot, Template, Temps};
use super::super::input::accepted;
use super::super::phone::Phone;
use super::classes::{self, Answers, Question};
use super::flow::Flow;
use super::slice::{Place, Slice, place_named, place_of};
use super::tokens::{self, Token};
use super::types::Types;

/// The length of a text that is longer than people expect.
const LONG: usize = 300;
/// Lengths beyond this are not tried.
const MAX_LENGTH: i64 = 2_000;
/// Literals beyond this many are not put together in pairs.
const MAX_PAIRED: usize = 6;
/// Texts that other variables hold, at the most.
const MAX_HELD: usize = 6;

/// The texts for each field of an app.
#[derive(Debug)]
pub(super) struct Texts {
    fields: Vec<FieldTexts>,
}

#[derive(Debug, Default)]
struct FieldTexts {
    kind: InputKind,
    fixed: Vec<String>,
    /// Variables that some expression compares with the text: what they hold is worth entering.
    compared: Vec<Place>,
    /// Some guard may tell more texts apart than there are here.
    open: bool,
}

impl Texts {
    /// Finds the classes of all fields.
    pub(super) fn of_app(app: &App, slice: &Slice) -> Self {
        let (sources, types) = (sources(app), Types::of(app));
        let fields = (0..app.widgets.len())
            .map(|ix| field_texts(app, slice, &types, WidgetIx(ix as u32), &sources))
            .collect();
        Self { fields }
    }

    /// The texts of a field are not all that a guard can tell apart, and that can matter.
    pub(super) fn is_open(&self, field: WidgetIx, slice: &Slice) -> bool {
        slice.fields[field.0 as usize] && self.fields[field.0 as usize].open
    }

    /// What is worth entering into a field now. Where the text cannot matter, one is enough.
    pub(super) fn of(&self, field: WidgetIx, phone: &Phone, slice: &Slice) -> Vec<String> {
        let texts = &self.fields[field.0 as usize];
        if !slice.fields[field.0 as usize] {
            return texts.fixed.iter().take(1).cloned().collect();
        }
        let mut all = texts.fixed.clone();
        let state = phone.state();
        let activity = phone.app().widget(field).activity;
        let mut held = Vec::new();
        for place in &texts.compared {
            match *place {
                Place::Global(ix) => collect(&state.globals[ix as usize], &mut held),
                Place::Local(owner, ix) if owner == activity => {
                    if let Some(front) = state.front() {
                        collect(&front.locals[ix as usize], &mut held);
                    }
                }
                _ => {}
            }
        }
        for text in held {
            let text = accepted(texts.kind, &text);
            if !all.contains(&text) {
                all.push(text);
            }
        }
        all
    }
}

/// The short strings in a value.
fn collect(value: &Dynamic, held: &mut Vec<String>) {
    if held.len() >= MAX_HELD {
        return;
    }
    if let Ok(text) = value.as_immutable_string_ref() {
        if !held.iter().any(|known| known == text.as_str()) {
            held.push(text.to_string());
        }
    } else if let Ok(items) = value.as_array_ref() {
        items.iter().for_each(|item| collect(item, held));
    } else if let Ok(fields) = value.as_map_ref() {
        fields.values().for_each(|field| collect(field, held));
    } else if let Ok(number) = value.as_int() {
        held.push(number.to_string());
    }
}

/// One expression or statement of the app: what it reads, what it changes, how it is written.
struct Source<'a> {
    sort: SourceSort,
    activity: ActivityIx,
    text: &'a str,
    reads: Vec<Place>,
    writes: Vec<Place>,
}

#[derive(Clone, Copy)]
enum SourceSort {
    /// It is true or false.
    Guard,
    /// Its value goes on to another place.
    Given,
    Script,
}

fn sources<'a>(app: &'a App) -> Vec<Source<'a>> {
    let mut found = Vec::new();
    let mut value = |expr: &'a Expr, activity: ActivityIx, writes: Vec<Place>| {
        let reads = expr.slots().into_iter().filter_map(|slot| place_of(slot, activity)).collect();
        let sort = if writes.is_empty() { SourceSort::Guard } else { SourceSort::Given };
        found.push(Source { sort, activity, text: expr.source(), reads, writes });
    };
    for widget in &app.widgets {
        for expr in [&widget.visible, &widget.enabled].into_iter().flatten() {
            value(expr, widget.activity, Vec::new());
        }
        if let Some(rows) = &widget.rows {
            value(rows, widget.activity, vec![Place::Row(widget.activity)]);
        }
    }
    for rule in &app.rules {
        if let Some(guard) = &rule.guard {
            value(guard, rule.activity, Vec::new());
        }
        if let Some(result) = &rule.result {
            value(result, rule.activity, vec![Place::Result]);
        }
        if let Some(start) = &rule.start {
            for (variable, expr) in &start.with {
                value(expr, rule.activity, vec![Place::Local(start.activity, *variable)]);
            }
        }
    }
    for rule in &app.rules {
        let Some(script) = &rule.script else { continue };
        for statement in tokens::statements(script.source()) {
            let places = |names: &[&str]| {
                names.iter().filter_map(|name| place_named(app, name, rule.activity)).collect::<Vec<_>>()
            };
            let (reads, writes) = (places(&statement.reads), places(&statement.writes));
            let sort = SourceSort::Script;
            found.push(Source { sort, activity: rule.activity, text: script.source(), reads, writes });
        }
    }
    found
}

fn field_texts(
    app: &App,
    slice: &Slice,
    types: &Types,
    field: WidgetIx,
    sources: &[Source<'_>],
) -> FieldTexts {
    let widget = app.widget(field);
    if widget.kind != WidgetKind::Field {
        return FieldTexts::default();
    }
    let mut tainted: BTreeSet<Place> = BTreeSet::new();
    tainted.insert(Place::Value(widget.activity));
    tainted.extend(widget.bind.and_then(|slot| place_of(slot, widget.activity)));
    loop {
        let before = tainted.len();
        for source in sources {
            if source.reads.iter().any(|place| tainted.contains(place)) {
                tainted.extend(source.writes.iter().copied());
            }
        }
        if tainted.len() == before {
            break;
        }
    }
    let seen: Vec<&Source<'_>> =
        sources.iter().filter(|source| source.reads.iter().any(|place| tainted.contains(place))).collect();
    let known = questions(app, slice, types, sources, &tainted)
        .and_then(|questions| Some((classes::texts(widget.input, &questions)?, questions)));
    if let Some((shortest, questions)) = known {
        let plain = candidates(widget.input, &seen).into_iter().map(|text| accepted(widget.input, &text));
        let fixed = one_of_each(plain.chain(shortest), &questions);
        return FieldTexts { kind: widget.input, fixed, compared: Vec::new(), open: false };
    }
    let judges = judges(app, &seen, &tainted);
    let mut fixed: Vec<String> = Vec::new();
    let mut classes: Vec<Vec<String>> = Vec::new();
    for text in candidates(widget.input, &seen) {
        let text = accepted(widget.input, &text);
        let class = judges.class(app, &text);
        if !fixed.contains(&text) && !classes.contains(&class) {
            fixed.push(text);
            classes.push(class);
        }
    }
    let mut compared: Vec<Place> = judges
        .open
        .iter()
        .flat_map(|source| source.reads.iter().copied())
        .filter(|place| matches!(place, Place::Global(_) | Place::Local(..)))
        .filter(|place| Some(*place) != widget.bind.and_then(|slot| place_of(slot, widget.activity)))
        .collect();
    compared.sort_unstable();
    compared.dedup();
    FieldTexts { kind: widget.input, fixed, compared, open: true }
}

/// The first text of each class.
fn one_of_each(texts: impl Iterator<Item = String>, questions: &[Question]) -> Vec<String> {
    let mut classes: BTreeSet<Answers> = BTreeSet::new();
    texts.filter(|text| classes.insert(classes::answers(questions, text))).collect()
}

/// All that the app asks about a text which can be at these places; `None` if that cannot be told.
fn questions(
    app: &App,
    slice: &Slice,
    types: &Types,
    sources: &[Source<'_>],
    tainted: &BTreeSet<Place>,
) -> Option<Vec<Question>> {
    let bound = app.widgets.iter().filter_map(|widget| place_of(widget.bind?, widget.activity));
    let changing: BTreeSet<Place> =
        sources.iter().flat_map(|source| source.writes.iter().copied()).chain(bound).collect();
    let mut asked = BTreeSet::new();
    for source in sources {
        let touched = source.reads.iter().any(|place| tainted.contains(place));
        // What is read by anything that matters is in the slice.
        if !touched || !source.reads.iter().all(|place| slice.sees(*place)) {
            continue;
        }
        let flow = Flow { app, types, tainted, changing: &changing, activity: source.activity };
        let known = match source.sort {
            SourceSort::Guard => flow.guard(source.text, &mut asked),
            SourceSort::Given => flow.given(source.text, &mut asked),
            SourceSort::Script => flow.script(source.text, &mut asked),
        };
        if !known {
            return None;
        }
    }
    // Whether a dialog has a text decides where its buttons are.
    for (number, activity) in app.activities.iter().enumerate() {
        let activity_ix = ActivityIx(number as u32);
        let shows = |template: &Template| {
            let mut places = template.slots().into_iter().filter_map(|slot| place_of(slot, activity_ix));
            !template.has_literal() && places.any(|place| tainted.contains(&place))
        };
        if activity.dialogs.iter().any(|dialog| shows(&dialog.title) || shows(&dialog.text)) {
            return None;
        }
    }
    Some(asked.into_iter().collect())
}

/// What tells texts apart.
struct Judges<'a> {
    /// Parts of guards that see nothing but the text.
    atoms: Vec<Expr>,
    /// Expressions that see more than the text.
    open: Vec<&'a Source<'a>>,
    /// Literals in those.
    literals: Vec<String>,
    lengths: Vec<usize>,
}

fn judges<'a>(app: &App, seen: &[&'a Source<'a>], tainted: &BTreeSet<Place>) -> Judges<'a> {
    let mut judges =
        Judges { atoms: Vec::new(), open: Vec::new(), literals: Vec::new(), lengths: Vec::new() };
    for &source in seen {
        let resolve = |name: &str| {
            let place = place_named(app, name, source.activity)?;
            tainted.contains(&place).then_some(Slot::Global(0))
        };
        let mut open = !source.writes.is_empty() && !copies(source.text);
        for atom in tokens::atoms(source.text) {
            let words = tokens::tokens(&atom);
            let names = words.iter().filter_map(|token| match token {
                Token::Word(name) => place_named(app, name, source.activity),
                _ => None,
            });
            let names: BTreeSet<Place> = names.collect();
            if names.is_disjoint(tainted) {
                continue;
            }
            match Expr::value(&app.engine, &atom, &resolve) {
                Ok(expr) if source.writes.is_empty() && names.len() == 1 => judges.atoms.push(expr),
                _ => open |= source.writes.is_empty(),
            }
        }
        if open {
            judges.open.push(source);
            for token in tokens::tokens(source.text) {
                match token {
                    Token::Text(text) => judges.literals.push(text),
                    Token::Int(length @ 0..=MAX_LENGTH) => {
                        judges.lengths.extend([length as usize, (length as usize).saturating_sub(1)]);
                    }
                    _ => {}
                }
            }
        }
    }
    judges
}

/// The value only goes on to another place, and is seen there.
fn copies(text: &str) -> bool {
    let tokens = tokens::tokens(text);
    !tokens
        .iter()
        .any(|token| matches!(token, Token::Word("if" | "for" | "while" | "switch" | "filter" | "find")))
}

impl Judges<'_> {
    /// Two texts with equal classes cannot be told apart, as far as can be seen beforehand.
    fn class(&self, app: &App, text: &str) -> Vec<String> {
        let mut class = Vec::new();
        let mut temps = Temps::default();
        let number = text.trim().parse::<i64>().ok();
        for atom in &self.atoms {
            let mut judge = |value: Dynamic| {
                let mut globals = vec![value];
                let mut env = Env { globals: &mut globals, locals: &mut [], temps: &mut temps };
                atom.eval(&app.engine, &mut env).map_or_else(|_| "!".to_owned(), |value| value.to_string())
            };
            class.push(judge(text.to_owned().into()));
            class.push(judge((text.chars().count() as i64).into()));
            class.push(number.map_or_else(String::new, |number| judge(number.into())));
        }
        if !self.open.is_empty() {
            class.push(if self.literals.iter().any(|literal| literal == text) {
                text.to_owned()
            } else {
                String::new()
            });
            class.push(format!("{} {}", text.is_empty(), number.is_some()));
            let length = text.chars().count();
            class.push(self.lengths.iter().filter(|limit| length > **limit).count().to_string());
        }
        class
    }
}

/// Texts that could belong to different classes, plainest first.
fn candidates(kind: InputKind, seen: &[&Source<'_>]) -> Vec<String> {
    let plain = match kind {
        InputKind::Text | InputKind::Password => "abc",
        InputKind::Number => "12",
        InputKind::Email => "ada@example.org",
        InputKind::Phone => "555 0100",
        InputKind::Date => "2026-02-28",
        InputKind::Uri => "https://example.org",
    };
    let mut literals: Vec<String> = Vec::new();
    let mut numbers: Vec<i64> = Vec::new();
    for source in seen {
        for token in tokens::tokens(source.text) {
            match token {
                Token::Text(text) if !literals.contains(&text) => literals.push(text),
                Token::Int(number) if !numbers.contains(&number) => numbers.push(number),
                _ => {}
            }
        }
    }
    let filler = if matches!(kind, InputKind::Number | InputKind::Phone) { "7" } else { "x" };
    let mut found = vec![plain.to_owned(), String::new()];
    found.extend(literals.iter().cloned());
    let near: Vec<i64> = numbers
        .iter()
        .flat_map(|number| [*number, number.saturating_add(1), number.saturating_sub(1)])
        .collect();
    found.extend(near.iter().map(ToString::to_string));
    let lengths: Vec<usize> = near
        .iter()
        .filter(|length| (1..=MAX_LENGTH).contains(*length))
        .map(|length| *length as usize)
        .collect();
    found.extend(lengths.iter().map(|length| filler.repeat(*length)));
    for literal in literals.iter().take(MAX_PAIRED) {
        for other in literals.iter().take(MAX_PAIRED).filter(|other| *other != literal) {
            found.push(format!("{literal}{other}"));
        }
        found.extend([
            format!("{filler}{literal}{filler}"),
            format!("{literal}{filler}"),
            format!("{filler}{literal}"),
        ]);
        for length in &lengths {
            let missing = filler.repeat(length.saturating_sub(literal.chars().count()));
            found.extend([format!("{literal}{missing}"), format!("{missing}{literal}")]);
        }
    }
    // A number that a guard computes with: what it would have to be for the simplest sums.
    for &one in numbers.iter().take(MAX_PAIRED) {
        for &other in numbers.iter().take(MAX_PAIRED) {
            let sums = [one.checked_sub(other), one.checked_add(other), one.checked_div(other)];
            found.extend(sums.into_iter().flatten().map(|number| number.to_string()));
        }
    }
    found.push(" ".to_owned());
    found.push(filler.repeat(LONG));
    found
}
