//! Doubles that the whole-program tests share.

pub mod toy;
