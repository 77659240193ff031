//! ND3MIN.
pub mod mdp;
pub mod partitions;
pub mod prior;
pub mod schedule;
