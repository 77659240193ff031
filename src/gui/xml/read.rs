//! From the tags of a dump to a GUI tree.

use smol_str::SmolStr;

use super::decode::decode;
use super::elements::{Element, read_dump, read_widget, read_window};
use super::issue::{IssueKind, Issues, ParseIssue, excerpt};
use super::tags::{Tag, Tags};
use super::words;
use crate::gui::tree::{Rotation, WidgetPool};
use crate::gui::{GuiTree, TreeBuilder, Widget, Window, WindowKind};

/// More widgets than any screen has; a file with more is no dump, and must not fill the memory.
const MAX_WIDGETS: usize = 200_000;

/// Reads a dump. Whatever is wrong with it ends up in the list, and whatever is readable in the tree.
pub fn read(bytes: &[u8]) -> (GuiTree, Vec<ParseIssue>) {
    read_with(&mut WidgetPool::default(), bytes)
}

/// Reads a dump into a pool, so that the widgets that many dumps have in common are kept once.
pub fn read_with(pool: &mut WidgetPool, bytes: &[u8]) -> (GuiTree, Vec<ParseIssue>) {
    let mut issues = Issues::default();
    let text = decode(bytes, &mut issues);
    let mut reading = Reading { issues, ..Reading::default() };
    let mut tags = Tags::new(&text);
    while let Some(tag) = tags.next(&mut reading.issues) {
        if reading.widgets >= MAX_WIDGETS {
            reading.issues.conclude(text.len(), IssueKind::TooManyWidgets(MAX_WIDGETS));
            break;
        }
        reading.take(&tag);
    }
    if tags.truncated || !reading.open.is_empty() {
        reading.issues.conclude(text.len(), IssueKind::Truncated(reading.open.len()));
    }
    if reading.dumps == 0 && reading.widgets == 0 {
        reading.issues.conclude(text.len(), IssueKind::NoDump);
    }
    let (tree, issues) = reading.finish(pool);
    (tree, issues.finish(&text))
}

/// The state of reading: what is open, and the windows so far.
#[derive(Default)]
struct Reading {
    issues: Issues,
    activity: Option<SmolStr>,
    rotation: Option<Rotation>,
    windows: Vec<PendingWindow>,
    open: Vec<Open>,
    /// How many elements of each sort are open, so that an end tag finds out at once whether it closes any.
    counts: [u32; 6],
    widgets: usize,
    dumps: usize,
    /// Start and end tags did not match: what follows may lie too high in the tree.
    unbalanced: bool,
    after_text: bool,
}

/// A window with its widgets in reading order. Dumps list windows topmost first and may nest them, so the tree can be
/// built only when all are known.
struct PendingWindow {
    window: Window,
    has_bounds: bool,
    has_layer: bool,
    /// It was made for a widget outside all window elements.
    plain: bool,
    nodes: Vec<(Widget, u32)>,
}

/// An element that is open.
#[derive(Clone, Copy)]
struct Open {
    element: Element,
    /// The window that widgets inside belong to.
    window: Option<usize>,
    /// How deep in its window a widget directly inside lies.
    depth: u32,
    /// How many widgets lie directly inside so far.
    children: u32,
}

impl Reading {
    fn take(&mut self, tag: &Tag<'_>) {
        match *tag {
            Tag::Open { name, at, empty, .. } => {
                let open = self.start(tag, name, at);
                if !empty {
                    self.counts[open.element as usize] += 1;
                    self.open.push(open);
                }
            }
            Tag::Close { name, at } => self.end(name, at),
            Tag::Text { text, at } if !self.after_text && !is_usual(text) => {
                self.issues.report(at, IssueKind::StrayText(excerpt(text)));
            }
            Tag::Text { .. } => {}
        }
        self.after_text = matches!(tag, Tag::Text { .. });
    }

