//! A screen as a drawing: the boxes and texts of its widgets, and where it was touched.

use std::fmt::Write as _;

use super::page::{data_address, escape};
use crate::action::Input;
use crate::gui::tree::WindowKind;
use crate::gui::{Bounds, Flags, GuiTree, Point, Widget};

/// More widgets than these are not drawn.
const MOST: usize = 600;
/// The letters of a text: how many of the highest and of the lowest are as high as the screen is wide, and how wide one is
/// for its height.
const HIGHEST: f64 = 24.0;
const LOWEST: f64 = 42.0;
const WIDTH_OF_A_LETTER: f64 = 0.55;

/// The screen as SVG, with what the input touches marked. `target` is the widget that it is meant for.
pub fn draw(tree: &GuiTree, input: Option<&Input>, target: Option<Bounds>) -> String {
    let screen = screen(tree);
    let (width, height) = (screen.right - screen.left, screen.bottom - screen.top);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"{} {} {width} {height}\" role=\"img\" font-family=\"sans-serif\">\n\
         <rect x=\"{}\" y=\"{}\" width=\"{width}\" height=\"{height}\" fill=\"#fafafa\"/>\n",
        screen.left, screen.top, screen.left, screen.top
    );
    let mut drawn = 0;
    for window in tree.windows() {
        let Some(root) = window.root else { continue };
        if window.modal && drawn > 0 {
            rectangle(&mut svg, screen, "fill=\"#000\" fill-opacity=\".35\"");
        }
        if window.kind != WindowKind::Application {
            rectangle(&mut svg, window.bounds, "fill=\"#fff\" stroke=\"#888\" stroke-width=\"3\"");
        }
        let end = tree.node(root).end;
        for index in root.0..end.0 {
            let node = &tree.nodes()[index as usize];
            drawn += 1;
            if drawn > MOST {
                break;
            }
            widget(&mut svg, &node.widget, node.end.0 == index + 1, f64::from(width));
        }
    }
    mark(&mut svg, input, target);
    svg.push_str("</svg>\n");
    svg
}

/// A picture of the screen with what the input touches marked; nothing if it is no PNG.
pub fn photo(png: &[u8], input: Option<&Input>, target: Option<Bounds>) -> Option<String> {
    const SIZE: std::ops::Range<usize> = 16..24;
    let (width, height) = png.get(SIZE)?.split_at(4);
    let [width, height] =
        [width, height].map(|four| four.iter().fold(0, |all, &byte| all << 8 | u32::from(byte)));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
         <image width=\"{width}\" height=\"{height}\" href=\"{}\"/>\n",
        data_address("image/png", png)
    );
    mark(&mut svg, input, target);
    svg.push_str("</svg>\n");
    Some(svg)
}

fn mark(svg: &mut String, input: Option<&Input>, target: Option<Bounds>) {
    if let Some(bounds) = target {
        rectangle(svg, bounds, "fill=\"#d55e00\" fill-opacity=\".15\" stroke=\"#d55e00\" stroke-width=\"8\"");
    }
    if let Some(input) = input {
        touch(svg, input);
    }
}

/// The room that all windows take.
fn screen(tree: &GuiTree) -> Bounds {
    const USUAL: Bounds = Bounds { left: 0, top: 0, right: 1080, bottom: 1920 };
    let real = tree.windows().iter().filter(|window| window.root.is_some());
    let all = real.map(|window| window.bounds).reduce(|one, other| Bounds {
        left: one.left.min(other.left),
        top: one.top.min(other.top),
        right: one.right.max(other.right),
        bottom: one.bottom.max(other.bottom),
    });
    all.filter(|all| {
        let sizes = [all.right.saturating_sub(all.left), all.bottom.saturating_sub(all.top)];
        sizes.iter().all(|size| (1..=20_000).contains(size))
    })
    .unwrap_or(USUAL)
}

