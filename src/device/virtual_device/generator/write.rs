//! A planned app as a TOML model.

use std::fmt::Write as _;

use super::Family;
use super::plan::{Cell, Plan, PlannedScreen};

const WORDS: [&str; 24] = [
    "Amber", "Birch", "Cedar", "Delta", "Ember", "Fjord", "Grove", "Haven", "Iris", "Jade", "Kelp", "Larch",
    "Maple", "Nova", "Opal", "Pine", "Quartz", "Reed", "Slate", "Thyme", "Umber", "Vale", "Willow", "Yarrow",
];

/// Buttons beside each other.
const COLUMNS: usize = 4;
/// Tabs of a screen in the family of that name.
const TABS: usize = 3;

/// The model of a plan.
pub fn toml(plan: &Plan) -> String {
    let spec = plan.spec;
    let mut out = String::with_capacity(plan.screens.len() * 1_500);
    let needs = spec.family.needs();
    let _ = writeln!(out, "# {spec}, version {} of the family.", spec.family.version());
    let _ = writeln!(out, "name = \"Generated {}\"", spec.family.name());
    let _ = writeln!(out, "package = \"org.siamang.generated.{}\"", spec.family.name());
    let _ = writeln!(out, "start = \"S0\"\n\n[data.process]\nnoise = 0");
    if spec.family == Family::Ticking {
        let _ = writeln!(out, "seconds = 0");
    }
    for crash in 0..spec.crashes {
        for number in 0..needs.data {
            let _ = writeln!(out, "d{crash}_{number} = 0");
        }
    }
    for (number, screen) in plan.screens.iter().enumerate() {
        activity(&mut out, plan, number, screen);
    }
    for crash in 0..spec.crashes {
        let _ = writeln!(out, "\n[failure.crash{crash}]\nexception = \"java.lang.IllegalStateException\"");
        let _ = writeln!(out, "message = \"crash {crash} after {{noise}} changes\"");
        let _ = writeln!(out, "stack = [\"Crash{crash}.run:{}\"]", 10 + crash);
    }
    out
}

fn activity(out: &mut String, plan: &Plan, number: usize, screen: &PlannedScreen) {
    let _ = writeln!(
        out,
        "\n[[activity]]\nname = \"S{number}\"\ntitle = \"Screen {number}\"\nup = {}",
        number > 0
    );
    match plan.spec.family {
        Family::Reorder | Family::Rows => list_screen(out, plan, number, screen),
        Family::Tabs => tabs_screen(out, plan, number, screen),
        Family::Dialogs => dialogs_screen(out, plan, number, screen),
        Family::Ticking => ticking_screen(out, plan, number, screen),
        _ => grid_screen(out, plan, number, screen),
    }
}

/// What a cell does, as the body of a rule; `None` if it does nothing.
fn effect(plan: &Plan, cell: Cell) -> Option<String> {
    let needs = plan.spec.family.needs();
    match cell {
        Cell::Nothing => None,
        Cell::Go(screen) => Some(format!("start = \"S{screen}\"")),
        Cell::Noise => Some("do = \"noise += 1\"".to_owned()),
        Cell::Data(crash, number) if needs.times > 1 => Some(format!("do = \"d{crash}_{number} += 1\"")),
        Cell::Data(crash, number) => Some(format!("do = \"d{crash}_{number} = 1\"")),
        Cell::Crash(crash) => Some(format!("fail = \"crash{crash}\"")),
    }
}

/// When a crash has its data.
fn guard(plan: &Plan, cell: Cell) -> Option<String> {
    let needs = plan.spec.family.needs();
    match cell {
        Cell::Crash(crash) if needs.data > 0 => {
            let parts: Vec<String> =
                (0..needs.data).map(|number| format!("d{crash}_{number} >= {}", needs.times)).collect();
            Some(parts.join(" && "))
        }
        _ => None,
    }
}

