//! What the screens of a state have in common, and what could tell them apart.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::tree::{DecisionTree, Trial};
use super::super::{NameId, Named, hash_numbers};
use super::refine::Member;
use crate::gui::GuiTree;

/// So many names of a state are tried when a fork is to be separated.
const MAX_NAMES_TRIED: usize = 12;

/// The widgets that a change renames say the same on all members, but for what is checked or selected.
pub(super) fn differ_by_marks(naming: &DecisionTree, trial: &Trial, members: &[Member]) -> bool {
    let mut names = Vec::new();
    let mut said = members.iter().map(|member| {
        naming.names_after(trial, &member.digest, &member.now, &mut names);
        let renamed = names.iter().zip(&member.now.names).zip(&member.digest.locals);
        let parts = renamed.filter(|((after, now), _)| after != now);
        parts.fold(0_u64, |sum, (_, local)| {
            sum.wrapping_add(hash_numbers(&[local.class, local.id, local.bare, u64::from(local.index)]))
        })
    });
    let first = said.next();
    said.all(|other| Some(other) == first)
}

/// One widget for each name that could tell two sides apart: the name of the action itself, and names whose widgets
/// differ between every tree of one side and every tree of the other.
pub(super) fn promising(members: &[Member], one: &[(usize, usize)], other: &[(usize, usize)]) -> Vec<usize> {
    let contents = |side: &[(usize, usize)]| -> Vec<FxHashMap<NameId, u64>> {
        side.iter().map(|&(member, _)| contents(&members[member])).collect()
    };
    let (left, right) = (contents(one), contents(other));
    let (member, own) = one[0];
    let names = &members[member].now.names;
    let mut found = vec![own];
    let mut tried: FxHashSet<NameId> = [NameId::NONE, names[own]].into_iter().collect();
    for (ix, &name) in names.iter().enumerate() {
        if !tried.insert(name) {
            continue;
        }
        let content = |side: &FxHashMap<NameId, u64>| side.get(&name).copied();
        if left.iter().all(|one| right.iter().all(|other| content(one) != content(other))) {
            found.push(ix);
            if found.len() >= MAX_NAMES_TRIED {
                break;
            }
        }
    }
    found
}

/// For each name of a tree a number that stands for all attributes of its widgets, in any order.
fn contents(member: &Member) -> FxHashMap<NameId, u64> {
    let mut found: FxHashMap<NameId, u64> = FxHashMap::default();
    for (local, name) in member.digest.locals.iter().zip(&member.now.names) {
        let parent = local.parent().map_or(0, |parent| member.now.names[parent].0);
        let part = hash_numbers(&[local.class, local.id, local.text, u64::from(local.index), parent]);
        let sum = found.entry(*name).or_default();
        *sum = sum.wrapping_add(part);
    }
    found
}

/// The names of more than α widgets that can be acted on, the smallest group first.
pub(super) fn wide_names(tree: &GuiTree, named: &Named, alpha: usize) -> Vec<(NameId, Vec<usize>)> {
    let mut acting: Vec<(NameId, usize)> = named
        .names
        .iter()
        .enumerate()
        .filter(|&(ix, name)| *name != NameId::NONE && tree.nodes()[ix].widget.is_actionable())
        .map(|(ix, name)| (*name, ix))
        .collect();
    acting.sort_unstable();
    let mut groups: Vec<(NameId, Vec<usize>)> = acting
        .chunk_by(|one, other| one.0 == other.0)
        .filter(|group| group.len() > alpha)
        .map(|group| (group[0].0, group.iter().map(|(_, ix)| *ix).collect()))
        .collect();
    groups.sort_by_key(|(_, nodes)| (nodes.len(), nodes[0]));
    groups
}
