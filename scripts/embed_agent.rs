//! Embeds the agent for phones, if `scripts/build-agent` has built it; else an empty file stands in its place, so that a
//! machine without Java builds everything else.

#![expect(clippy::print_stdout, reason = "cargo reads a build script's stdout")]

use std::path::Path;

fn main() -> std::io::Result<()> {
    println!("cargo::rerun-if-changed=scripts/embed_agent.rs");
    let root = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let jar = Path::new(&root).join("target/agent/siamang-agent.jar");
    let out = Path::new(&std::env::var_os("OUT_DIR").unwrap_or_default()).join("siamang-agent.jar");
    if jar.is_file() {
        // Named only if it is there: cargo takes a missing file for a changed one and would build anew each time.
        // `scripts/build-agent` touches this file, so that a first jar is seen, too.
        println!("cargo::rerun-if-changed=target/agent/siamang-agent.jar");
        std::fs::copy(jar, out)?;
    } else {
        std::fs::write(out, [])?;
    }
    Ok(())
}
