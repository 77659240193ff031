//! The command line of siamang.

fn main() {}
