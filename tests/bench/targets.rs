//! The numbers that siamang promises, measured: target, measured, verdict. Run by `scripts/bench`.
//!
//! Times are CPU times of this process, so that a busy machine does not change the verdict. Each row prints one line; all
//! rows together are written as JSON. A target that is missed makes the exit code 1.

#[path = "../support/dumps.rs"]
#[expect(dead_code, reason = "shared with the tests, which use the rest of it")]
mod dumps;
#[expect(dead_code, reason = "shared with the other benchmarks, which use the rest of it")]
mod measure;
mod rows;

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let mut out = std::io::stdout().lock();
    let mut results = Vec::new();
    for (name, row) in rows::ALL {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| name.contains(wanted.as_str())) {
            continue;
        }
        for result in row() {
            let _ = writeln!(out, "{result}");
            results.push(result);
        }
    }
    if results.is_empty() {
        let known: Vec<&str> = rows::ALL.iter().map(|(name, _)| *name).collect();
        let _ = writeln!(out, "no such row; there are {}", known.join(", "));
        return ExitCode::from(2);
    }
    let missed = results.iter().filter(|result| !result.holds()).count();
    let _ = writeln!(out, "{} of {} targets hold", results.len() - missed, results.len());
    let json: Vec<serde_json::Value> = results.iter().map(measure::Measured::json).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/target/bench.json");
    if let Ok(text) = serde_json::to_string_pretty(&json)
        && std::fs::write(path, text).is_ok()
    {
        let _ = writeln!(out, "written to target/bench.json");
    }
    if missed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
