//! A scripted agent: speaks the agent's part of the protocol and runs an app model on the virtual phone. It keeps its
//! session over cut connections as the real one does, and makes the faults that it is told to.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use siamang::action::{Input, Key, Wait};
use siamang::device::Reset;
use siamang::device::agent::Token;
use siamang::device::agent::answer::{Answer, Granted, Hits, Refusal, Shot, Stamp, StepAnswer, code};
use siamang::device::agent::frame::{Frame, FrameBuffer, MAX_REQUEST};
use siamang::device::agent::notice::{Hello, Notice, Noticed, cap};
use siamang::device::agent::request::{Auth, Look, Primitive, Request, ResetMode, Verb, want};
use siamang::device::agent::session::random;
use siamang::device::virtual_device::app::App;
use siamang::device::virtual_device::phone::{Chance, Phone};
use siamang::gui::{Flags, GuiTree, NodeIx, Point};
use siamang::oracle::{Failure, FailureKind};
use siamang::seed::Seed;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;

use super::manner::{Before, stream_of};
pub use super::manner::{Fault, Manner};

use super::landing::{deepest, here, point_of, touched};
use super::stack::{hang, stack};
use super::wire_tree::wire_tree;

/// One agent's process. Connections come and go.
#[derive(Clone)]
pub struct Agent {
    pub manner: Manner,
    inner: Arc<Mutex<Inner>>,
    /// Something ended: a newer connection or the process.
    changed: Arc<Notify>,
}

#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Inner {
    pub phone: Phone,
    package: String,
    token: Token,
    session: u64,
    connection: u64,
    allow_clear: bool,
    events: VecDeque<Noticed>,
    seq: u64,
    stored: Option<(u64, Answer, u8)>,
    tree_id: u64,
    latest: Option<(u64, Arc<GuiTree>)>,
    pid: u32,
    killed: bool,
    pub dead: bool,
    pub said_bye: bool,
    pub faults: VecDeque<(u64, Fault)>,
    /// Steps and resets that were really done.
    pub done: Vec<u64>,
    /// How often the app's data was cleared.
    pub clears: Arc<AtomicU64>,
    locked: bool,
    /// The addresses that were opened.
    pub opened: Vec<String>,
    /// The app hangs, and whether the system will kill it for that.
    hangs: Option<bool>,
    refuses_config: u32,
    takes_no_input: bool,
    leaves: Option<String>,
    clings: u32,
}

/// The number of the step at which a fault waits for the end.
pub const AT_BYE: u64 = u64::MAX;

impl Agent {
    pub fn new(app: &Arc<App>, seed: Seed, token: Token, manner: Manner) -> Self {
        let phone = Phone::new(Arc::clone(app), Chance::Drawn(seed.rng()));
        Self::on(phone, token, manner)
    }

    /// An agent on a phone that was used before.
    pub fn on(phone: Phone, token: Token, manner: Manner) -> Self {
        let token = if manner.forgets_token { Token::new([7; 16]) } else { token };
        let inner = Inner {
            package: phone.app().package.to_string(),
            phone,
            token,
            session: u64::from_be_bytes(random().expect("the system has a generator")),
            connection: 0,
            allow_clear: false,
            events: VecDeque::new(),
            seq: 0,
            stored: None,
            tree_id: 0,
            latest: None,
            pid: 4242,
            killed: false,
            dead: false,
            said_bye: false,
            faults: VecDeque::new(),
            done: Vec::new(),
            clears: Arc::default(),
            locked: manner.locked,
            opened: Vec::new(),
            hangs: None,
            refuses_config: manner.refuses_config,
            takes_no_input: manner.takes_no_input,
            leaves: manner.leaves.clone(),
            clings: manner.clings,
        };
        Self { manner, inner: Arc::new(Mutex::new(inner)), changed: Arc::new(Notify::new()) }
    }

    pub fn with<T>(&self, look: impl FnOnce(&mut Inner) -> T) -> T {
        look(&mut self.inner.lock().expect("no test failed within"))
    }

    /// Ends the process: every connection is cut, nothing is kept.
    pub fn kill(&self) {
        self.with(|inner| inner.dead = true);
        self.changed.notify_waiters();
    }

    /// Cuts the connection; the session lives on.
    pub fn cut(&self) {
        self.with(|inner| inner.connection += 1);
        self.changed.notify_waiters();
    }

