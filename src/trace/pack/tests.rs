use std::fs;

use super::*;
use crate::gui::tree::WidgetPool;
use crate::gui::{TreeBuilder, Widget};

fn leaf(text: &str) -> Widget {
    Widget { text: text.into(), ..Widget::default() }
}

fn rows(texts: &[&str]) -> GuiTree {
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, "Main");
    builder.open(leaf("list"));
    for text in texts {
        builder.open(leaf("row"));
        builder.leaf(leaf(text));
        builder.close();
    }
    builder.finish()
}

#[test]
fn what_two_trees_share_is_written_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut pack = PackWriter::create(folder.path()).unwrap();
    pack.write(&rows(&["a", "a", "b"])).unwrap();
    pack.write(&rows(&["a", "c", "b"])).unwrap();
    pack.write(&rows(&["a", "a", "b"])).unwrap();
    let tail = fs::read_to_string(folder.path().join("trees.tail")).unwrap();
    let lines: Vec<&str> = tail.lines().skip(1).map(|line| &line[9..]).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    {"n":{"w":{"t":"b"}}}
    {"n":{"w":{"t":"row"},"k":[0]}}
    {"n":{"w":{"t":"a"}}}
    {"n":{"w":1,"k":[2]}}
    {"n":{"w":{"t":"list"},"k":[3,3,1]}}
    {"t":{"h":"3d16c79872c92044","a":"Main","w":[{"k":"application","f":true,"b":[0,0,0,0],"r":[4]}]}}
    {"n":{"w":{"t":"c"}}}
    {"n":{"w":1,"k":[5]}}
    {"n":{"w":3,"k":[3,6,1]}}
    {"t":{"h":"9fb01aeb10d5fc74","a":"Main","w":[{"k":"application","f":true,"b":[0,0,0,0],"r":[7]}]}}
    "#);
}

#[test]
fn a_tree_of_20_000_levels_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut pool = WidgetPool::default();
    let mut builder = TreeBuilder::new(&mut pool, "Deep");
    for level in 0..20_000 {
        builder.open(leaf(&level.to_string()));
    }
    let tree = builder.finish();
    let mut pack = PackWriter::create(folder.path()).unwrap();
    pack.write(&tree).unwrap();
    pack.finish().unwrap();
    let mut reader = PackReader::open(folder.path()).unwrap();
    assert_eq!(reader.get(tree.hash()).unwrap().unwrap(), tree);
}

#[test]
fn a_pack_of_several_frames_gives_all_its_trees() {
    let folder = tempfile::tempdir().unwrap();
    let mut pack = PackWriter::create(folder.path()).unwrap();
    let long = "x".repeat(10_000);
    let trees: Vec<_> = (0..300).map(|number| rows(&["shared", &format!("{number} {long}")])).collect();
    for tree in &trees {
        pack.write(tree).unwrap();
    }
    assert!(pack.file.frame() >= 2);
    pack.finish().unwrap();
    let mut reader = PackReader::open(folder.path()).unwrap();
    assert_eq!(reader.hashes().count(), trees.len());
    for tree in trees.iter().rev() {
        assert_eq!(reader.get(tree.hash()).unwrap().as_ref(), Some(tree));
    }
    assert_eq!(reader.get(TreeHash(1)).unwrap(), None);
}

/// Writes any lines as a whole and finished frame.
fn forged(lines: &str) -> (tempfile::TempDir, PackReader) {
    let folder = tempfile::tempdir().unwrap();
    let mut file = FramedWriter::create(folder.path(), FrameKind::Trees).unwrap();
    file.append(lines.as_bytes(), 1).unwrap();
    file.finish().unwrap();
    let reader = PackReader::open(folder.path()).unwrap();
    (folder, reader)
}

#[test]
fn a_tree_that_asks_for_more_than_the_memory_has_is_refused() {
    use std::fmt::Write as _;
    let mut lines = String::from("{\"n\":{\"w\":{}}}\n");
    for level in 0..40 {
        writeln!(lines, "{{\"n\":{{\"w\":0,\"k\":[{level},{level}]}}}}").unwrap();
    }
    lines.push_str("{\"t\":{\"h\":\"01\",\"w\":[{\"k\":\"application\",\"b\":[0,0,1,1],\"r\":[40]}]}}\n");
    let (_folder, mut reader) = forged(&lines);
    insta::assert_snapshot!(reader.get(TreeHash(1)).unwrap_err(), @"trees.pack, frame 0, bytes 0 to 311: makes no sense (a tree with more than 1048576 nodes)");
}

#[test]
fn references_to_nothing_and_wrong_hashes_are_told() {
    let tree = "{\"t\":{\"h\":\"01\",\"w\":[{\"k\":\"application\",\"b\":[0,0,1,1],\"r\":[0]}]}}\n";
    let told = |lines: &str| forged(lines).1.get(TreeHash(1)).unwrap_err().to_string();
    insta::assert_snapshot!(told(tree), @"trees.pack, frame 0, bytes 0 to 142: makes no sense (a reference to subtree 0)");
    insta::assert_snapshot!(told(&format!("{{\"n\":{{\"w\":0}}}}\n{tree}")), @"trees.pack, frame 0, bytes 0 to 144: makes no sense (a reference to widget 0)");
    insta::assert_snapshot!(told(&format!("{{\"n\":{{\"w\":{{}},\"k\":[0]}}}}\n{tree}")), @"trees.pack, frame 0, bytes 0 to 151: makes no sense (a reference to subtree 0)");
    insta::assert_snapshot!(told(&format!("{{\"n\":{{\"w\":{{}}}}}}\n{tree}")), @"trees.pack, frame 0, bytes 0 to 145: makes no sense (tree 0000000000000001 has another content)");
}