fn rule(plan: &Plan, cell: Cell, extra: Option<&str>) -> Option<String> {
    let effect = effect(plan, cell)?;
    let guards: Vec<String> = extra.map(str::to_owned).into_iter().chain(guard(plan, cell)).collect();
    Some(if guards.is_empty() {
        format!("{{ {effect} }}")
    } else {
        format!("{{ if = \"{}\", {effect} }}", guards.join(" && "))
    })
}

fn word(screen: usize, cell: usize) -> &'static str {
    WORDS[(screen * 7 + cell * 5) % WORDS.len()]
}

fn button(out: &mut String, id: &str, text: &str, rule: Option<&str>) {
    let tap = rule.map(|rule| format!(", tap = {rule}")).unwrap_or_default();
    let _ = writeln!(out, "  {{ type = \"button\", id = \"{id}\", text = \"{text}\"{tap} }},");
}

fn grid_screen(out: &mut String, plan: &Plan, number: usize, screen: &PlannedScreen) {
    let _ = writeln!(
        out,
        "[[activity.widget]]\ntype = \"label\"\nid = \"level\"\ntext = \"Level {}\"",
        screen.level
    );
    for (row, cells) in screen.cells.chunks(COLUMNS).enumerate() {
        let _ = writeln!(out, "[[activity.widget]]\ntype = \"row\"\nwidget = [");
        for (column, &cell) in cells.iter().enumerate() {
            let place = row * COLUMNS + column;
            button(out, &format!("c{place}"), word(number, place), rule(plan, cell, None).as_deref());
        }
        out.push_str("]\n");
    }
}

fn ticking_screen(out: &mut String, plan: &Plan, number: usize, screen: &PlannedScreen) {
    let _ = writeln!(out, "every = [{{ ms = 1000, run = {{ do = \"seconds += 1\" }} }}]");
    let _ = writeln!(out, "[[activity.widget]]\ntype = \"label\"\nid = \"clock\"\ntext = \"{{seconds}} s\"");
    let _ =
        writeln!(out, "[[activity.widget]]\ntype = \"label\"\nid = \"noise\"\ntext = \"{{noise}} changes\"");
    for (row, cells) in screen.cells.chunks(COLUMNS).enumerate() {
        let _ = writeln!(out, "[[activity.widget]]\ntype = \"row\"\nwidget = [");
        for (column, &cell) in cells.iter().enumerate() {
            let place = row * COLUMNS + column;
            let text = match place % 3 {
                0 => format!("{} {{seconds}}", word(number, place)),
                _ => word(number, place).to_owned(),
            };
            button(out, &format!("c{place}"), &text, rule(plan, cell, None).as_deref());
        }
        out.push_str("]\n");
    }
}

/// Rows carry the number of their cell; the rules ask for it, since the row's place says nothing.
fn list_screen(out: &mut String, plan: &Plan, number: usize, screen: &PlannedScreen) {
    let rows: Vec<String> = screen
        .cells
        .iter()
        .enumerate()
        .filter(|(place, cell)| **cell != Cell::Nothing || place % 5 == 0)
        .map(|(place, _)| format!("{{ k = {place}, name = \"{} {place}\" }}", word(number, place)))
        .collect();
    let _ = writeln!(out, "saved = {{ rows = [{}], visits = 0 }}", rows.join(", "));
    let shuffle = match plan.spec.family {
        Family::Reorder => "visits += 1; let first = rows.remove(0); rows.push(first)",
        _ => {
            "visits += 1; if rows.len() > 20 { rows.remove(0); } rows.insert(0, #{k: -1, name: \\\"Message \\\" + visits})"
        }
    };
    let _ = writeln!(out, "resume = {{ do = \"{shuffle}\" }}");
    let _ = writeln!(
        out,
        "[[activity.widget]]\ntype = \"label\"\nid = \"count\"\ntext = \"{{rows.len()}} entries\""
    );
    let _ = writeln!(out, "[[activity.widget]]\ntype = \"list\"\nid = \"list\"\nrows = \"rows\"\ntap = [");
    for (place, &cell) in screen.cells.iter().enumerate() {
        if let Some(rule) = rule(plan, cell, Some(&format!("row.k == {place}"))) {
            let _ = writeln!(out, "  {rule},");
        }
    }
    let subtitle = if plan.spec.family == Family::Rows { "{visits} views" } else { "Entry" };
    let _ = writeln!(
        out,
        "]\nwidget = [\n  {{ type = \"image\", desc = \"Icon\" }},\n  {{ type = \"column\", widget = [\n    \
         {{ type = \"label\", id = \"name\", text = \"{{row.name}}\" }},\n    \
         {{ type = \"label\", id = \"more\", text = \"{subtitle}\" }},\n  ] }},\n]"
    );
}

