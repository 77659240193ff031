//! What several test programs share. Each uses its own part of it.
#![allow(dead_code, reason = "each test program compiles all of this and uses a part")]

pub mod hand;
pub mod phone;
pub mod recorded;
pub mod toy;
pub mod walker;