    /// Waits for the end of the process.
    pub async fn wait_dead(&self) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            if self.is_dead() {
                return;
            }
            changed.await;
        }
    }

    /// A connection is gone: without another one the process ends after a while, as the real one does after 20 s.
    pub async fn linger(&self, time: Duration) {
        let before = self.with(|inner| inner.connection);
        tokio::time::sleep(time).await;
        if self.with(|inner| inner.connection == before && before > 0) {
            self.kill();
        }
    }

    /// The phone with the app's data, for the next agent.
    pub fn take_phone(&self, app: &Arc<App>) -> Phone {
        let empty = Phone::new(Arc::clone(app), Chance::Drawn(Seed(0).rng()));
        self.with(|inner| std::mem::replace(&mut inner.phone, empty))
    }

    pub fn is_dead(&self) -> bool {
        self.with(|inner| inner.dead)
    }

    /// The system has killed the app in the background.
    pub fn app_killed(&self) {
        self.with(|inner| inner.killed = true);
    }

    /// Serves one connection until it ends.
    pub async fn serve<S: AsyncRead + AsyncWrite + Unpin>(&self, mut stream: S) {
        let nonce = random().expect("the system has a generator");
        let hello = Notice::Hello(Hello {
            version: self.manner.version,
            build: "scripted".into(),
            backend: 1,
            sdk: 34,
            width: 1080,
            height: 1920,
            density: 420,
            rotation: 0,
            caps: [cap::ALL_WINDOWS, cap::INPUT, cap::CONTROLLER, cap::START_STOP, cap::CLEAR, cap::HIT]
                .iter()
                .map(|bit| 1 << bit)
                .sum(),
            nonce,
        });
        let mut first = vec![0];
        first.extend(Noticed { seq: 0, uptime_ms: 0, notice: hello }.frame().encode());
        if stream.write_all(&first).await.is_err() {
            return;
        }
        let mut buffer = FrameBuffer::default();
        let mut mine = None;
        let mut bytes = vec![0; 16 << 10];
        loop {
            let ended = self.changed.notified();
            tokio::pin!(ended);
            // Heard of from here on, also before it is waited for.
            ended.as_mut().enable();
            let replaced = self.with(|inner| inner.dead || mine.is_some_and(|mine| mine != inner.connection));
            if replaced {
                return;
            }
            let Ok(taken) = buffer.take(MAX_REQUEST) else { return };
            let Some(frame) = taken else {
                tokio::select! {
                    read = stream.read(&mut bytes) => match read {
                        Ok(0) | Err(_) => return,
                        Ok(count) => buffer.extend(&bytes[..count]),
                    },
                    () = &mut ended => {}
                }
                continue;
            };
            let fault = self.fault(&frame);
            if let Some(Fault::Stall(time)) = &fault {
                tokio::time::sleep(*time).await;
            }
            let settle = matches!(Request::read(&frame), Ok(Some((_, Request::Step { look, .. } | Request::Reset { look, .. }))) if look.pace.settle);
            if settle && !self.manner.settle.is_zero() {
                tokio::time::sleep(self.manner.settle).await;
            }
            let acts =
                matches!(Request::read(&frame), Ok(Some((_, Request::Step { .. } | Request::Reset { .. }))));
            if acts && self.manner.mute {
                continue;
            }
            let before = stream_of(fault.as_ref());
            match before {
                Before::Nothing => {}
                Before::End => return,
                Before::Kill => return self.kill(),
                Before::Silence => continue,
                Before::Send(garbage) => {
                    let _ = stream.write_all(&garbage).await;
                    let _ = stream.flush().await;
                    continue;
                }
            }
            let refusal = match &fault {
                Some(Fault::Refuse(code, message)) => Some(refuse(*code, message)),
                _ if acts && self.manner.cannot_start => {
                    Some(refuse(code::APP_NOT_FOUND, "the system did not start org.example/.Main"))
                }
                _ => None,
            };
            let (mut out, told, ends) = self.with(|inner| {
                if let Some(Fault::Hang { is_killed }) = fault {
                    inner.hangs = Some(is_killed);
                }
                inner.answer(&frame, &nonce, &mut mine, refusal)
            });
            match fault {
                Some(Fault::CutMidFrame) => out.truncate(out.len() / 2),
                Some(Fault::TellAndDie) => out.truncate(told),
                _ => {}
            }
            let out = &out[..];
            if stream.write_all(out).await.is_err() || stream.flush().await.is_err() {
                return;
            }
            if ends || fault == Some(Fault::TellAndDie) {
                self.kill();
                return;
            }
            if fault == Some(Fault::CutMidFrame) {
                return;
            }
        }
    }

    fn fault(&self, frame: &Frame) -> Option<Fault> {
        let (step, is_bye) = match Request::read(frame) {
            Ok(Some((_, Request::Step { step, .. } | Request::Reset { step, .. }))) => (step, false),
            Ok(Some((_, Request::Bye))) => (AT_BYE, true),
            _ => return None,
        };
        self.with(|inner| {
            let due = inner.faults.front().is_some_and(|(at, _)| *at <= step && is_bye == (*at == AT_BYE));
            due.then(|| inner.faults.pop_front()).flatten().map(|(_, fault)| fault)
        })
    }
}

