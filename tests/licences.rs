//! Every dependency has a licence that a user of an MIT OR Apache-2.0 tool can live with.

use std::process::Command;

/// Licences that ask for nothing but a notice.
const ALLOWED: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "Unlicense",
    "CC0-1.0",
    "0BSD",
    "MIT-0",
];

/// Used as they are, below a crate of ours: the MPL asks only that changes to their own files stay open.
const EXCEPTIONS: &[(&str, &str)] = &[("smartstring", "MPL-2.0+")];

fn permits(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ").replace(['(', ')'], " ");
    expression.split(" AND ").all(|all| all.split(" OR ").any(|any| ALLOWED.contains(&any.trim())))
}

#[test]
fn every_dependency_is_permissively_licensed() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--all-features"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 20, "cargo metadata lists the dependencies");
    let refused: Vec<String> = packages
        .iter()
        .filter(|package| {
            let name = package["name"].as_str().unwrap_or_default();
            let license = package["license"].as_str().unwrap_or("none");
            !permits(license) && !EXCEPTIONS.contains(&(name, license))
        })
        .map(|package| format!("{} {}", package["name"], package["license"]))
        .collect();
    assert!(refused.is_empty(), "not permissive: {refused:#?}");
}

#[test]
fn a_licence_with_conditions_is_refused() {
    assert!(permits("MIT OR GPL-3.0"));
    assert!(permits("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(!permits("AGPL-3.0-only"));
    assert!(!permits("MIT AND GPL-3.0"));
}
