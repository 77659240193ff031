//! A small app in memory: screens of rows, each row leads to another screen. No clock, no files.

use std::sync::Arc;

use siamang::action::{Event, Input, Key};
use siamang::device::{Capabilities, Observation, Reset};
use siamang::gui::tree::{Hit, WidgetPool};
use siamang::gui::{ActionSet, Bounds, Flags, GuiTree, TreeBuilder, Widget, Window};
use siamang::ids::BranchId;
use siamang::oracle::{Failure, FailureKind};

/// What a row does.
#[derive(Clone, Debug)]
pub enum Goes {
    /// To another screen.
    To(usize),
    /// To another screen, and the rows of this one change their order.
    ToAndReorder(usize),
    /// The app fails.
    Crash,
    /// Nothing.
    Stay,
}

/// One screen.
#[derive(Clone, Debug)]
pub struct Page {
    pub activity: &'static str,
    pub rows: Vec<(String, Goes)>,
}

/// The app and where it is.
pub struct Toy {
    start: Vec<Page>,
    pages: Vec<Page>,
    stack: Vec<usize>,
    pool: WidgetPool,
    time_ms: u64,
}

pub const PACKAGE: &str = "org.toy";

pub fn capabilities() -> Capabilities {
    Capabilities {
        kind: "toy",
        package: PACKAGE.into(),
        deterministic: true,
        branches: Vec::new(),
        activities: Vec::new(),
        deep_links: Vec::new(),
        clears: true,
        wears: false,
        snapshots: false,
    }
}

pub fn page(activity: &'static str, rows: &[(&str, Goes)]) -> Page {
    Page { activity, rows: rows.iter().map(|(text, goes)| ((*text).to_owned(), goes.clone())).collect() }
}

impl Toy {
    pub fn new(pages: Vec<Page>) -> Self {
        Self { start: pages.clone(), pages, stack: vec![0], pool: WidgetPool::default(), time_ms: 0 }
    }

    /// A list of files that the app re-orders whenever one is opened: the last used comes first (APE, Fig. 1).
    pub fn drive(files: &[&str]) -> Self {
        let mut pages = vec![Page {
            activity: "Drive",
            rows: files
                .iter()
                .enumerate()
                .map(|(ix, file)| ((*file).to_owned(), Goes::ToAndReorder(ix + 1)))
                .collect(),
        }];
        // Viewers differ in their number of buttons, so that every abstraction tells them apart.
        pages.extend(files.iter().enumerate().map(|(ix, _)| Page {
            activity: [
                "DocView", "XlsView", "PptView", "PdfView", "TxtView", "PngView", "Mp3View", "ZipView",
            ][ix % 8],
            rows: vec![("Share".to_owned(), Goes::Stay)],
        }));
        Self::new(pages)
    }

    /// The pages of a tree-shaped app with a crash in the depth.
    pub fn small() -> Self {
        Self::new(vec![
            page("Main", &[("List", Goes::To(1)), ("Settings", Goes::To(2)), ("About", Goes::Stay)]),
            page("List", &[("One", Goes::To(3)), ("Two", Goes::To(3)), ("Three", Goes::Stay)]),
            page("Settings", &[("Sound", Goes::Stay), ("Reset", Goes::To(0))]),
            page("Detail", &[("Delete", Goes::Crash), ("Share", Goes::Stay)]),
        ])
    }

    pub fn reset(&mut self, reset: Reset) -> Observation {
        if reset == Reset::Clean {
            self.pages = self.start.clone();
        }
        self.stack = vec![0];
        self.time_ms += 1000;
        self.observe(Vec::new(), None, Vec::new())
    }

    pub fn step(&mut self, event: &Event) -> Observation {
        self.time_ms += 300;
        let mut failures = Vec::new();
        let mut rules = Vec::new();
        let mut touched = None;
        match &event.input {
            Input::Key(Key::Back) => {
                self.stack.pop();
            }
            Input::Tap(point) => {
                let hit = self.tree().hit(*point, Flags::CLICKABLE);
                touched = Some(hit);
                if let (Hit::Widget(_, node), Some(&at)) = (hit, self.stack.last()) {
                    let row = node.0 as usize - 1;
                    rules.push(BranchId((at * 16 + row) as u32));
                    match self.pages[at].rows[row].1 {
                        Goes::To(page) => self.stack.push(page),
                        Goes::ToAndReorder(page) => {
                            let used = self.pages[at].rows.remove(row);
                            self.pages[at].rows.insert(0, used);
                            self.stack.push(page);
                        }
                        Goes::Crash => {
                            self.stack.clear();
                            failures.push(Failure {
                                kind: FailureKind::Exit,
                                package: PACKAGE.to_owned(),
                                chain: Vec::new(),
                                message: "boom".to_owned(),
                            });
                        }
                        Goes::Stay => {}
                    }
                }
            }
            Input::Key(Key::Home) => self.stack.clear(),
            _ => {}
        }
        self.observe(failures, touched, rules)
    }

    fn observe(&mut self, failures: Vec<Failure>, hit: Option<Hit>, rules: Vec<BranchId>) -> Observation {
        Observation {
            tree: Arc::new(self.tree()),
            failures,
            running: !self.stack.is_empty(),
            hit,
            coverage: Some(rules.clone()),
            rules: Some(rules),
            time_ms: self.time_ms,
            issues: Vec::new(),
            asked: Vec::new(),
        }
    }

    fn tree(&mut self) -> GuiTree {
        let Some(&at) = self.stack.last() else { return GuiTree::empty() };
        let page = &self.pages[at];
        let rows: Vec<&str> = page.rows.iter().map(|(text, _)| text.as_str()).collect();
        list_tree(&mut self.pool, page.activity, &rows)
    }
}

/// A list with one clickable row for each text.
pub fn list_tree(pool: &mut WidgetPool, activity: &str, rows: &[&str]) -> GuiTree {
    let screen = Bounds::new(0, 0, 1080, 1920);
    let mut builder = TreeBuilder::new(pool, activity);
    builder.window(Window::application(screen));
    builder.open(Widget {
        class: "android.widget.ListView".into(),
        package: PACKAGE.into(),
        bounds: screen,
        flags: Flags::ENABLED | Flags::VISIBLE,
        ..Widget::default()
    });
    for (ix, text) in rows.iter().enumerate() {
        let top = ix as i32 * 100;
        builder.leaf(Widget {
            class: "android.widget.TextView".into(),
            package: PACKAGE.into(),
            text: (*text).into(),
            index: ix as u32,
            bounds: Bounds::new(0, top, 1080, top + 100),
            flags: Flags::ENABLED | Flags::VISIBLE | Flags::CLICKABLE,
            actions: ActionSet::TAP,
            ..Widget::default()
        });
    }
    builder.finish()
}