fn refuse(code: u64, message: &str) -> Answer {
    Answer::Error(Refusal { code, retriable: false, message: message.to_owned(), detail: String::new() })
}

impl Inner {
    /// The bytes of the answer with the events before it, how many these are, and whether the process ends then.
    fn answer(
        &mut self,
        frame: &Frame,
        nonce: &[u8; 16],
        mine: &mut Option<u64>,
        refusal: Option<Answer>,
    ) -> (Vec<u8>, usize, bool) {
        let (seen, answer, ends) = match Request::read(frame) {
            Err(error) => (0, refuse(code::MALFORMED, &error.to_string()), false),
            Ok(None) => (0, refuse(code::UNSUPPORTED, "unknown op"), false),
            Ok(Some((prefix, request))) => {
                let ends = request == Request::Bye;
                let answer = refusal.unwrap_or_else(|| self.request(request, nonce, mine));
                (prefix.seen, answer, ends && mine.is_some())
            }
        };
        while self.events.front().is_some_and(|event| event.seq <= seen) {
            self.events.pop_front();
        }
        let mut out = Vec::new();
        if mine.is_some() {
            for event in &self.events {
                out.extend(event.frame().encode());
            }
        }
        let told = out.len();
        let stamp = Stamp { last_seq: self.seq, uptime_ms: self.phone.state().now };
        out.extend(answer.frame(frame.op, frame.id, stamp).encode());
        (out, told, ends)
    }

    fn request(&mut self, request: Request, nonce: &[u8; 16], mine: &mut Option<u64>) -> Answer {
        match request {
            Request::Auth(auth) => self.auth(&auth, nonce, mine, None),
            Request::Resume { auth, session, .. } => self.auth(&auth, nonce, mine, Some(session)),
            _ if mine.is_none() => refuse(code::AUTH, "not before AUTH"),
            Request::Ping => Answer::Done(4),
            Request::Bye => {
                self.said_bye = true;
                if let Some(why) = self.leaves.take() {
                    self.tell(Notice::Warn { what: "not put back".into(), why });
                }
                Answer::Done(17)
            }
            Request::Config(_) if self.refuses_config > 0 => {
                self.refuses_config -= 1;
                refuse(code::INTERNAL, "no settings today")
            }
            Request::Config(config) => {
                self.allow_clear = config.flags & 4 != 0;
                Answer::Config(config.flags)
            }
            Request::Tree { .. } if self.hangs.is_some() => refuse(code::HUNG, "the app does not answer"),
            Request::Tree { known } => {
                let (hash, tree) = self.look();
                let same = hash == known;
                Answer::Tree { hash, same, tree: if same { Vec::new() } else { tree } }
            }
            Request::Step { step, primitives, look } => {
                self.numbered(step, 8, |inner| inner.step(step, &primitives, look))
            }
            Request::Reset { step, mode, package, look, .. } => self.numbered(step, 9, |inner| {
                if package != inner.package {
                    return refuse(code::APP_NOT_FOUND, &format!("there is no package {package}"));
                }
                let to = match mode {
                    ResetMode::Warm => Reset::Warm,
                    ResetMode::Clean if inner.allow_clear => Reset::Clean,
                    ResetMode::Clean => {
                        return refuse(code::REFUSED, "clearing app data was not allowed by CONFIG");
                    }
                    ResetMode::Snapshot => return refuse(code::UNSUPPORTED, "no snapshots"),
                };
                inner.pid += 1;
                inner.clears.fetch_add(u64::from(to == Reset::Clean), Ordering::SeqCst);
                inner.phone.reset(to);
                inner.finish(step, 0, look, None)
            }),
            Request::App { verb: Verb::Start, package, .. } if package == self.package => {
                if std::mem::take(&mut self.killed) {
                    self.phone.inject(&Input::ProcessDeath);
                } else {
                    self.phone.launch();
                }
                Answer::App { value: 0, name: "Main".into() }
            }
            Request::App { verb: Verb::State, package, .. } => {
                let there = u64::from(package == self.package);
                let clings = self.clings > 0;
                self.clings = self.clings.saturating_sub(1);
                Answer::App { value: there * (3 + 4 * u64::from(clings)), name: "".into() }
            }
            Request::App { package, .. } if package != self.package => {
                refuse(code::APP_NOT_FOUND, &format!("there is no package {package}"))
            }
            Request::Stat => Answer::Stat(siamang::device::agent::answer::Stat {
                missing: vec![(u64::from(cap::SCREENSHOT), "a double has no screen".into())],
                ..Default::default()
            }),
            Request::Shot { format, .. } => {
                Answer::Shot(Shot { format, width: 1, height: 1, image: b"\x89PNG a screen".to_vec() })
            }
            Request::Screen(_) => {
                Answer::Screen { is: 1 + 2 * u64::from(self.locked), rotation: 0, width: 1080, height: 1920 }
            }
            _ => refuse(code::UNSUPPORTED, "not in this double"),
        }
    }

