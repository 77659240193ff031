//! What a model says about the shortest way to its failures, where a short search can tell better.

use std::sync::Arc;
use std::time::Duration;

use super::super::app::App;
use super::super::app_model::AppDef;
use super::super::compile::{self, ModelError};
use super::super::solve::{SolveLimits, Truth, events, solve};
use super::Warnings;

/// A check is a matter of a moment; `model solve` takes its time.
const LIMITS: SolveLimits =
    SolveLimits { time: Duration::from_secs(1), memory_bytes: 256 << 20, events: u32::MAX, workers: 2 };

pub(super) fn check(def: &AppDef, app: &Arc<App>, source: &str) -> Vec<ModelError> {
    if def.failure.values().all(|failure| failure.shortest.is_none()) {
        return Vec::new();
    }
    let answers = solve(app, &LIMITS);
    let warnings = Warnings { source, found: Vec::new() };
    let wrong = answers.iter().filter_map(|answer| {
        let stated = answer.wrongly_stated(app)?;
        let truth = match &answer.truth {
            Truth::Optimal(way) => format!("the shortest way has {}", events(way.cost)),
            Truth::Unreachable => "no way leads to it".to_owned(),
            Truth::BestKnown { .. } => "`siamang model solve` tells otherwise".to_owned(),
        };
        let span = warnings.find_table("failure", &answer.name);
        let message = format!("the failure `{}` states `shortest = {stated}`, but {truth}", answer.name);
        Some(compile::at(source, &span, message))
    });
    wrong.collect()
}
