//! Reading, writing and showing uiautomator dumps, from outside the crate.

#[path = "support/dumps.rs"]
mod dumps;

use insta::assert_snapshot;
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use siamang::gui::print::{PrintStyle, inspect_dump};
use siamang::gui::tree::WidgetPool;
use siamang::gui::xml::{self, IssueKind};
use siamang::gui::{ActionSet, Bounds, Flags, GuiTree, TreeBuilder, Widget, Window, WindowKind};

const LOGIN: &str = include_str!("fixtures/dumps/android5_login.xml");
const LIST: &str = include_str!("fixtures/dumps/android9_list.xml");
const WINDOWS: &str = include_str!("fixtures/dumps/android14_windows.xml");
const PAGE_SOURCE: &str = include_str!("fixtures/dumps/page_source.xml");
const DAMAGED: &str = include_str!("fixtures/dumps/damaged.xml");

/// The tree as people see it, and below it the issues.
fn shown(dump: &str) -> String {
    let (text, issues) = inspect_dump(dump.as_bytes(), PrintStyle::plain());
    let issues: Vec<_> = issues.iter().map(ToString::to_string).collect();
    format!("{text}{}", issues.join("\n"))
}

#[test]
fn a_login_form_of_android_5_is_read() {
    assert_snapshot!(shown(LOGIN), @r#"
    window focused [0,0][1080,1776] layer 0
    └─ FrameLayout [0,0][1080,1776]
       └─ LinearLayout #content [0,0][1080,1776]
          ├─ View #toolbar [0,75][1080,243]
          │  ├─ ImageButton {tap} [0,75][168,243]
          │  └─ TextView "Sign in 😀" [216,122][560,195]
          └─ ScrollView #form {↓↑} [0,243][1080,1776]
             └─ LinearLayout [48,243][1032,1104]
                ├─ EditText #address "anna@example.org" focused {tap hold type} [48,291][1032,435]
                ├─ EditText #password (Password) password {tap hold type} [48,459][1032,603]
                ├─ CheckBox #stay "Stay signed in" ☑ {tap} [48,627][1032,771]
                ├─ TextView #terms "Terms & conditions⏎apply <everywhere>" [48,795][1032,867]
                └─ Button #sign_in "SIGN IN" disabled {tap} [48,915][1032,1059]
    "#);
}

#[test]
fn a_list_of_android_9_is_read_and_the_usual_message_after_it_is_no_issue() {
    assert_snapshot!(shown(LIST), @r#"
    window focused [0,0][1080,2160] layer 0
    └─ FrameLayout [0,0][1080,2160]
       └─ DrawerLayout #drawer [0,0][1080,2160]
          ├─ ViewGroup #toolbar [0,84][1080,252]
          │  ├─ ImageButton (Open navigation drawer) {tap} [0,84][168,252]
          │  ├─ TextView "Ceylon Tea" [216,132][474,204]
          │  └─ TextView #action_search (Search) {tap hold} [912,96][1080,240]
          ├─ HorizontalScrollView #tabs {→←} [0,252][1080,396]
          │  └─ LinearLayout [0,252][1080,396]
          │     ├─ Tab (Black) selected {tap} [0,252][540,396]
          │     │  └─ TextView "BLACK" selected [180,300][360,348]
          │     └─ Tab (Green) {tap} [540,252][1080,396]
          │        └─ TextView "GREEN" [720,300][900,348]
          └─ RecyclerView #list {↓↑→←} [0,396][1080,2034]
             ├─ ViewGroup #row {tap hold} [0,396][1080,636]
             │  ├─ ImageView #picture (Picture of Uva "Highlands") [32,428][208,604]
             │  ├─ TextView #name "Uva "Highlands"" [240,436][840,506]
             │  ├─ TextView #price "12,50 €" [240,516][840,586]
             │  └─ ImageButton #like (Like) selected {tap} [880,456][1000,576]
             ├─ ViewGroup #row {tap hold} [0,636][1080,876]
             │  ├─ ImageView #picture (Picture of Dimbula) [32,668][208,844]
             │  ├─ TextView #name "Dimbula" [240,676][840,746]
             │  ├─ TextView #price "9,80 €" [240,756][840,826]
             │  └─ ImageButton #like (Like) {tap} [880,696][1000,816]
             └─ ViewGroup #row {tap hold} [0,876][1080,1116]
                ├─ ImageView #picture (Picture of ජාත්‍යන්තර තේ) [32,908][208,1084]
                ├─ TextView #name "ජාත්‍යන්තර තේ" [240,916][840,986]
                ├─ TextView #price "14,00 €" [240,996][840,1066]
                └─ ImageButton #like (Like) {tap} [880,936][1000,1056]
    "#);
}

#[test]
fn the_windows_of_android_14_come_topmost_first() {
    assert_snapshot!(shown(WINDOWS), @r#"
    keyboard [0,1517][1080,2400] layer 5
    └─ FrameLayout [0,1517][1080,2400]
       ├─ View "q" (q) {tap} [0,1517][108,1660]
       ├─ View "w" (w) {tap} [108,1517][216,1660]
       └─ View #key_done (Done) {tap hold} [900,2100][1080,2243]
    system window "Status bar" [0,0][1080,128] layer 4
    └─ FrameLayout [0,0][1080,128]
       ├─ TextView #clock "12:07" (12:07 PM) [42,0][160,128]
       └─ ImageView (Wi-Fi signal full.) [900,40][950,90]
    system window "Navigation bar" [0,2340][1080,2400] layer 3
    └─ FrameLayout [0,2340][1080,2400]
       └─ ImageView #back (Back) {tap hold} [120,2340][360,2400]
    window "New folder" focused [64,480][1016,1200] layer 2
    └─ FrameLayout [64,480][1016,1200]
       ├─ TextView #title "New folder" [136,540][944,620]
       ├─ EditText #folder_name "Name" hint "Name" focused {tap hold type} [136,660][944,800]
       ├─ Button #button2 "Cancel" {tap} [600,1040][780,1160]
       └─ Button #button1 "OK" disabled {tap} [780,1040][960,1160]
    window "Files" [0,0][1080,2400] layer 1
    └─ FrameLayout [0,0][1080,2400]
       └─ ComposeView [0,0][1080,2400]
          └─ View [0,128][1080,2400]
             ├─ View [0,128][1080,300]
             │  ├─ TextView "Files" [60,180][400,250]
             │  └─ Button (More options) {tap} [900,140][1044,284]
             └─ View {↓↑→←} [0,300][1080,2400]
                ├─ CheckBox "Show hidden" ☐ {tap} [0,300][1080,480]
                └─ TextView "Empty folder 📁" [60,520][700,600]
    "#);
}

#[test]
fn a_page_source_has_a_window_for_each_root() {
    assert_snapshot!(shown(PAGE_SOURCE), @r#"
    window focused [0,0][1080,2280] layer 1
    └─ FrameLayout [0,0][1080,2280]
       └─ ListView #notes {↓↑} [0,200][1080,2280]
          ├─ TextView "Buy milk" {tap} [0,200][1080,360]
          └─ TextView "Call Ana" hint "note" hidden {tap} [0,360][1080,520]
    system window [0,0][1080,80] layer 0
    └─ FrameLayout [0,0][1080,80]
       └─ TextView #clock "9:41" [40,0][160,80]
    "#);
}

#[test]
fn of_a_damaged_dump_everything_readable_is_kept() {
    assert_snapshot!(shown(DAMAGED), @r#"
    window focused [0,0][720,1280] layer 0
    └─ FrameLayout [0,0][720,1280]
       ├─ TextView "Fish & chips&nbsp;today" [0,0][720,100]
       ├─ Button "Say "hi" to all" {tap} [0,100][720,200]
       ├─ Button "A lost quote" {tap} [0,200][720,300]
       ├─ TextView "Half an emoji �" [0,300][720,400]
       ├─ TextView "first" [0,400][720,500]
       ├─ TextView "A lost bracket" [0,500][720,600]
       │  └─ TextView "inside" hidden [0,0][0,0]
       ├─ ? "No bounds" hidden {tap} [0,0][0,0]
       └─ LinearLayout "Unclosed⏎" [0,700][720,800]
          └─ TextView "In an unknown element" [0,700][720,800]
    1:1: text between elements ignored: `WARNING: linker: libdvm.so has text relo…`
    4:28: a bare `&`; kept as it is
    4:35: unknown entity `&nbsp;`; kept as it is
    5:23: broken attribute near `text=Say "hi" to all`
    6:1: broken tag `<node index="2" text="A lost quote class…`; reading goes on at the next tag
    6:23: broken attribute near `text=A lost quote`
    7:37: `&#55357;` is no character; read as �
    7:87: bounds `0,300,720,400` are not `[left,top][right,bottom]`; read as [0,300][720,400]
    8:14: `index` is `x`, not a number that fits; read as 0
    8:36: the attribute `text` comes twice; the first one counts
    8:87: `clickable` is `maybe`, neither `true` nor `false`; read as false
    9:1: broken tag `<node index="5" text="A lost bracket" cl…`; reading goes on at the next tag
    10:71: bounds `nowhere` are not `[left,top][right,bottom]`; read as [0,0][0,0]
    11:1: the attribute `class` is missing
    11:1: the attribute `bounds` is missing
    11:44: broken attribute near `clickable=true`
    14:1: unknown element `banner`; its children are kept
    15:1: `</hierarchy>` comes while 2 inner elements are open; they are closed here
    15:13: text between elements ignored: `Killed`
    "#);
}

#[test]
fn what_is_no_dump_gives_an_empty_tree_and_says_so() {
    for text in ["", " \n", "ERROR: could not get idle state.", "<html><body>404</body></html>", "{\"a\": 1}"]
    {
        let (tree, issues) = xml::read(text.as_bytes());
        assert_eq!(tree, GuiTree::empty());
        assert_eq!(issues.last().map(|issue| &issue.kind), Some(&IssueKind::NoDump), "{text}");
    }
}

#[test]
fn a_dump_without_widgets_is_an_empty_tree_without_issues() {
    assert_eq!(xml::read(b"<hierarchy rotation=\"0\" />"), (GuiTree::empty(), vec![]));
}

#[test]
fn twenty_thousand_levels_are_read_written_and_shown() {
    let dump = dumps::deep_dump(20_000);
    let (tree, issues) = xml::read(dump.as_bytes());
    assert_eq!(issues, []);
    assert_eq!(tree.nodes().len(), 20_000);
    assert_eq!(tree.nodes()[19_999].depth, 19_999);
    assert_eq!(xml::read(xml::write(&tree).as_bytes()), (tree, vec![]));
    assert_eq!(inspect_dump(dump.as_bytes(), PrintStyle::coloured()).0.lines().count(), 20_001);
}

#[test]
fn the_memory_of_a_hostile_dump_is_bounded() {
    let (tree, issues) = xml::read("<node>".repeat(300_000).as_bytes());
    assert_eq!(tree.nodes().len(), 200_000);
    assert!(issues.iter().any(|issue| matches!(issue.kind, IssueKind::TooManyWidgets(_))));
    assert!(issues.len() < 1_010);
}

#[test]
fn every_truncation_of_a_dump_gives_a_prefix_of_its_windows() {
    for dump in [LOGIN, LIST, WINDOWS, PAGE_SOURCE] {
        let (whole, _) = xml::read(dump.as_bytes());
        let complete = dump.rfind('>').unwrap();
        let mut most = 0;
        for end in 0..=complete {
            let (part, issues) = xml::read(&dump.as_bytes()[..end]);
            assert_is_prefix(&part, &whole);
            assert!(part.nodes().len() >= most, "a longer file has as many widgets");
            assert!(!issues.is_empty(), "a truncation at {end} is told");
            most = part.nodes().len();
        }
        assert_eq!(most, whole.nodes().len());
    }
}

/// Each window of `part` is one of `whole`, and its widgets are the first of that one's.
fn assert_is_prefix(part: &GuiTree, whole: &GuiTree) {
    let widgets = |tree: &GuiTree, ix: usize| -> Vec<_> {
        let nodes = tree.nodes().iter().filter(|node| node.window as usize == ix);
        nodes.map(|node| (node.depth, node.widget.clone())).collect()
    };
    for (ix, window) in part.windows().iter().enumerate() {
        let same = |other: &Window| other.title == window.title && other.bounds == window.bounds;
        let twin = whole.windows().iter().position(same).expect("a window of the whole dump");
        assert!(widgets(whole, twin).starts_with(&widgets(part, ix)));
    }
}

#[test]
fn any_broken_byte_costs_at_most_two_widgets() {
    let (whole, _) = xml::read(LOGIN.as_bytes());
    for at in 0..LOGIN.len() {
        for byte in *b"\"<>/\xff" {
            let mut dump = LOGIN.as_bytes().to_vec();
            dump[at] = byte;
            let (tree, _) = xml::read(&dump);
            let lost = whole.nodes().len().saturating_sub(tree.nodes().len());
            assert!(lost <= 2, "{lost} widgets lost to {byte:#x} at {at}");
        }
    }
}

#[test]
fn the_fixtures_survive_a_round_trip() {
    for dump in [LOGIN, LIST, WINDOWS, PAGE_SOURCE, DAMAGED] {
        let (tree, _) = xml::read(dump.as_bytes());
        assert_eq!(xml::read(xml::write(&tree).as_bytes()), (tree, vec![]));
    }
}

#[test]
fn a_plain_window_is_written_as_uiautomator_would() {
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, "");
    let flags = Flags::CLICKABLE | Flags::ENABLED | Flags::VISIBLE;
    builder.leaf(Widget {
        class: "android.widget.Button".into(),
        text: "a \"b\" <c> & d\n\u{1}".into(),
        bounds: Bounds::new(0, 0, 10, 10),
        flags,
        actions: ActionSet::TAP,
        ..Widget::default()
    });
    assert_snapshot!(xml::write(&builder.finish()), @r#"
    <?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
    <hierarchy rotation="0">
    <node index="0" text="a &quot;b&quot; &lt;c&gt; &amp; d&#10;&#1;" resource-id="" class="android.widget.Button" package="" content-desc="" checkable="false" checked="false" clickable="true" enabled="true" focusable="false" focused="false" scrollable="false" long-clickable="false" password="false" selected="false" bounds="[0,0][10,10]" />
    </hierarchy>
    "#);
}

#[test]
fn windows_are_written_as_uiautomator_would() {
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, "org.example.Main");
    builder.window(Window::application(Bounds::new(0, 0, 10, 10)));
    builder.leaf(Widget { input_type: 1, drawing_order: 2, actions: ActionSet::PINCH, ..Widget::default() });
    builder.window(Window {
        kind: WindowKind::Toast,
        layer: 7,
        focused: false,
        ..Window::application(Bounds::new(2, 2, 8, 4))
    });
    assert_snapshot!(xml::write(&builder.finish()), @r#"
    <?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
    <displays activity="org.example.Main">
    <display id="0">
    <window index="0" title="" bounds="[2,2][8,4]" active="false" focused="false" layer="7" type="TYPE_SYSTEM" kind="toast" />
    <window index="1" title="" bounds="[0,0][10,10]" active="true" focused="true" layer="0" type="TYPE_APPLICATION">
    <hierarchy rotation="0">
    <node index="0" text="" resource-id="" class="" package="" content-desc="" checkable="false" checked="false" clickable="false" enabled="false" focusable="false" focused="false" scrollable="false" long-clickable="false" password="false" selected="false" bounds="[0,0][0,0]" drawing-order="2" input-type="1" actions="pinch" />
    </hierarchy>
    </window>
    </display>
    </displays>
    "#);
}

#[test]
fn a_dump_made_to_measure_has_its_size_and_no_issues() {
    let dump = dumps::dump_of_size(120_000);
    assert!((120_000..122_000).contains(&dump.len()));
    assert_eq!(xml::read(dump.as_bytes()).1, []);
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[a-zA-Z .:/]{1,30}",
        any::<String>(),
        "[&<>\"'=;#\\n\\r\\t \u{0}\u{1f}\u{85}\u{2028}\u{feff}\u{fffe}\u{fffd}😀]{0,12}",
        Just("<node text=\"x\" /></node>&#55357;&amp;&nbsp;".to_owned()),
    ]
}

fn any_class() -> impl Strategy<Value = String> {
    prop_oneof![
        any_text(),
        Just("android.widget.EditText".to_owned()),
        Just("android.widget.ListView".to_owned()),
    ]
}

fn any_bounds() -> impl Strategy<Value = Bounds> {
    prop_oneof![
        (-50..2000, -50..2000, -50..2000, -50..2000).prop_map(|(l, t, r, b)| Bounds::new(l, t, r, b)),
        any::<[i32; 4]>().prop_map(|[l, t, r, b]| Bounds::new(l, t, r, b)),
    ]
}

fn any_widget() -> impl Strategy<Value = Widget> {
    let texts = (any_class(), any_text(), any_text(), any_text(), any_text(), any_text(), any_text());
    let rest = (any::<u32>(), any_bounds(), any::<u16>(), any::<u16>(), any::<i32>(), any::<i32>());
    (texts, rest).prop_map(|(texts, (index, bounds, flags, actions, drawing_order, input_type))| Widget {
        class: texts.0.into(),
        package: texts.1.into(),
        resource_id: texts.2.into(),
        text: texts.3.into(),
        content_desc: texts.4.into(),
        hint: texts.5.into(),
        state_desc: texts.6.into(),
        index,
        bounds,
        flags: Flags::from_bits_truncate(flags),
        actions: ActionSet::from_bits_truncate(actions),
        drawing_order,
        input_type,
    })
}

fn any_window() -> impl Strategy<Value = Window> {
    let kinds = [
        WindowKind::Application,
        WindowKind::Dialog,
        WindowKind::Popup,
        WindowKind::InputMethod,
        WindowKind::Toast,
        WindowKind::System,
    ];
    let kind = proptest::sample::select(kinds.to_vec());
    (kind, any::<i32>(), any::<bool>(), any_text(), any_bounds(), any::<bool>()).prop_map(
        |(kind, layer, focused, title, bounds, modal)| Window {
            kind,
            layer,
            focused,
            title: title.into(),
            bounds,
            modal,
            root: None,
        },
    )
}

/// Windows in the order of their layers, each with widgets and how many to close before each.
fn any_tree() -> impl Strategy<Value = GuiTree> {
    let nodes = prop::collection::vec((any_widget(), 0..4_usize), 0..8);
    (any_text(), prop::collection::vec((any_window(), nodes), 0..4)).prop_map(|(activity, mut windows)| {
        windows.sort_by_key(|(window, _)| window.layer);
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, activity);
        for (window, nodes) in windows {
            builder.window(window);
            for (widget, closes) in nodes {
                (0..closes).for_each(|_| builder.close());
                builder.open(widget);
            }
        }
        builder.finish()
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_written_is_read_again_without_loss(tree in any_tree()) {
        let (read, issues) = xml::read(xml::write(&tree).as_bytes());
        prop_assert_eq!(issues, vec![]);
        prop_assert_eq!(read.hash(), tree.hash());
        prop_assert_eq!(read, tree);
    }

    #[test]
    fn a_written_tree_cut_anywhere_gives_a_prefix(tree in any_tree(), cut in 0.0..1.0_f64) {
        let dump = xml::write(&tree);
        let end = (dump.len() as f64 * cut) as usize;
        let (part, _) = xml::read(&dump.as_bytes()[..end]);
        prop_assert!(part.windows().len() <= tree.windows().len());
        prop_assert!(part.nodes().len() <= tree.nodes().len());
        for (ix, window) in part.windows().iter().enumerate() {
            // Layers are in order and windows are written topmost first: what is missing is missing at the bottom.
            let whole = ix + tree.windows().len() - part.windows().len();
            prop_assert_eq!(window.bounds, tree.windows()[whole].bounds);
            let widgets = |tree: &GuiTree, ix: usize| -> Vec<_> {
                let nodes = tree.nodes().iter().filter(|node| node.window as usize == ix);
                nodes.map(|node| (node.depth, node.widget.clone())).collect()
            };
            prop_assert!(widgets(&tree, whole).starts_with(&widgets(&part, ix)));
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        inspect_dump(&bytes, PrintStyle::coloured());
    }

    #[test]
    fn no_markup_makes_the_reader_panic(
        pieces in prop::collection::vec(prop_oneof![
            proptest::sample::select(vec![
                "<", ">", "/>", "</", "<node", "<node ", "</node>", "<window ", "</window>", "<hierarchy", "</hierarchy>",
                "<displays>", "</displays>", "<display>", "<a.b.C ", "</a.b.C>", "<!--", "-->", "<![CDATA[", "]]>", "<?",
                "?>", "<!DOCTYPE", "[", "\"", "'", "=", " ", "\n", "&", "&#", ";", "&#xD83D;", "&#xDE00;", "text=\"",
                "bounds=\"[0,0][1,1]\"", "bounds=\"", "class=\"a\"", "layer=\"", "\u{feff}", "é", "\u{0}",
            ]).prop_map(str::to_owned),
            any::<String>(),
        ], 0..60)
    ) {
        let text = pieces.concat();
        let (tree, issues) = xml::read(text.as_bytes());
        prop_assert!(issues.iter().all(|issue| issue.line >= 1 && issue.column >= 1));
        prop_assert_eq!(xml::read(xml::write(&tree).as_bytes()), (tree, vec![]));
    }

    #[test]
    fn a_damaged_dump_never_makes_the_reader_panic(
        cuts in prop::collection::vec((0..WINDOWS.len(), 0..40_usize, any::<[u8; 2]>()), 1..6)
    ) {
        let mut dump = WINDOWS.as_bytes().to_vec();
        for (at, length, insert) in cuts {
            let at = at.min(dump.len());
            let end = (at + length).min(dump.len());
            dump.splice(at..end, insert);
        }
        inspect_dump(&dump, PrintStyle::plain());
    }
}
