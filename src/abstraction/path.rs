//! Attribute paths: what is kept of the widgets from an ancestor down to one widget.

use std::fmt;

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use xxhash_rust::xxh3::xxh3_64;

use super::digest::{Digest, Local};
use crate::gui::ActionSet;

/// What is kept of each widget on the way down to one widget, that widget last (APE Definition 1).
///
/// As a selector it selects every widget whose full attribute path can be reduced to it: each element must agree with
/// the widget at its place, counted from the end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AttributePath(pub Vec<Element>);

/// What is kept of one widget. What is absent was dropped, and as part of a selector agrees with anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Element {
    /// The class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<SmolStr>,
    /// The resource id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<SmolStr>,
    /// The index among its siblings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// The appearance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<SmolStr>,
    /// The appearance without its numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<SmolStr>,
    /// What can be done to it and whether it is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<Actions>,
    /// Something can be done to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interactive: Option<bool>,
}

/// What can be done to a widget and whether it is enabled, as one number. People see and write words:
/// `["enabled", "tap"]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Actions(pub u16);

/// The bit beside those of [`ActionSet`] that says that a widget is enabled.
pub(crate) const ENABLED_BIT: u16 = 1 << 15;
const ENABLED: &str = "enabled";

impl Actions {
    fn words(self) -> Vec<String> {
        let enabled = (self.0 & ENABLED_BIT != 0).then(|| ENABLED.to_owned());
        let known = ActionSet::from_bits_truncate(self.0);
        enabled.into_iter().chain(known.iter_names().map(|(name, _)| name.to_lowercase())).collect()
    }

    fn from_words(words: &[String]) -> Result<Self, String> {
        let mut actions = 0;
        for word in words {
            actions |= match ActionSet::from_name(&word.to_uppercase()) {
                _ if word == ENABLED => ENABLED_BIT,
                Some(action) => action.bits(),
                None => {
                    let known: Vec<String> =
                        ActionSet::all().iter_names().map(|(name, _)| name.to_lowercase()).collect();
                    return Err(format!("`{word}` is no action; use {ENABLED}, {}", known.join(", ")));
                }
            };
        }
        Ok(Self(actions))
    }
}

impl Serialize for Actions {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.words().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Actions {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::from_words(&Vec::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

/// A path made ready for comparing with many widgets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pattern(Vec<ElementPattern>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct ElementPattern {
    class: Option<u64>,
    id: Option<u64>,
    text: Option<u64>,
    words: Option<u64>,
    index: Option<u32>,
    patch: Option<u16>,
    interactive: Option<bool>,
}

impl AttributePath {
    pub(crate) fn pattern(&self) -> Pattern {
        let hash = |text: &SmolStr| xxh3_64(text.as_bytes());
        Pattern(
            self.0
                .iter()
                .map(|element| ElementPattern {
                    class: element.class.as_ref().map(hash),
                    id: element.id.as_ref().map(hash),
                    text: element.text.as_ref().map(hash),
                    words: element.words.as_ref().map(hash),
                    index: element.index,
                    patch: element.actions.map(|actions| actions.0),
                    interactive: element.interactive,
                })
                .collect(),
        )
    }
}

impl Pattern {
    /// The widget at this place of a digest can be reduced to the path.
    pub(crate) fn selects(&self, digest: &Digest, node: usize) -> bool {
        let mut at = Some(node);
        for element in self.0.iter().rev() {
            let Some(ix) = at else { return false };
            let local = &digest.locals[ix];
            if !element.agrees(local) {
                return false;
            }
            at = local.parent();
        }
        true
    }
}

impl ElementPattern {
    fn agrees(&self, local: &Local) -> bool {
        self.class.is_none_or(|class| class == local.class)
            && self.id.is_none_or(|id| id == local.id)
            && self.text.is_none_or(|text| text == local.text)
            && self.words.is_none_or(|words| words == local.words)
            && self.index.is_none_or(|index| index == local.index)
            && self.patch.is_none_or(|patch| patch == local.patch)
            && self.interactive.is_none_or(|interactive| interactive == local.actionable)
    }
}

impl fmt::Display for AttributePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<")?;
        for (ix, element) in self.0.iter().enumerate() {
            if ix > 0 {
                f.write_str(",")?;
            }
            write!(f, "{element}")?;
        }
        f.write_str(">")
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.index.map(|index| format!("i={index}")));
        parts.extend(
            self.class.as_ref().map(|class| format!("c={}", class.rsplit('.').next().unwrap_or(class))),
        );
        parts.extend(self.id.as_ref().filter(|id| !id.is_empty()).map(|id| format!("id={id}")));
        parts.extend(self.text.as_ref().map(|text| format!("t={text}")));
        parts.extend(self.words.as_ref().map(|words| format!("w={words}")));
        parts.extend(self.actions.map(|actions| format!("actions={}", actions.words().join("+"))));
        parts.extend(self.interactive.map(|interactive| format!("interactive={interactive}")));
        write!(f, "{{{}}}", parts.join(","))
    }
}
