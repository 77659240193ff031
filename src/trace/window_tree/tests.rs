use super::*;
use crate::trace::user_event::test_support::sequence;

fn tree(text: &str) -> WindowTree {
    let sequence = sequence(text);
    let all: Vec<usize> = (0..sequence.events.len()).collect();
    WindowTree::build(&sequence, &all).expect("windows are recorded")
}

fn nodes(tree: &WindowTree) -> Vec<(String, usize, Vec<usize>)> {
    let name = |node: &WindowNode| format!("{}{}", node.status.activity, node.status.name);
    tree.nodes.iter().map(|node| (name(node), node.level, node.events.clone())).collect()
}

/// The windows of CHARD's motivating example (Figures 1 and 11): a list, the object's page, and a dialog over it.
const LENT: &str = "List touch ListView#list => Add : 1
                    Add touch EditText#personName => Add : 2
                    Add touch Button#pickDate => Add+date : 3
                    Add+date touch - => Add
                    Add key back => List : 4
                    List touch ListView#list => Add : 1
                    Add touch Button#add_button => !";

#[test]
fn definition_5_2_one_node_a_window_status_with_its_events_and_level() {
    assert_eq!(
        nodes(&tree(LENT)),
        [
            ("List".to_owned(), 0, vec![0, 5]),
            ("Add".to_owned(), 1, vec![1, 2, 4, 6]),
            ("Adddate".to_owned(), 2, vec![3]),
        ]
    );
}

#[test]
fn algorithm_1_a_transition_goes_from_the_event_that_leads_there_to_the_next_event() {
    let tree = tree(LENT);
    let found: Vec<(usize, usize)> =
        tree.transitions.iter().map(|transition| (transition.source, transition.destination)).collect();
    assert_eq!(found, [(0, 1), (2, 3), (3, 4), (4, 5), (5, 6)]);
    assert_eq!(tree.depth(), 2);
}

#[test]
fn the_level_is_the_shortest_distance_even_if_a_longer_way_came_first() {
    let text = "A touch Button#b => B : 1
                B touch Button#c => C : 2
                C touch Button#d => D : 3
                D touch Button#a => A : 4
                A touch Button#d => D : 5
                D touch Button#x => !";
    let tree = tree(text);
    assert_eq!(nodes(&tree).iter().map(|(_, level, _)| *level).collect::<Vec<_>>(), [0, 1, 2, 1]);
    assert_eq!(tree.shortest_path(5), [4, 5]);
}

#[test]
fn the_last_event_leads_to_no_transition() {
    let tree = tree("A touch Button#b => B : 1");
    assert_eq!((tree.nodes.len(), tree.transitions.len()), (1, 0));
    assert_eq!(tree.shortest_path(0), [0]);
}

#[test]
fn an_event_after_which_another_window_comes_late_is_a_transition_event() {
    let text = "A touch Button#load => A : 1
                B touch Button#x => B : 2";
    assert_eq!(tree(text).transitions, [Transition { source: 0, destination: 1 }]);
}

#[test]
fn without_windows_there_is_no_tree_and_without_events_it_is_empty() {
    let mut recorded = sequence("A touch Button#b => B");
    recorded.events[0].source.window = None;
    assert_eq!(WindowTree::build(&recorded, &[0]), None);
    assert_eq!(WindowTree::build(&recorded, &[]), Some(WindowTree::default()));
}
