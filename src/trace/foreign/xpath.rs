//! The widget in one of APE's `XPaths`.

use smol_str::SmolStr;

use crate::gui::{Bounds, Selector, WindowKind};

#[derive(Default)]
struct Node {
    class: SmolStr,
    id: SmolStr,
    text: SmolStr,
    description: SmolStr,
    index: Option<u32>,
}

/// The selector of the last node of `/*[@class="…"][@resource-id="…"][@index=0]/*[…]`.
pub(super) fn selector(xpath: &str, bounds: Bounds) -> Option<Selector> {
    let whole = xpath.starts_with("/*");
    let mut nodes: Vec<Node> = Vec::new();
    let mut rest = xpath;
    while let Some(place) = rest.find(['*', '[']) {
        let starts_node = rest[place..].starts_with('*');
        rest = &rest[place + 1..];
        if starts_node {
            nodes.push(Node::default());
            continue;
        }
        let (name, value, after) = attribute(rest)?;
        rest = after;
        let node = nodes.last_mut()?;
        match name {
            "class" => node.class = SmolStr::new(value),
            "resource-id" => node.id = SmolStr::new(value),
            "text" => node.text = SmolStr::new(value),
            "content-desc" => node.description = SmolStr::new(value),
            "index" => node.index = value.parse().ok(),
            _ => {}
        }
    }
    let path: Option<Vec<u32>> = nodes.iter().skip(1).map(|node| node.index).collect();
    let node = nodes.pop()?;
    Some(Selector {
        class: node.class,
        id: node.id,
        text: if node.text.is_empty() { node.description } else { node.text },
        window: WindowKind::Application,
        path: path.filter(|_| whole).unwrap_or_default(),
        bounds,
    })
}

/// Name and value of `@name="value"]` or `@name=value]`, and what follows the bracket.
fn attribute(text: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = text.strip_prefix('@')?.split_once('=')?;
    if let Some(quoted) = rest.strip_prefix('"') {
        let (value, after) = quoted.split_once("\"]")?;
        return Some((name, value, after));
    }
    let (value, after) = rest.split_once(']')?;
    Some((name, value, after))
}
