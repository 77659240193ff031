//! Phones and emulators, through an adb server and the agent.
//!
//! [`wire`] and [`shell`] speak to the adb server, [`setup`] sends files, [`names`] lets only checked names near a shell,
//! [`jar`] is the agent's program, [`process`] its life on a phone, [`journal`] what a later start has to undo. A worker
//! on a thread of its own keeps the session alive, also while the engine thinks or waits for other phones.

pub mod install;
pub mod jar;
pub mod journal;
pub mod names;
pub mod process;
pub mod server;
pub mod setup;
pub mod shell;
pub mod wire;
mod worker;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use self::jar::Jar;
use self::journal::Journals;
use self::names::{Activity, Address, Package, Serial};
use self::wire::Server;
use self::worker::Worker;
use super::agent::{Hello, Sight, Timing};
use super::{Capabilities, Device, DeviceError, Observation, Reset};
use crate::action::Event;

/// How a phone is driven.
#[derive(Clone, Debug)]
pub struct AdbConfig {
    /// The app.
    pub package: Package,
    /// The activity that is started; none is the launcher's.
    pub activity: Option<Activity>,
    /// The app's data may be cleared.
    pub clear: bool,
    /// The agent's program.
    pub jar: Jar,
    /// How long the agent may take for what.
    pub timing: Timing,
    /// How long a device that is away is waited for before a start.
    pub patience: Duration,
    /// How long a cut session is tried to be resumed; the agent waits 20 s.
    pub resume: Duration,
    /// How long a phone that is started anew may take until its system is there.
    pub boot: Duration,
    /// How long is waited for the system's report of an app that hangs, or for the app.
    pub hang: Duration,
    /// How long a phone may take for its clean end when nobody waits for it any more.
    pub leave: Duration,
    /// The addresses that may be opened in the app; no other is.
    pub deep_links: Vec<Address>,
    /// Where it is written down what is on the phone.
    pub journals: Journals,
}

impl AdbConfig {
    /// For one app, all else as usual; app data is left alone.
    pub fn new(package: Package, jar: Jar) -> Self {
        Self {
            package,
            activity: None,
            clear: false,
            jar,
            timing: Timing::default(),
            patience: Duration::from_secs(30),
            resume: Duration::from_secs(18),
            boot: Duration::from_secs(180),
            hang: Duration::from_secs(25),
            leave: Duration::from_secs(30),
            deep_links: Vec::new(),
            journals: Journals::usual(),
        }
    }
}

/// A phone, driven by a thread of its own. The agent is started by the first reset.
#[derive(Debug)]
pub struct AdbDevice {
    serial: Serial,
    capabilities: Capabilities,
    orders: Option<mpsc::Sender<Order>>,
    thread: Option<JoinHandle<()>>,
    leave: Duration,
    /// Nobody waits for the phone any more.
    leaving: Arc<AtomicBool>,
}

type Reply<T> = oneshot::Sender<Result<T, DeviceError>>;

enum Order {
    Step(Event, Reply<Observation>),
    Reset(Reset, Reply<Observation>),
    Look(Reply<Sight>),
    Introduce(Reply<(Hello, Vec<(u64, String)>)>),
    Screen(Reply<u64>),
    Shot(Reply<Option<Vec<u8>>>),
    Close(Reply<()>),
}

impl AdbDevice {
    /// A phone at an adb server. Nothing is done to it before the first order.
    pub fn new(server: Server, serial: Serial, config: AdbConfig) -> Self {
        let capabilities = Capabilities {
            kind: "adb",
            package: config.package.as_str().into(),
            deterministic: false,
            branches: Vec::new(),
            activities: Vec::new(),
            deep_links: config.deep_links.iter().map(|address| address.as_str().into()).collect(),
            clears: config.clear,
            wears: false,
            snapshots: false,
        };
        let (orders, inbox) = mpsc::channel(1);
        let leave = config.leave;
        let leaving = Arc::<AtomicBool>::default();
        let worker = Worker::new(server, serial.clone(), config, Arc::clone(&leaving));
        // Without a thread nobody takes the orders, and each is answered with that.
        let name = format!("phone {serial}");
        let thread = std::thread::Builder::new().name(name).spawn(move || work(worker, inbox)).ok();
        Self { serial, capabilities, orders: Some(orders), thread, leave, leaving }
    }

