//! What several test programs share. Each uses its own part of it.
#![allow(dead_code, reason = "each test program compiles all of this and uses a part")]

#[cfg(feature = "agent")]
pub mod agent;
pub mod hand;
pub mod phone;
pub mod toy;
pub mod walker;
#[cfg(feature = "agent")]
pub mod wire_tree;