fn rectangle(svg: &mut String, bounds: Bounds, look: &str) {
    let (width, height) =
        (bounds.right.saturating_sub(bounds.left), bounds.bottom.saturating_sub(bounds.top));
    if width > 0 && height > 0 {
        let Bounds { left, top, .. } = bounds;
        let _ =
            writeln!(svg, "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" {look}/>");
    }
}

fn widget(svg: &mut String, widget: &Widget, is_leaf: bool, screen: f64) {
    if !widget.flags.contains(Flags::VISIBLE) {
        return;
    }
    let reacts = widget.flags.intersects(Flags::CLICKABLE | Flags::EDITABLE | Flags::CHECKABLE);
    let look = match (reacts, is_leaf) {
        (true, _) => "fill=\"#e3ecf7\" stroke=\"#5b7fa6\" stroke-width=\"2\"",
        (false, true) => "fill=\"none\" stroke=\"#ccc\" stroke-width=\"1\"",
        (false, false) => "fill=\"none\"",
    };
    if reacts || is_leaf {
        rectangle(svg, widget.bounds, look);
    }
    let said = [&widget.text, &widget.content_desc, &widget.hint].into_iter().find(|said| !said.is_empty());
    let Some(said) = said else { return };
    let Bounds { left, top, right, bottom } = widget.bounds;
    let (width, height) = (f64::from(right.saturating_sub(left)), f64::from(bottom.saturating_sub(top)));
    let size = (height * 0.7).clamp(screen / LOWEST, screen / HIGHEST);
    let room = (width / (size * WIDTH_OF_A_LETTER)) as usize;
    if room == 0 {
        return;
    }
    let mut shown: String = said.chars().take(room).collect();
    if said.chars().count() > room {
        shown.pop();
        shown.push('…');
    }
    let faint = if widget.text.is_empty() { " fill-opacity=\".55\"" } else { "" };
    let mark = match (widget.flags.contains(Flags::CHECKABLE), widget.flags.contains(Flags::CHECKED)) {
        (true, true) => "☑ ",
        (true, false) => "☐ ",
        (false, _) => "",
    };
    let _ = writeln!(
        svg,
        "<text x=\"{:.0}\" y=\"{:.0}\" font-size=\"{size:.0}\" fill=\"#222\"{faint}>{mark}{}</text>",
        f64::from(left) + 4.0,
        f64::from(top) + (height / 2.0).min(size) + size * 0.35,
        escape(&shown)
    );
}

fn touch(svg: &mut String, input: &Input) {
    let dot = |svg: &mut String, Point { x, y }: Point| {
        let _ = writeln!(
            svg,
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"26\" fill=\"#d55e00\" fill-opacity=\".55\" stroke=\"#fff\" stroke-width=\"4\"/>"
        );
    };
    if let Input::Swipe { from, to } = input {
        let _ = writeln!(
            svg,
            "<path d=\"M{} {}L{} {}\" stroke=\"#d55e00\" stroke-width=\"12\" stroke-opacity=\".7\"/>",
            from.x, from.y, to.x, to.y
        );
        dot(svg, *to);
    } else if let Some(point) = input.point() {
        dot(svg, point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::xml;

    #[test]
    fn a_screen_is_boxes_and_texts_and_what_it_says_is_no_markup() {
        let dump = r#"<hierarchy rotation="0"><node index="0" class="android.widget.FrameLayout" package="a" bounds="[0,0][400,800]" enabled="true">
            <node index="0" text="&lt;b&gt;Save&lt;/b&gt;" class="android.widget.Button" package="a" clickable="true" enabled="true" bounds="[10,20][390,100]"/>
            </node></hierarchy>"#;
        let (tree, _) = xml::read(dump.as_bytes());
        let svg = draw(&tree, Some(&Input::Tap(Point { x: 50, y: 60 })), None);
        assert!(svg.contains("&lt;b&gt;Save&lt;/b&gt;") && !svg.contains("<b>"), "{svg}");
        assert!(
            svg.contains("viewBox=\"0 0 400 800\"") && svg.contains("<circle cx=\"50\" cy=\"60\""),
            "{svg}"
        );
    }
}