    /// Its serial.
    pub fn serial(&self) -> &Serial {
        &self.serial
    }

    /// What is on the screen now.
    pub async fn look(&mut self) -> Result<Sight, DeviceError> {
        self.order(Order::Look).await
    }

    /// How the agent introduced itself, and why capabilities are missing.
    pub async fn introduce(&mut self) -> Result<(Hello, Vec<(u64, String)>), DeviceError> {
        self.order(Order::Introduce).await
    }

    /// What the screen is: 1 on, 2 locked.
    pub async fn screen(&mut self) -> Result<u64, DeviceError> {
        self.order(Order::Screen).await
    }

    async fn order<T>(&self, make: impl FnOnce(Reply<T>) -> Order) -> Result<T, DeviceError> {
        let gone = || DeviceError::Gone(format!("nobody drives {} any more", self.serial));
        let (reply, answer) = oneshot::channel();
        let orders = self.orders.as_ref().ok_or_else(gone)?;
        orders.send(make(reply)).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}

impl Device for AdbDevice {
    async fn step(&mut self, event: &Event) -> Result<Observation, DeviceError> {
        let event = event.clone();
        self.order(|reply| Order::Step(event, reply)).await
    }

    async fn reset(&mut self, reset: Reset) -> Result<Observation, DeviceError> {
        self.order(|reply| Order::Reset(reset, reply)).await
    }

    async fn screenshot(&mut self) -> Result<Option<Vec<u8>>, DeviceError> {
        self.order(Order::Shot).await
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn close(self) -> Result<(), DeviceError> {
        self.order(Order::Close).await
    }
}

impl Drop for AdbDevice {
    /// Waits for the agent's clean end, so that the next one finds the phone free; but no phone holds the program up for
    /// ever. An agent that is left behind ends by itself, and what is to be undone is written down.
    fn drop(&mut self) {
        const LOOK: Duration = Duration::from_millis(10);
        self.orders = None;
        self.leaving.store(true, Ordering::Relaxed);
        let Some(thread) = self.thread.take() else { return };
        let until = Instant::now() + self.leave;
        while !thread.is_finished() && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
        if thread.is_finished() {
            let _ = thread.join();
        } else {
            tracing::warn!("{} does not come to its end; it is left to itself", self.serial);
        }
    }
}

fn work(worker: Worker, inbox: mpsc::Receiver<Order>) {
    match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => {
            runtime.block_on(serve(worker, inbox));
            // A push that hangs in its own thread is left to itself.
            runtime.shutdown_background();
        }
        Err(error) => tracing::warn!("a phone cannot be driven: {error}"),
    }
}

async fn serve(mut worker: Worker, mut inbox: mpsc::Receiver<Order>) {
    let mut heard_of_end = false;
    loop {
        let due = worker.ping_due();
        let idle = async {
            match due {
                Some(due) => tokio::time::sleep_until(due).await,
                None => std::future::pending().await,
            }
        };
        let order = tokio::select! {
            order = inbox.recv() => order,
            () = idle => {
                worker.ping().await;
                continue;
            }
        };
        // Whoever asked may have gone meanwhile: then nobody wants the answer.
        match order {
            Some(Order::Step(event, reply)) => drop(reply.send(worker.step(&event).await)),
            Some(Order::Reset(to, reply)) => drop(reply.send(worker.reset(to).await)),
            Some(Order::Look(reply)) => drop(reply.send(worker.look().await)),
            Some(Order::Introduce(reply)) => drop(reply.send(worker.introduce().await)),
            Some(Order::Screen(reply)) => drop(reply.send(worker.screen().await)),
            Some(Order::Shot(reply)) => drop(reply.send(worker.shot().await)),
            Some(Order::Close(reply)) => heard_of_end = reply.send(worker.close().await).is_ok(),
            None => break,
        }
    }
    match worker.close().await {
        // Nobody asked how it ended, and somebody has to know.
        Err(error @ DeviceError::Left(_)) if !heard_of_end => tracing::warn!("{error}"),
        Err(error) => tracing::debug!("{error}"),
        Ok(()) => {}
    }
}
