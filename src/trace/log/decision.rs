//! A decision of the abstraction on disk, format 1. Fields that came later are absent in older logs.

use serde::{Deserialize, Serialize};
use smol_str::SmolStr;

use crate::abstraction::path::Actions;
use crate::abstraction::tree::Place;
use crate::abstraction::{AttributePath, Change, Decision, Element, NamingId, Reducer, StateKey, Way};
use crate::ids::TreeHash;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "decision")]
pub(super) enum DecisionLine {
    ActionRefined {
        state: TreeHash,
        name: String,
        widgets: usize,
        alpha: usize,
        tree: TreeHash,
        change: ChangeLine,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<(u32, u32)>,
        states: usize,
        naming: u32,
    },
    StateRefined {
        state: TreeHash,
        name: String,
        trees: (TreeHash, TreeHash),
        change: ChangeLine,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<(u32, u32)>,
        states: usize,
        naming: u32,
    },
    Coarsened {
        state: TreeHash,
        states: usize,
        beta: usize,
        reverted: u32,
        barred: ChangeLine,
        given_up: usize,
    },
    NotSeparable {
        state: TreeHash,
        outcomes: usize,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        action: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        trees: Vec<TreeHash>,
    },
    NotSplit {
        state: TreeHash,
        name: String,
        widgets: usize,
        alpha: usize,
        tree: TreeHash,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_names: Option<usize>,
    },
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ChangeLine {
    selector: Vec<ElementLine>,
    /// Letters joined by `+`, or `none`.
    reducer: String,
    way: WayWord,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum WayWord {
    Replace,
    Insert,
    Names,
    Opener,
    Below,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct ElementLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<SmolStr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<SmolStr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<SmolStr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<SmolStr>,
    /// The bits of what can be done to the widget; the highest says that it is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    actions: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    interactive: Option<bool>,
}

impl From<&Decision> for DecisionLine {
    fn from(decision: &Decision) -> Self {
        let hash = |key: &StateKey| TreeHash(key.0);
        let pair = |place: &Option<Place>| place.map(|place| (place.naming.0, place.node));
        match decision {
            Decision::ActionRefined { state, name, widgets, alpha, tree, change, place, states, naming } => {
                Self::ActionRefined {
                    state: hash(state),
                    name: name.clone(),
                    widgets: *widgets,
                    alpha: *alpha,
                    tree: *tree,
                    change: change.into(),
                    place: pair(place),
                    states: *states,
                    naming: naming.0,
                }
            }
            Decision::StateRefined { state, name, trees, change, place, states, naming } => {
                Self::StateRefined {
                    state: hash(state),
                    name: name.clone(),
                    trees: *trees,
                    change: change.into(),
                    place: pair(place),
                    states: *states,
                    naming: naming.0,
                }
            }
            Decision::Coarsened { state, states, beta, reverted, barred, given_up } => Self::Coarsened {
                state: hash(state),
                states: *states,
                beta: *beta,
                reverted: reverted.0,
                barred: barred.into(),
                given_up: *given_up,
            },
            Decision::NotSeparable { state, outcomes, action, trees } => Self::NotSeparable {
                state: hash(state),
                outcomes: *outcomes,
                action: action.clone(),
                trees: trees.clone(),
            },
            Decision::NotSplit { state, name, widgets, alpha, tree, max_names } => Self::NotSplit {
                state: hash(state),
                name: name.clone(),
                widgets: *widgets,
                alpha: *alpha,
                tree: *tree,
                max_names: *max_names,
            },
        }
    }
}

impl TryFrom<DecisionLine> for Decision {
    type Error = String;

    fn try_from(line: DecisionLine) -> Result<Self, String> {
        let key = |hash: TreeHash| StateKey(hash.0);
        let placed =
            |place: Option<(u32, u32)>| place.map(|(naming, node)| Place { naming: NamingId(naming), node });
        Ok(match line {
            DecisionLine::ActionRefined {
                state,
                name,
                widgets,
                alpha,
                tree,
                change,
                place,
                states,
                naming,
            } => Self::ActionRefined {
                state: key(state),
                name,
                widgets,
                alpha,
                tree,
                change: change.try_into()?,
                place: placed(place),
                states,
                naming: NamingId(naming),
            },
            DecisionLine::StateRefined { state, name, trees, change, place, states, naming } => {
                Self::StateRefined {
                    state: key(state),
                    name,
                    trees,
                    change: change.try_into()?,
                    place: placed(place),
                    states,
                    naming: NamingId(naming),
                }
            }
            DecisionLine::Coarsened { state, states, beta, reverted, barred, given_up } => Self::Coarsened {
                state: key(state),
                states,
                beta,
                reverted: NamingId(reverted),
                barred: barred.try_into()?,
                given_up,
            },
            DecisionLine::NotSeparable { state, outcomes, action, trees } => {
                Self::NotSeparable { state: key(state), outcomes, action, trees }
            }
            DecisionLine::NotSplit { state, name, widgets, alpha, tree, max_names } => {
                Self::NotSplit { state: key(state), name, widgets, alpha, tree, max_names }
            }
        })
    }
}

impl From<&Change> for ChangeLine {
    fn from(change: &Change) -> Self {
        let element = |element: &Element| ElementLine {
            class: element.class.clone(),
            id: element.id.clone(),
            index: element.index,
            text: element.text.clone(),
            words: element.words.clone(),
            actions: element.actions.map(|actions| actions.0),
            interactive: element.interactive,
        };
        Self {
            selector: change.selector.0.iter().map(element).collect(),
            reducer: change.reducer.to_string(),
            way: match change.way {
                Way::Replace => WayWord::Replace,
                Way::Insert => WayWord::Insert,
                Way::Names => WayWord::Names,
                Way::Opener => WayWord::Opener,
                Way::Below => WayWord::Below,
            },
        }
    }
}

impl TryFrom<ChangeLine> for Change {
    type Error = String;

    fn try_from(line: ChangeLine) -> Result<Self, String> {
        let element = |element: ElementLine| Element {
            class: element.class,
            id: element.id,
            index: element.index,
            text: element.text,
            words: element.words,
            actions: element.actions.map(Actions),
            interactive: element.interactive,
        };
        Ok(Self {
            selector: AttributePath(line.selector.into_iter().map(element).collect()),
            reducer: line.reducer.parse::<Reducer>()?,
            way: match line.way {
                WayWord::Replace => Way::Replace,
                WayWord::Insert => Way::Insert,
                WayWord::Names => Way::Names,
                WayWord::Opener => Way::Opener,
                WayWord::Below => Way::Below,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change() -> Change {
        let list = Element { class: Some("android.widget.ListView".into()), ..Element::default() };
        let row = Element { actions: Some(Actions(0x8001)), index: Some(3), ..Element::default() };
        Change { selector: AttributePath(vec![list, row]), reducer: Reducer::TEXT, way: Way::Replace }
    }

    #[test]
    fn every_decision_is_read_as_it_was_written() {
        let (state, tree) = (StateKey(7), TreeHash(9));
        let place = Some(Place { naming: NamingId(2), node: 1 });
        let all = [
            Decision::ActionRefined {
                state,
                name: "<{}>".into(),
                widgets: 4,
                alpha: 3,
                tree,
                change: change(),
                place,
                states: 1,
                naming: NamingId(3),
            },
            Decision::StateRefined {
                state,
                name: "<{}>".into(),
                trees: (tree, TreeHash(10)),
                change: change(),
                place: None,
                states: 2,
                naming: NamingId(3),
            },
            Decision::StateRefined {
                state,
                name: "<>".into(),
                trees: (tree, tree),
                change: Change::by_opener(),
                place,
                states: 2,
                naming: NamingId(2),
            },
            Decision::Coarsened {
                state,
                states: 9,
                beta: 8,
                reverted: NamingId(3),
                barred: change(),
                given_up: 1,
            },
            Decision::NotSeparable { state, outcomes: 2, action: "tap <{}>".into(), trees: vec![tree] },
            Decision::NotSplit {
                state,
                name: "<{}>".into(),
                widgets: 5,
                alpha: 3,
                tree,
                max_names: Some(20),
            },
        ];
        for decision in all {
            let written = serde_json::to_string(&DecisionLine::from(&decision)).unwrap();
            let line: DecisionLine = serde_json::from_str(&written).unwrap();
            assert_eq!(Decision::try_from(line), Ok(decision), "{written}");
        }
    }

    #[test]
    fn a_line_from_before_places_were_written_is_read() {
        let old = r#"{"decision":"action_refined","state":"0000000000000007","name":"<{}>","widgets":4,"alpha":3,
            "tree":"0000000000000009","change":{"selector":[{"class":"android.widget.ListView"},{"index":3,"actions":32769}],
            "reducer":"t","way":"replace"},"states":1,"naming":3}"#;
        let line: DecisionLine = serde_json::from_str(old).unwrap();
        let Ok(Decision::ActionRefined { change: read, place: None, .. }) = Decision::try_from(line) else {
            panic!("it is an action refinement");
        };
        assert_eq!(read, change());
    }

    #[test]
    fn a_line_from_before_screens_were_written_is_read() {
        let old = r#"{"decision":"not_separable","state":"0000000000000007","outcomes":2}"#;
        let line: DecisionLine = serde_json::from_str(old).unwrap();
        let read =
            Decision::NotSeparable { state: StateKey(7), outcomes: 2, action: String::new(), trees: vec![] };
        assert_eq!(Decision::try_from(line), Ok(read));
    }
}
