//! The command line of siamang: parse, run, exit code.

use siamang::cli;
use siamang::error::Exit;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Exit {
    cli::main()
}
