//! The folder of a comparison: what was planned, one line for each finished run, and what comes of them.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::{CompareError, Job, Plan, RunResult};
use crate::trace::StoreError;

/// A folder that belongs to one plan.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    runs: File,
}

impl Folder {
    const PLAN: &str = "plan.json";
    const RUNS: &str = "runs.jsonl";

    /// Opens or makes the folder of a plan and reads the runs that are there already. A line that was cut off, or is no
    /// run of the plan, is dropped: its run is made again.
    pub fn open(path: &Path, plan: &Plan) -> Result<(Self, BTreeMap<Job, RunResult>), CompareError> {
        let plan_path = path.join(Self::PLAN);
        // Nothing of anybody's is written over.
        let holds_something = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some());
        if path.is_file() || holds_something && !plan_path.exists() {
            return Err(StoreError::Exists { path: path.to_owned() }.into());
        }
        fs::create_dir_all(path).map_err(|error| StoreError::writing(path, error))?;
        match read(&plan_path)? {
            Some(text) => {
                let known: Plan = serde_json::from_slice(&text)
                    .map_err(|error| StoreError::json(&plan_path, "the plan of a comparison", &error))?;
                if let Some(difference) = plan.difference(&known) {
                    return Err(CompareError::OtherPlan { folder: path.display().to_string(), difference });
                }
            }
            None => write(&plan_path, &json(plan, &plan_path)?)?,
        }
        let runs_path = path.join(Self::RUNS);
        let text = read(&runs_path)?.unwrap_or_default();
        let (done, good) = parse(&text, plan);
        if good != text {
            write(&runs_path, &good)?;
        }
        let runs = OpenOptions::new().create(true).append(true).open(&runs_path);
        let runs = runs.map_err(|error| StoreError::writing(&runs_path, error))?;
        Ok((Self { path: path.to_owned(), runs }, done))
    }

    /// Keeps a finished run.
    pub fn append(&mut self, result: &RunResult) -> Result<(), StoreError> {
        let path = self.path.join(Self::RUNS);
        let mut line =
            serde_json::to_vec(result).map_err(|error| StoreError::writing(&path, error.into()))?;
        line.push(b'\n');
        self.runs.write_all(&line).map_err(|error| StoreError::writing(&path, error))
    }

    /// Writes a file of the folder as a whole: it is there completely or not at all.
    pub fn write(&self, name: &str, contents: &[u8]) -> Result<(), StoreError> {
        write(&self.path.join(name), contents)
    }

    /// Writes a file of JSON.
    pub fn write_json(&self, name: &str, value: &impl serde::Serialize) -> Result<(), StoreError> {
        let path = self.path.join(name);
        write(&path, &json(value, &path)?)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The runs of the plan, and the lines that they are in.
fn parse(text: &[u8], plan: &Plan) -> (BTreeMap<Job, RunResult>, Vec<u8>) {
    let mut done = BTreeMap::new();
    let mut good = Vec::with_capacity(text.len());
    for line in text.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n")) {
        let Ok(result) = serde_json::from_slice::<RunResult>(line) else { continue };
        let job = result.job;
        let is_planned = job.target < plan.targets.len()
            && job.combination < plan.combinations.len()
            && job.run < plan.runs
            && result.seed == plan.seed_of(job)
            && result.measured.curve.len() == super::measure::POINTS;
        if is_planned && !done.contains_key(&job) {
            done.insert(job, result);
            good.extend_from_slice(line);
        }
    }
    (done, good)
}

fn read(path: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    match fs::read(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::reading(path, error)),
    }
}

fn json(value: &impl serde::Serialize, path: &Path) -> Result<Vec<u8>, StoreError> {
    let mut text =
        serde_json::to_vec_pretty(value).map_err(|error| StoreError::writing(path, error.into()))?;
    text.push(b'\n');
    Ok(text)
}

fn write(path: &Path, contents: &[u8]) -> Result<(), StoreError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    fs::write(&beside, contents)
        .and_then(|()| fs::rename(&beside, path))
        .map_err(|error| StoreError::writing(path, error))
}
