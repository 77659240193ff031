//! Dumps made to measure.

use std::fmt::Write as _;

/// A dump of a given size in bytes, or a few hundred more, in the form of a long settings screen: rows with a picture,
/// two texts and a switch in nested layouts, no two rows alike.
pub fn dump_of_size(bytes: usize) -> String {
    let mut xml = String::with_capacity(bytes + 2_048);
    xml.push_str("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation=\"0\">");
    node(&mut xml, 0, "FrameLayout", "", "", "", [0, 0, 1080, 2400]);
    node(&mut xml, 0, "ListView", "list", "", "enabled scrollable", [0, 210, 1080, 2400]);
    let end = "</node></node></hierarchy>";
    let mut row = 0;
    while xml.len() + end.len() < bytes {
        let top = 210 + row as i32 * 168;
        let area = |left, right, from, to| [left, top + from, right, top + to];
        node(&mut xml, row, "LinearLayout", "", "", "enabled clickable focusable", area(0, 1080, 0, 168));
        leaf(&mut xml, 0, "ImageView", "icon", "", "enabled", area(48, 120, 48, 120));
        node(&mut xml, 1, "RelativeLayout", "", "", "enabled", area(168, 900, 24, 144));
        leaf(&mut xml, 0, "TextView", "title", &format!("Option {row}"), "enabled", area(168, 700, 24, 80));
        let summary = format!("Tap &amp; hold to change option {row}&#10;It is &quot;off&quot;");
        leaf(&mut xml, 1, "TextView", "summary", &summary, "enabled", area(168, 900, 84, 144));
        xml.push_str("</node>");
        leaf(&mut xml, 2, "Switch", "switch", "", "enabled checkable clickable", area(930, 1040, 50, 118));
        xml.push_str("</node>");
        row += 1;
    }
    xml.push_str(end);
    xml
}

/// Many widgets, each inside the one before.
pub fn deep_dump(levels: usize) -> String {
    let mut xml = String::from("<hierarchy rotation=\"0\">");
    for _ in 0..levels {
        node(&mut xml, 0, "FrameLayout", "", "", "enabled", [0, 0, 1080, 2400]);
    }
    xml.push_str(&"</node>".repeat(levels));
    xml.push_str("</hierarchy>");
    xml
}

fn leaf(xml: &mut String, index: usize, class: &str, id: &str, text: &str, on: &str, bounds: [i32; 4]) {
    node(xml, index, class, id, text, on, bounds);
    xml.pop();
    xml.push_str(" />");
}

fn node(xml: &mut String, index: usize, class: &str, id: &str, text: &str, on: &str, bounds: [i32; 4]) {
    let id = if id.is_empty() { String::new() } else { format!("org.example.settings:id/{id}") };
    let [left, top, right, bottom] = bounds;
    write!(
        xml,
        "<node index=\"{index}\" text=\"{text}\" resource-id=\"{id}\" class=\"android.widget.{class}\" \
         package=\"org.example.settings\" content-desc=\"\""
    )
    .expect("a string takes everything");
    for flag in [
        "checkable",
        "checked",
        "clickable",
        "enabled",
        "focusable",
        "focused",
        "scrollable",
        "long-clickable",
        "password",
        "selected",
    ] {
        let is_on = on.split(' ').any(|word| word == flag);
        xml.extend([" ", flag, if is_on { "=\"true\"" } else { "=\"false\"" }]);
    }
    write!(xml, " bounds=\"[{left},{top}][{right},{bottom}]\">").expect("a string takes everything");
}
