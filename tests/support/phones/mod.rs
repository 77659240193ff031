//! Virtual phones, for the test programs that need them: an adbd double, a scripted agent, a real adb server.
#![allow(dead_code, reason = "each test program compiles all of this and uses a part")]

#[cfg(feature = "adb")]
pub mod adb_server;
#[cfg(feature = "adb")]
pub mod adbd;
pub mod agent;
mod landing;
pub mod manner;
#[cfg(feature = "adb")]
#[path = "../skipped.rs"]
mod skipped;
mod stack;
pub mod wire_tree;