    fn auth(&mut self, auth: &Auth, nonce: &[u8; 16], mine: &mut Option<u64>, resume: Option<u64>) -> Answer {
        if auth.mac != self.token.host_mac(nonce, &auth.nonce) {
            return refuse(code::AUTH, "wrong token");
        }
        let granted = Granted { session: self.session, agent_mac: self.token.agent_mac(nonce, &auth.nonce) };
        match resume {
            None if self.connection > 0 => refuse(code::BUSY, "the session belongs to another connection"),
            Some(session) if session != self.session => refuse(code::NO_SESSION, "no such session"),
            _ => {
                self.connection += 1;
                *mine = Some(self.connection);
                match (resume, &self.stored) {
                    (None, _) => Answer::Auth(granted),
                    (Some(_), None) => Answer::Resume { granted, step: 0, step_state: 0 },
                    (Some(_), Some((step, ..))) => Answer::Resume { granted, step: *step, step_state: 2 },
                }
            }
        }
    }

    /// A step's number is done once; its answer is given again.
    fn numbered(&mut self, step: u64, op: u8, act: impl FnOnce(&mut Self) -> Answer) -> Answer {
        match &self.stored {
            Some((last, answer, stored)) if *last == step && *stored == op => return answer.clone(),
            Some((last, ..)) if *last >= step => {
                return refuse(code::STALE, &format!("step {step} is older than step {last}"));
            }
            _ => {}
        }
        let mut answer = act(self);
        if self.hangs.is_some() {
            answer = refuse(code::HUNG, "the app does not answer");
        }
        self.done.push(step);
        self.stored = Some((step, answer.clone(), op));
        answer
    }

    fn step(&mut self, step: u64, primitives: &[Primitive], look: Look) -> Answer {
        let before = self.latest.clone();
        let mut hits = Vec::new();
        if self.takes_no_input && !primitives.is_empty() {
            self.tell(Notice::Warn { what: "input".into(), why: "no window took it".into() });
        }
        if matches!(primitives, [Primitive::Key { code: 0, .. }])
            && let Some(is_killed) = self.hangs.take()
            && is_killed
        {
            let (process, pid) = (self.package.as_str().into(), self.pid);
            let reason = format!("ANR in {process}\nReason: Input dispatching timed out\n");
            self.tell(Notice::Anr { process, pid, reason, source: 1 });
        }
        for (number, primitive) in primitives.iter().enumerate() {
            if let (Some((_, tree)), Some(point)) = (&before, touched(primitive)) {
                hits.push(deepest(tree, number as u32, point));
            }
            let input = match self.input(primitive) {
                Ok(Some(input)) => input,
                Ok(None) => continue,
                Err(refusal) => return refusal,
            };
            self.phone.inject(&input);
        }
        let hits = before.map(|(tree, _)| Hits { tree, hits });
        self.finish(step, primitives.len() as u32, look, hits)
    }

