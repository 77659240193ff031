//! siamang explores an Android app unattended, finds its crashes and hands back the shortest sequence of taps that
//! reproduces each.
//!
//! # The map
//!
//! The engine is pure and synchronous; devices, files and the clock live at the edge.
//!
//! | module | what it holds |
//! |---|---|
//! | [`gui`], [`action`], [`ids`], [`seed`], [`numbers`], [`letters`], `nearest` | the leaves: GUI trees, events, ids, random numbers, numbers and letters as people read them, the known name that is nearest to an unknown one |
//! | [`device`] | the seam to what runs the app; the virtual device that interprets app models |
//! | [`oracle`] | failures and their signatures |
//! | [`abstraction`] | which screens are one state and which widgets one action; fixed or evolving |
//! | [`model`] | states, actions, transitions, and ways through them |
//! | [`strategy`] | what to do next: random, monkey, sata |
//! | [`explore`] | the loop's thinking half: it is asked and told |
//! | [`trace`] | the spine of a run, traces, everything written to a disk |
//! | [`shrink`] | algorithms that shorten a failing trace, each asking and being told |
//! | [`suite`] | DetReduce: a small suite of replayable traces from a large one |
//! | [`explain`] | a trace in words: what each event did, and which of them lead to the failure |
//! | [`compare`], [`stats`] | many runs against each other, and whether they differ |
//! | [`campaign`] | the driving half: devices, the explorer and the shrinkers together, on threads and clocks |
//! | [`report`], [`cli`], [`target`], [`error`] | what people see and type, what they mean by it, and how a command ends |
//!
//! # Data flow
//!
//! device → [`device::Observation`] → abstraction → state → model → strategy → action → [`action::Event`] → device.
//! Every step is one [`trace::RunEvent`]: log and reports are made from these alone. A failure and its trace go straight to
//! the shrinkers, which run candidates on devices until the trace is minimal.
//!
//! # Invariants
//!
//! 1. The leaves, the abstraction, the model, the strategies, the shrinkers and the suite import no tokio and touch no clock, no file
//!    and no global random generator.
//! 2. A run is a pure function of app, configuration, seed and the device's answers.
//! 3. Only `device::adb` knows adb; only `trace`, and `compare` for its own folder, define disk formats.
//! 4. The model stores ids, never GUI trees.
//! 5. Ids are never recycled.
//! 6. Everything a device or an app says is data: never a path, never part of a shell command.
//! 7. No failure of one device, report or rule ends a run: it is recorded, and the exit code remembers.
//! 8. stdout is for results, stderr for progress and logs.
//!
//! # Where the house differs from its first plan
//!
//! - The wait belongs to the event it follows ([`action::Event::wait`]), not to the event it precedes: the strategy decides
//!   about a burst before it sees the next screen, and a shrinker that drops an event keeps the pauses of the others.
//! - [`device::Device::reset`] launches the app and answers with the first observation, so that `observe` is not needed.
//! - On the virtual device a settled step takes at least 300 ms of device time, what a tap, an idle wait and a tree walk
//!   take on a phone. Else a settled walk would hit every 300 ms race by itself.
//! - While a run lasts, the frame under way is beside the closed ones, uncompressed ([`trace::framed`]): flushing zstd after
//!   every step costs more bytes than the step. It vanishes when the run ends.
//! - The folder of a failure has two files, one to read and one to run ([`trace::run_folder::crash`]): the evidence and how it
//!   was shrunk are in the trace's file, and the original trace is cut out of the spine when it is wanted. The summary is
//!   in `run.json`. A run with eight failures is a folder of 20 files, not of 45.
//! - There is no seam `Oracle`: a device tells failures with its observation, and [`oracle`] is pure values that all devices
//!   share. A suite has one of its own, [`suite::Executor`], since DetReduce runs traces and looks at nothing else.
//! - A subtree is shared within a frame of the pack and not beyond, so that a flipped byte costs one frame of trees.

pub mod abstraction;
pub mod action;
pub mod campaign;
pub mod cli;
pub mod compare;
pub mod device;
pub mod error;
pub mod explain;
pub mod explore;
pub mod gui;
pub mod ids;
pub mod letters;
pub mod model;
mod nearest;
pub mod numbers;
pub mod oracle;
pub mod report;
pub mod seed;
pub mod shrink;
pub mod stats;
pub mod strategy;
pub mod suite;
pub mod target;
pub mod trace;
