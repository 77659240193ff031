//! What several test programs share. Each uses its own part of it.
#![allow(dead_code, reason = "each test program compiles all of this and uses a part")]

#[cfg(feature = "adb")]
pub mod adb_server;
#[cfg(feature = "adb")]
pub mod adbd;
#[cfg(feature = "agent")]
pub mod agent;
pub mod hand;
pub mod phone;
pub mod toy;
pub mod walker;
#[cfg(feature = "agent")]
pub mod wire_tree;