    fn input(&mut self, primitive: &Primitive) -> Result<Option<Input>, Answer> {
        let point = |x: &i32, y: &i32| Point { x: *x, y: *y };
        Ok(Some(match primitive {
            Primitive::Tap { x, y } => Input::Tap(point(x, y)),
            Primitive::LongTap { x, y, .. } => Input::LongTap(point(x, y)),
            Primitive::Swipe { points, .. } => {
                let (from, to) = (points[0], points[points.len() - 1]);
                Input::Swipe { from: point(&from.0, &from.1), to: point(&to.0, &to.1) }
            }
            Primitive::Pinch { x, y, from, to, .. } => Input::Pinch { center: point(x, y), open: to > from },
            Primitive::Key { code, .. } => Input::Key(Key::of(*code as i32)),
            Primitive::Wait { ms } => Input::Wait(*ms),
            Primitive::Rotate { rotation } => {
                let turned = self.phone.state().landscape;
                if (rotation % 2 == 1) == turned {
                    return Ok(None);
                }
                Input::Rotate
            }
            Primitive::Text { tree, node, text, .. } => {
                let Some((latest, shown)) = &self.latest else {
                    return Err(refuse(code::STALE, "no tree was read"));
                };
                let field = match node {
                    0 => shown.indices().find(|&ix| shown.widget(ix).flags.contains(Flags::FOCUSED)),
                    _ if tree != latest => return Err(refuse(code::STALE, "a node of an older tree")),
                    number => Some(NodeIx(number - 1)).and_then(|wire| here(shown, wire)),
                };
                let Some(at) = field.and_then(|field| point_of(shown, field)) else { return Ok(None) };
                Input::Text { at, text: text.clone() }
            }
            Primitive::Open { package, address } if *package == self.package => {
                let known = &self.phone.app().activities;
                if !known.iter().any(|activity| activity.link.as_deref() == Some(address)) {
                    return Err(refuse(code::UNSUPPORTED, "the app does not open this address"));
                }
                self.opened.push(address.clone());
                Input::DeepLink(address.clone())
            }
            Primitive::Open { .. } => return Err(refuse(code::APP_NOT_FOUND, "another app")),
            Primitive::NodeAction { .. } => return Err(refuse(code::UNSUPPORTED, "no node actions")),
        }))
    }

    fn finish(&mut self, step: u64, performed: u32, look: Look, hits: Option<Hits>) -> Answer {
        if look.pace.settle {
            self.phone.wait(Wait::Settle);
        }
        let happened = self.phone.take_happened();
        for (_, failure) in happened.failures {
            self.fail(&failure);
        }
        let (hash, tree) = self.look();
        let wanted =
            look.want & want::TREE != 0 || look.want & want::TREE_IF_CHANGED != 0 && hash != look.known;
        let answer = StepAnswer {
            step,
            performed,
            settled: u8::from(look.pace.settle),
            hash,
            tree: wanted.then_some(tree),
            hits,
            ..StepAnswer::default()
        };
        if performed == 0 && hash == 0 {
            Answer::Reset(Box::new(answer))
        } else {
            Answer::Step(Box::new(answer))
        }
    }

    fn look(&mut self) -> (u64, Vec<u8>) {
        let tree = Arc::clone(&self.phone.screen().tree);
        self.tree_id += 1;
        let rotation = u8::from(self.phone.state().landscape);
        let wire = wire_tree(&tree, self.tree_id, self.phone.state().now, rotation);
        self.latest = Some((self.tree_id, tree));
        (wire.hash(), wire.encode())
    }

    fn fail(&mut self, failure: &Failure) {
        let (process, pid) = (self.package.as_str().into(), self.pid);
        let notice = match failure.kind {
            FailureKind::Java | FailureKind::Native => Notice::Crash {
                process,
                pid,
                native: failure.kind == FailureKind::Native,
                short: failure.headline(),
                long: failure.headline(),
                stack: stack(failure),
                source: 1,
                wall_ms: 0,
            },
            FailureKind::Anr => {
                let reason = hang(failure, &self.package, pid);
                Notice::Anr { process, pid, reason, source: 1 }
            }
            FailureKind::Exit => Notice::Exit { process, pid, reason: failure.message.clone() },
            FailureKind::Swallowed => return,
        };
        self.pid += 1;
        self.tell(notice);
    }

    fn tell(&mut self, notice: Notice) {
        self.seq += 1;
        self.events.push_back(Noticed { seq: self.seq, uptime_ms: self.phone.state().now, notice });
    }
}
