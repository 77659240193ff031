//! Showing a GUI tree to people.

use std::fmt::{self, Write as _};

use anstyle::{AnsiColor, Style};

use super::xml::{self, ParseIssue};
use super::{ActionSet, Flags, GuiTree, Widget, Window, WindowKind};
use crate::gui::tree::Node;

/// Reads a dump and shows its tree as people like to see it, beside the list of what was wrong with the file.
pub fn inspect_dump(bytes: &[u8], style: PrintStyle) -> (String, Vec<ParseIssue>) {
    let (tree, issues) = xml::read(bytes);
    (print(&tree, style), issues)
}

/// Shows a tree: a heading for each window, topmost first, and below it one line a widget.
pub fn print(tree: &GuiTree, style: PrintStyle) -> String {
    Printed { tree, style }.to_string()
}

/// How a tree is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintStyle {
    /// The colours.
    pub colours: Colours,
    /// Longer texts are cut to this many characters.
    pub max_text: usize,
    /// Deeper widgets are not moved further to the right; they show their depth as a number instead.
    pub max_indent: usize,
}

impl PrintStyle {
    /// Without any colour: for files, pipes and tests.
    pub const fn plain() -> Self {
        Self { colours: Colours::none(), max_text: 40, max_indent: 16 }
    }

    /// With colours, for a terminal.
    pub const fn coloured() -> Self {
        Self { colours: Colours::ansi(), ..Self::plain() }
    }
}

/// The colour of each part of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colours {
    /// Headings of windows.
    pub window: Style,
    /// Classes of widgets that can be acted on.
    pub active: Style,
    /// Resource ids.
    pub id: Style,
    /// Texts and descriptions.
    pub text: Style,
    /// What can be done.
    pub action: Style,
    /// Out of the ordinary: disabled, focused, checked.
    pub state: Style,
    /// Lines and bounds.
    pub faint: Style,
}

impl Colours {
    /// No colours.
    pub const fn none() -> Self {
        let none = Style::new();
        Self { window: none, active: none, id: none, text: none, action: none, state: none, faint: none }
    }

    /// The sixteen colours that follow the user's terminal theme.
    pub const fn ansi() -> Self {
        Self {
            window: Style::new().bold().underline(),
            active: Style::new().bold(),
            id: AnsiColor::Cyan.on_default(),
            text: AnsiColor::Green.on_default(),
            action: AnsiColor::Blue.on_default(),
            state: AnsiColor::Yellow.on_default(),
            faint: Style::new().dimmed(),
        }
    }
}

struct Printed<'a> {
    tree: &'a GuiTree,
    style: PrintStyle,
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Colours { window: heading, .. } = self.style.colours;
        if !self.tree.activity().is_empty() {
            writeln!(f, "{heading}activity{heading:#} {}", self.shown(self.tree.activity()))?;
        }
        if self.tree.windows().is_empty() {
            writeln!(f, "no window")?;
        }
        let mut rest = self.tree.nodes();
        for (ix, window) in self.tree.windows().iter().enumerate().rev() {
            let (others, nodes) = rest.split_at(rest.partition_point(|node| (node.window as usize) < ix));
            self.heading(f, window)?;
            self.nodes(f, nodes)?;
            rest = others;
        }
        Ok(())
    }
}

