//! The command line of siamang: parse, run, exit code.

use siamang::cli;
use siamang::error::Exit;

fn main() -> Exit {
    cli::main()
}