/// The cells are dealt to the tabs in turn; each tab shows them with the same ids and texts.
fn tabs_screen(out: &mut String, plan: &Plan, number: usize, screen: &PlannedScreen) {
    let _ = writeln!(out, "saved = {{ tab = 0 }}");
    let _ = writeln!(
        out,
        "[[activity.widget]]\ntype = \"tabs\"\nid = \"tabs\"\nbind = \"tab\"\noptions = [\"One\", \"Two\", \"Three\"]"
    );
    let places = screen.cells.len().div_ceil(TABS);
    for tab in 0..TABS {
        let cells: Vec<Cell> = screen.cells.iter().copied().skip(tab).step_by(TABS).collect();
        for row in (0..places).step_by(COLUMNS) {
            let _ =
                writeln!(out, "[[activity.widget]]\ntype = \"row\"\nvisible = \"tab == {tab}\"\nwidget = [");
            for place in row..(row + COLUMNS).min(places) {
                let cell = cells.get(place).copied().unwrap_or(Cell::Nothing);
                button(out, &format!("c{place}"), word(number, place), rule(plan, cell, None).as_deref());
            }
            out.push_str("]\n");
        }
    }
}

/// Every step to another screen asks first, always in the same words; a tip comes up by chance.
fn dialogs_screen(out: &mut String, plan: &Plan, number: usize, screen: &PlannedScreen) {
    let _ = writeln!(out, "data = {{ goal = -1 }}");
    let _ = writeln!(out, "resume = {{ chance = 0.25, dialog = \"tip\" }}");
    for (row, cells) in screen.cells.chunks(COLUMNS).enumerate() {
        let _ = writeln!(out, "[[activity.widget]]\ntype = \"row\"\nwidget = [");
        for (column, &cell) in cells.iter().enumerate() {
            let place = row * COLUMNS + column;
            let asks = matches!(cell, Cell::Go(_))
                .then(|| format!("{{ do = \"goal = {place}\", dialog = \"sure\" }}"));
            button(
                out,
                &format!("c{place}"),
                word(number, place),
                asks.or_else(|| rule(plan, cell, None)).as_deref(),
            );
        }
        out.push_str("]\n");
    }
    let _ = writeln!(
        out,
        "[[activity.dialog]]\nname = \"tip\"\ntitle = \"Tip\"\ntext = \"Hold a button for help.\""
    );
    let _ = writeln!(out, "buttons = [{{ text = \"Got it\" }}]");
    let _ = writeln!(
        out,
        "[[activity.dialog]]\nname = \"sure\"\ntitle = \"Leave this screen?\"\nbuttons = [\n  {{ text = \"No\" }},"
    );
    let _ = writeln!(out, "  {{ text = \"Yes\", tap = [");
    for (place, &cell) in screen.cells.iter().enumerate() {
        if let Cell::Go(_) = cell
            && let Some(rule) = rule(plan, cell, Some(&format!("goal == {place}")))
        {
            let _ = writeln!(out, "    {rule},");
        }
    }
    let _ = writeln!(out, "  ] }},\n]");
}