    fn start(&mut self, tag: &Tag<'_>, name: &str, at: usize) -> Open {
        let element = Element::of(name);
        let outer = self.open.last().copied();
        let inherited = Open {
            element,
            window: outer.and_then(|open| open.window),
            depth: outer.map_or(0, |open| open.depth),
            children: 0,
        };
        match element {
            Element::Node => self.start_widget(tag, inherited),
            Element::Window => {
                let read = read_window(tag, &mut self.issues);
                if !read.has_bounds {
                    self.issues.report(at, IssueKind::MissingAttribute("bounds"));
                }
                let window = self.windows.len();
                self.windows.push(PendingWindow {
                    window: read.window,
                    has_bounds: read.has_bounds,
                    has_layer: read.has_layer,
                    plain: false,
                    nodes: Vec::new(),
                });
                Open { window: Some(window), depth: 0, ..inherited }
            }
            Element::Hierarchy | Element::Displays => {
                let dump = read_dump(tag, &mut self.issues);
                self.activity = self.activity.take().or(dump.activity);
                self.rotation = self.rotation.or(dump.rotation);
                if outer.is_none() {
                    if self.dumps > 0 {
                        self.issues.report(at, IssueKind::SecondDump);
                    }
                    self.dumps += 1;
                }
                inherited
            }
            Element::Display => inherited,
            Element::Unknown => {
                self.issues.report(at, IssueKind::UnknownElement(excerpt(name)));
                inherited
            }
        }
    }

    fn start_widget(&mut self, tag: &Tag<'_>, place: Open) -> Open {
        let siblings = self.open.last_mut().map(|outer| &mut outer.children);
        let index = siblings.map_or(0, |siblings| {
            *siblings += 1;
            *siblings - 1
        });
        let widget = read_widget(tag, index, &mut self.issues);
        let window = place.window.unwrap_or_else(|| self.plain_window(&widget));
        self.windows[window].nodes.push((widget, place.depth));
        self.widgets += 1;
        Open { window: Some(window), depth: place.depth + 1, ..place }
    }

    /// The window of a widget that lies in none. A plain dump has one such widget, the root of the active window; a
    /// page source has one for each window. But if tags did not match, it is more likely a lost child.
    fn plain_window(&mut self, root: &Widget) -> usize {
        let last = self.windows.iter().rposition(|pending| pending.plain);
        if let (Some(last), true) = (last, self.unbalanced) {
            return last;
        }
        let is_system = root.package == words::SYSTEM_UI;
        self.windows.push(PendingWindow {
            window: Window {
                kind: if is_system { WindowKind::System } else { WindowKind::Application },
                focused: last.is_none(),
                ..Window::application(root.bounds)
            },
            has_bounds: true,
            has_layer: false,
            plain: true,
            nodes: Vec::new(),
        });
        self.windows.len() - 1
    }

    fn end(&mut self, name: &str, at: usize) {
        let element = Element::of(name);
        if self.counts[element as usize] == 0 {
            self.unbalanced = true;
            self.issues.report(at, IssueKind::UnexpectedClose(excerpt(name)));
            return;
        }
        let mut unclosed = 0;
        while let Some(open) = self.open.pop() {
            self.counts[open.element as usize] -= 1;
            if open.element == element {
                break;
            }
            unclosed += 1;
        }
        if unclosed > 0 {
            self.unbalanced = true;
            self.issues.report(at, IssueKind::Unclosed(excerpt(name), unclosed));
        }
    }

    /// Builds the tree, lowest window first.
    fn finish(mut self, pool: &mut WidgetPool) -> (GuiTree, Issues) {
        self.windows.reverse();
        if self.windows.iter().all(|pending| pending.has_layer) {
            self.windows.sort_by_key(|pending| pending.window.layer);
        } else {
            for (layer, pending) in self.windows.iter_mut().enumerate() {
                pending.window.layer = layer as i32;
            }
        }
        let mut builder = TreeBuilder::new(pool, self.activity.unwrap_or_default());
        builder.rotation(self.rotation.unwrap_or_default());
        for pending in self.windows {
            let mut window = pending.window;
            if let (false, Some((root, _))) = (pending.has_bounds, pending.nodes.first()) {
                window.bounds = root.bounds;
            }
            builder.window(window);
            let mut open = 0;
            for (widget, depth) in pending.nodes {
                while open > depth {
                    builder.close();
                    open -= 1;
                }
                builder.open(widget);
                open += 1;
            }
        }
        (builder.finish(), self.issues)
    }
}

/// What `uiautomator dump` says after a dump to the terminal, in both spellings.
fn is_usual(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("UI hierchary dumped to") || text.starts_with("UI hierarchy dumped to")
}

#[cfg(test)]
mod tests;