impl Printed<'_> {
    fn heading(&self, f: &mut fmt::Formatter<'_>, window: &Window) -> fmt::Result {
        let Colours { window: heading, text, state, faint, .. } = self.style.colours;
        write!(f, "{heading}{}{heading:#}", kind_name(window.kind))?;
        if !window.title.is_empty() {
            write!(f, " {text}\"{}\"{text:#}", self.shown(&window.title))?;
        }
        if window.focused {
            write!(f, " {state}focused{state:#}")?;
        }
        if window.modal {
            write!(f, " {state}modal{state:#}")?;
        }
        writeln!(f, " {faint}{} layer {}{faint:#}", window.bounds, window.layer)
    }

    /// The widgets of one window. Nothing is recursive: the nesting may be deeper than the stack.
    fn nodes(&self, f: &mut fmt::Formatter<'_>, nodes: &[Node]) -> fmt::Result {
        let Colours { faint, .. } = self.style.colours;
        let Some(last) = nodes.last() else { return Ok(()) };
        // Where the subtree of each open widget ends, and whether it is the last of its siblings.
        let mut open: Vec<(u32, bool)> = Vec::new();
        let mut lines = String::new();
        for node in nodes {
            open.truncate(node.depth as usize);
            let parent_end = open.last().map_or(last.end.0, |&(end, _)| end);
            let is_last = node.end.0 == parent_end;
            lines.clear();
            for &(_, last) in open.iter().take(self.style.max_indent) {
                lines.push_str(if last { "   " } else { "│  " });
            }
            lines.push_str(if is_last { "└─ " } else { "├─ " });
            if open.len() > self.style.max_indent {
                write!(lines, "{}: ", open.len())?;
            }
            write!(f, "{faint}{lines}{faint:#}")?;
            self.widget(f, &node.widget)?;
            open.push((node.end.0, is_last));
        }
        Ok(())
    }

    fn widget(&self, f: &mut fmt::Formatter<'_>, widget: &Widget) -> fmt::Result {
        let Colours { active, id, text, action, state, faint, .. } = self.style.colours;
        let class = if widget.is_actionable() { active } else { Style::new() };
        let name = if widget.class.is_empty() { "?" } else { widget.short_class() };
        write!(f, "{class}{}{class:#}", self.shown(name))?;
        if !widget.resource_id.is_empty() {
            write!(f, " {id}#{}{id:#}", self.shown(widget.short_id()))?;
        }
        if !widget.text.is_empty() {
            write!(f, " {text}\"{}\"{text:#}", self.shown(&widget.text))?;
        }
        if !widget.content_desc.is_empty() {
            write!(f, " {text}({}){text:#}", self.shown(&widget.content_desc))?;
        }
        if !widget.hint.is_empty() {
            write!(f, " {faint}hint \"{}\"{faint:#}", self.shown(&widget.hint))?;
        }
        if !widget.state_desc.is_empty() {
            write!(f, " {faint}state \"{}\"{faint:#}", self.shown(&widget.state_desc))?;
        }
        let states = States(widget.flags).to_string();
        if !states.is_empty() {
            write!(f, "{state}{states}{state:#}")?;
        }
        if !widget.actions.is_empty() {
            write!(f, " {action}{}{action:#}", Actions(widget.actions))?;
        }
        writeln!(f, " {faint}{}{faint:#}", widget.bounds)
    }

    fn shown<'a>(&self, text: &'a str) -> Shown<'a> {
        Shown { text, max: self.style.max_text }
    }
}

fn kind_name(kind: WindowKind) -> &'static str {
    match kind {
        WindowKind::Application => "window",
        WindowKind::Dialog => "dialog",
        WindowKind::Popup => "popup",
        WindowKind::InputMethod => "keyboard",
        WindowKind::Toast => "toast",
        WindowKind::System => "system window",
    }
}

/// The states worth a mark, each with a space before it. What most widgets are, such as enabled, is not.
struct States(Flags);

impl fmt::Display for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.contains(Flags::CHECKABLE) {
            f.write_str(if self.0.contains(Flags::CHECKED) { " ☑" } else { " ☐" })?;
        } else if self.0.contains(Flags::CHECKED) {
            f.write_str(" checked")?;
        }
        for (flag, word) in [
            (Flags::FOCUSED, " focused"),
            (Flags::SELECTED, " selected"),
            (Flags::PASSWORD, " password"),
            (Flags::DISMISSABLE, " dismissable"),
            (Flags::CONTENT_INVALID, " invalid"),
        ] {
            if self.0.contains(flag) {
                f.write_str(word)?;
            }
        }
        for (flag, word) in [(Flags::ENABLED, " disabled"), (Flags::VISIBLE, " hidden")] {
            if !self.0.contains(flag) {
                f.write_str(word)?;
            }
        }
        Ok(())
    }
}

/// What can be done to a widget, in braces: `{tap hold ↓↑ type}`.
struct Actions(ActionSet);

impl fmt::Display for Actions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scrolls = ActionSet::SCROLL_VERTICAL | ActionSet::SCROLL_HORIZONTAL;
        let mut separator = "{";
        for (action, word) in [
            (ActionSet::TAP, "tap"),
            (ActionSet::LONG_TAP, "hold"),
            (scrolls, ""),
            (ActionSet::TEXT, "type"),
            (ActionSet::PINCH, "pinch"),
        ] {
            if self.0.intersects(action) {
                f.write_str(separator)?;
                f.write_str(word)?;
                separator = " ";
            }
            if action == scrolls {
                self.arrows(f)?;
            }
        }
        f.write_char('}')
    }
}

impl Actions {
    fn arrows(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (action, arrow) in [
            (ActionSet::SCROLL_DOWN, '↓'),
            (ActionSet::SCROLL_UP, '↑'),
            (ActionSet::SCROLL_RIGHT, '→'),
            (ActionSet::SCROLL_LEFT, '←'),
        ] {
            if self.0.contains(action) {
                f.write_char(arrow)?;
            }
        }
        Ok(())
    }
}

/// A text on one line, cut to a length. What an app says is data: nothing in it may move the cursor, change colours or
/// turn the direction of the line.
struct Shown<'a> {
    text: &'a str,
    max: usize,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut used = 0;
        for c in self.text.chars() {
            let escaped = match c {
                '\n' => "⏎".to_owned(),
                '\t' => "⇥".to_owned(),
                c if c.is_control() || is_invisible(c) => c.escape_unicode().to_string(),
                c => c.to_string(),
            };
            used += escaped.chars().count();
            if used > self.max {
                return f.write_char('…');
            }
            f.write_str(&escaped)?;
        }
        Ok(())
    }
}

/// Characters that change how others look, or that cannot be seen.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests;
