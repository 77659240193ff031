//! A virtual phone: speaks the ADB transport protocol over TCP as adbd does, answers the services that siamang uses, and
//! runs scripted agents on the virtual device.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use siamang::device::agent::Token;
use siamang::device::virtual_device::app::App;
use siamang::device::virtual_device::phone::{Chance, Phone as VirtualPhone};
use siamang::seed::Seed;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, DuplexStream, WriteHalf};
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};

use super::agent::{Agent, Fault, Manner};

const CNXN: u32 = 0x4e58_4e43;
const AUTH: u32 = 0x4854_5541;
const OPEN: u32 = 0x4e45_504f;
const OKAY: u32 = 0x5941_4b4f;
const WRTE: u32 = 0x4554_5257;
const CLSE: u32 = 0x4553_4c43;
const VERSION: u32 = 0x0100_0001;
const MAX_DATA: u32 = 1 << 20;

/// What the phone is like; all can be changed while it runs.
pub struct Phone {
    pub app: Arc<App>,
    seed: Seed,
    pub manner: Mutex<Manner>,
    /// Faults for the next agent that starts.
    pub faults: Mutex<Vec<(u64, Fault)>>,
    /// Android 5 or 6: its shell knows no packets. To be set before it is connected.
    pub is_old: AtomicBool,
    agent: Mutex<Option<(String, Agent)>>,
    /// The app's data outlives agents.
    kept: Mutex<Option<VirtualPhone>>,
    pub files: Mutex<BTreeMap<String, Vec<u8>>>,
    pub packages: Mutex<BTreeMap<String, String>>,
    /// Every shell line that was run.
    pub lines: Mutex<Vec<String>>,
    pub unauthorized: AtomicBool,
    pub storage_full: AtomicBool,
    /// Its system is not up yet: adb answers, and nothing else does.
    pub is_booting: AtomicBool,
    /// What the agent says instead of listening.
    pub start_fails: Mutex<Option<String>>,
    /// How long an agent outlives its connection.
    pub linger: Mutex<Duration>,
    installs: AtomicU64,
    unplugged: Notify,
    away: AtomicBool,
    pub starts: AtomicU64,
    /// How often the app's data was cleared.
    pub clears: Arc<AtomicU64>,
    port: u16,
}

impl Phone {
    /// Starts a phone with an app on it. The listener's thread ends with the process.
    pub fn start(app: &Arc<App>, seed: Seed) -> Arc<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        listener.set_nonblocking(true).expect("a listener");
        let port = listener.local_addr().expect("a port").port();
        let package = app.package.to_string();
        let place = format!("/data/app/{package}-0/base.apk");
        let phone = Arc::new(Self {
            app: Arc::clone(app),
            seed,
            manner: Mutex::default(),
            faults: Mutex::default(),
            is_old: AtomicBool::new(false),
            agent: Mutex::default(),
            kept: Mutex::default(),
            files: Mutex::default(),
            packages: Mutex::new([(package, place)].into()),
            lines: Mutex::default(),
            unauthorized: AtomicBool::new(false),
            storage_full: AtomicBool::new(false),
            is_booting: AtomicBool::new(false),
            start_fails: Mutex::default(),
            linger: Mutex::new(Duration::from_secs(20)),
            installs: AtomicU64::new(0),
            unplugged: Notify::new(),
            away: AtomicBool::new(false),
            starts: AtomicU64::new(0),
            clears: Arc::default(),
            port,
        });
        let served = Arc::clone(&phone);
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::from_std(listener).expect("a listener");
                while let Ok((stream, _)) = listener.accept().await {
                    if served.away.load(Ordering::SeqCst) {
                        continue;
                    }
                    tokio::spawn(Arc::clone(&served).connection(stream));
                }
            });
        });
        phone
    }

    pub fn serial(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The agent that runs now.
    pub fn agent(&self) -> Option<Agent> {
        let agent = self.agent.lock().expect("no test failed within");
        agent.as_ref().map(|(_, agent)| agent.clone()).filter(|agent| !agent.is_dead())
    }

    /// Pulls the cable.
    pub fn unplug(&self) {
        self.away.store(true, Ordering::SeqCst);
        self.unplugged.notify_waiters();
    }

    /// Puts it in again.
    pub fn plug_in(&self) {
        self.away.store(false, Ordering::SeqCst);
    }

    async fn connection(self: Arc<Self>, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let (mut read, mut write) = stream.into_split();
        let (out, mut outbox) = mpsc::channel::<Vec<u8>>(64);
        let writer = tokio::spawn(async move {
            while let Some(message) = outbox.recv().await {
                if write.write_all(&message).await.is_err() {
                    break;
                }
            }
        });
        self.messages(&mut read, out).await;
        // Both halves must go, or the other side does not see the end.
        writer.abort();
    }

    async fn messages(self: Arc<Self>, read: &mut OwnedReadHalf, out: mpsc::Sender<Vec<u8>>) {
        let mut streams: BTreeMap<u32, Open> = BTreeMap::new();
        let mut next = 1;
        loop {
            let unplugged = self.unplugged.notified();
            // The cable may have come out while a message was served and nobody listened.
            if self.away.load(Ordering::SeqCst) {
                return;
            }
            let message = tokio::select! {
                message = Message::read(read) => message,
                () = unplugged => return,
            };
            let Some(message) = message else { return };
            match message.command {
                CNXN if self.unauthorized.load(Ordering::SeqCst) => {
                    let _ = out.send(message_bytes(AUTH, 1, 0, &[7; 20])).await;
                }
                CNXN => {
                    let features = if self.is_old.load(Ordering::SeqCst) { "cmd" } else { "shell_v2,cmd" };
                    let banner = format!(
                        "device::ro.product.name=virtual;ro.product.model=Virtual_Phone;\
                         ro.product.device=virtual;features={features}"
                    );
                    let _ = out.send(message_bytes(CNXN, VERSION, MAX_DATA, banner.as_bytes())).await;
                }
                // No signature is known here; the key is shown to the user, and nobody taps on "Allow".
                AUTH if message.arg0 == 2 => {
                    let _ = out.send(message_bytes(AUTH, 1, 0, &[8; 20])).await;
                }
                AUTH => {}
                OPEN => {
                    let service = String::from_utf8_lossy(&message.data);
                    let service = service.trim_end_matches('\0').to_owned();
                    let theirs = message.arg0;
                    let Some(served) = self.service(&service) else {
                        let _ = out.send(message_bytes(CLSE, 0, theirs, &[])).await;
                        continue;
                    };
                    let ours = next;
                    next += 1;
                    let _ = out.send(message_bytes(OKAY, ours, theirs, &[])).await;
                    streams.insert(ours, Open::new(ours, theirs, served, out.clone()));
                }
                WRTE => {
                    if let Some(open) = streams.get(&message.arg1) {
                        let _ = open.input.send(message.data).await;
                    }
                }
                OKAY => {
                    if let Some(open) = streams.get(&message.arg1) {
                        open.acknowledged.notify_one();
                    }
                }
                CLSE => drop(streams.remove(&message.arg1)),
                _ => return,
            }
        }
    }

    /// The far end of a service; `None` if there is none of that name.
    fn service(self: &Arc<Self>, service: &str) -> Option<DuplexStream> {
        let (near, far) = tokio::io::duplex(1 << 18);
        let phone = Arc::clone(self);
        if let Some(name) = service.strip_prefix("localabstract:") {
            let agent = self.agent.lock().expect("no test failed within").clone();
            let (_, agent) = agent.filter(|(socket, agent)| socket == name && !agent.is_dead())?;
            tokio::spawn(async move {
                agent.serve(far).await;
                let linger = *phone.linger.lock().expect("no test failed within");
                agent.linger(linger).await;
            });
        } else if let Some(line) = service.strip_prefix("shell,v2,raw:") {
            if self.is_old.load(Ordering::SeqCst) {
                return None;
            }
            let line = line.to_owned();
            tokio::spawn(async move { phone.shell(&line, far).await });
        } else if let Some(line) =
            service.strip_prefix("exec:").and_then(|line| line.strip_suffix("; echo siamang-ended-$?"))
        {
            let line = line.to_owned();
            let (inner, shell) = tokio::io::duplex(1 << 18);
            tokio::spawn(async move { phone.shell(&line, shell).await });
            tokio::spawn(without_packets(inner, far));
        } else if let Some(line) = service.strip_prefix("exec:") {
            let line = line.to_owned();
            tokio::spawn(async move {
                let mut far = far;
                let (_, said) = phone.command(&line);
                let _ = far.write_all(said.as_bytes()).await;
            });
        } else if service == "sync:" {
            tokio::spawn(async move { phone.sync(far).await });
        } else {
            return None;
        }
        Some(near)
    }

    async fn shell(&self, line: &str, mut far: DuplexStream) {
        self.lines.lock().expect("no test failed within").push(line.to_owned());
        if let Some(start) = line.strip_prefix("CLASSPATH=") {
            return self.app_process(start, far).await;
        }
        let (code, said) = self.command(line);
        let _ = far.write_all(&packet(1, said.as_bytes())).await;
        let _ = far.write_all(&packet(3, &[code])).await;
    }

    /// `JAR nohup app_process / siamang.agent.device.Main SOCKET JOURNAL`, the token on stdin.
    async fn app_process(&self, start: &str, mut far: DuplexStream) {
        self.starts.fetch_add(1, Ordering::SeqCst);
        let words: Vec<&str> = start.split(' ').collect();
        let [jar, "nohup", "app_process", "/", "siamang.agent.device.Main", socket, _journal] = words[..]
        else {
            let _ = far.write_all(&packet(2, b"app_process: no such class\n")).await;
            let _ = far.write_all(&packet(3, &[1])).await;
            return;
        };
        let there = self.files.lock().expect("no test failed within").contains_key(jar);
        let mut input = Vec::new();
        while !input.contains(&b'\n') {
            let mut head = [0; 5];
            if far.read_exact(&mut head).await.is_err() {
                return;
            }
            let mut bytes = vec![0; u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize];
            if far.read_exact(&mut bytes).await.is_err() {
                return;
            }
            input.extend(bytes);
        }
        let fails = self.start_fails.lock().expect("no test failed within").clone();
        let said = match fails {
            Some(said) => said,
            None if self.is_booting.load(Ordering::SeqCst) => {
                "failed 9 this device has no service window".to_owned()
            }
            None if !there => "Error: Could not find or load main class".to_owned(),
            None if self.agent().is_some() => "failed 4 UiAutomationService already registered!".to_owned(),
            None => {
                let digits = String::from_utf8_lossy(&input).trim().to_owned();
                let token = std::array::from_fn(|at| {
                    u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).expect("hex digits")
                });
                self.new_agent(socket, Token::new(token));
                // As Android 8 does it.
                let compiled = jar.replace("/tmp/", "/tmp/oat/arm64/").replace(".jar", ".odex");
                self.files.lock().expect("no test failed within").insert(compiled, vec![1]);
                format!("listening {socket}")
            }
        };
        let _ = far.write_all(&packet(1, format!("{said}\n").as_bytes())).await;
        if !said.starts_with("listening") {
            let _ = far.write_all(&packet(3, &[2])).await;
            return;
        }
        let Some(agent) = self.agent() else { return };
        agent.wait_dead().await;
        let code = u8::from(!agent.with(|inner| inner.said_bye)) * 137;
        let _ = far.write_all(&packet(3, &[code])).await;
    }

    fn new_agent(&self, socket: &str, token: Token) {
        let mut running = self.agent.lock().expect("no test failed within");
        let phone = running.take().map(|(_, old)| old.take_phone(&self.app));
        let kept = self.kept.lock().expect("no test failed within").take();
        let fresh = || VirtualPhone::new(Arc::clone(&self.app), Chance::Drawn(self.seed.rng()));
        let phone = phone.or(kept).unwrap_or_else(fresh);
        let manner = self.manner.lock().expect("no test failed within").clone();
        let agent = Agent::on(phone, token, manner);
        let faults = std::mem::take(&mut *self.faults.lock().expect("no test failed within"));
        agent.with(|inner| {
            inner.faults.extend(faults);
            inner.clears = Arc::clone(&self.clears);
        });
        *running = Some((socket.to_owned(), agent));
    }

    /// A command that ends at once: its code and what it prints.
    fn command(&self, line: &str) -> (u8, String) {
        let words: Vec<&str> = line.split(' ').collect();
        let mut files = self.files.lock().expect("no test failed within");
        let mut packages = self.packages.lock().expect("no test failed within");
        match words[..] {
            ["rm", "-f", ref paths @ ..] => {
                files.retain(|path, _| !paths.contains(&path.as_str()));
                (0, String::new())
            }
            ["chmod", "0444", path] if files.contains_key(path) => (0, String::new()),
            ["chmod", ..] => (1, "chmod: No such file or directory\n".into()),
            ["am", "kill", _] => {
                drop((files, packages));
                if let Some(agent) = self.agent() {
                    agent.app_killed();
                }
                (0, String::new())
            }
            ["pm", "list", "packages", "-f"] => {
                let lines: Vec<String> =
                    packages.iter().map(|(name, place)| format!("package:{place}={name}\n")).collect();
                (0, lines.concat())
            }
            ["pm", "install", "-r", "-t", path] => {
                match files.get(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned()) {
                    Some(content) if !content.ends_with("broken") => {
                        let named = content.rsplit_once(" as ").map(|(_, name)| name.to_owned());
                        let name = named.unwrap_or_else(|| self.app.package.to_string());
                        let number = self.installs.fetch_add(1, Ordering::SeqCst) + 1;
                        packages.insert(name.clone(), format!("/data/app/{name}-{number}/base.apk"));
                        (0, "Success\n".into())
                    }
                    _ => (1, "Failure [INSTALL_PARSE_FAILED_NOT_APK]\n".into()),
                }
            }
            ["pm", "uninstall", name] if packages.remove(name).is_some() => (0, "Success\n".into()),
            ["pm", "uninstall", _] => (1, "Failure [DELETE_FAILED_INTERNAL_ERROR]\n".into()),
            ["getprop", "ro.build.version.sdk"] => (0, "34\n".into()),
            ["getprop", "sys.boot_completed"] => {
                (0, if self.is_booting.load(Ordering::SeqCst) { "\n" } else { "1\n" }.into())
            }
            ["settings", "get", "global", _] => (0, "1.0\n".into()),
            _ => (127, format!("{}: inaccessible or not found\n", words[0])),
        }
    }

    /// The sync service: SEND and QUIT are enough.
    async fn sync(&self, mut far: DuplexStream) {
        let mut file: Option<(String, Vec<u8>)> = None;
        loop {
            let mut head = [0; 8];
            if far.read_exact(&mut head).await.is_err() {
                return;
            }
            let length = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
            match &head[..4] {
                b"SEND" => {
                    let name = read_exact(&mut far, length).await;
                    let name = String::from_utf8_lossy(&name).into_owned();
                    let path = name.rsplit_once(',').map_or(name.as_str(), |(path, _)| path);
                    file = Some((path.to_owned(), Vec::new()));
                }
                b"DATA" => {
                    let bytes = read_exact(&mut far, length).await;
                    if let Some((_, content)) = &mut file {
                        content.extend(bytes);
                    }
                }
                b"DONE" => {
                    let full = self.storage_full.load(Ordering::SeqCst);
                    let answer = if full {
                        let reason = b"couldn't write: No space left on device";
                        [&b"FAIL"[..], &(reason.len() as u32).to_le_bytes(), reason].concat()
                    } else {
                        if let Some((path, content)) = file.take() {
                            self.files.lock().expect("no test failed within").insert(path, content);
                        }
                        b"OKAY\0\0\0\0".to_vec()
                    };
                    let _ = far.write_all(&answer).await;
                }
                _ => return,
            }
        }
    }
}

async fn read_exact(from: &mut DuplexStream, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    let _ = from.read_exact(&mut bytes).await;
    bytes
}

fn packet(id: u8, bytes: &[u8]) -> Vec<u8> {
    let mut packet = vec![id];
    packet.extend((bytes.len() as u32).to_le_bytes());
    packet.extend(bytes);
    packet
}

/// A shell of an old phone: what is said comes as it is, and the line itself asks for the code.
async fn without_packets(inner: DuplexStream, far: DuplexStream) {
    let (mut said, mut input) = tokio::io::split(inner);
    let (mut typed, mut shown) = tokio::io::split(far);
    tokio::spawn(async move {
        let mut bytes = [0; 1024];
        while let Ok(length @ 1..) = typed.read(&mut bytes).await {
            if input.write_all(&packet(0, &bytes[..length])).await.is_err() {
                return;
            }
        }
    });
    let mut head = [0; 5];
    while said.read_exact(&mut head).await.is_ok() {
        let mut bytes = vec![0; u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize];
        if said.read_exact(&mut bytes).await.is_err() {
            return;
        }
        if head[0] == 3 {
            bytes = format!("siamang-ended-{}\n", bytes[0]).into_bytes();
        }
        let _ = shown.write_all(&bytes).await;
    }
}

/// One open stream: what comes in goes to the service, what the service says goes out, one message at a time.
struct Open {
    input: mpsc::Sender<Vec<u8>>,
    acknowledged: Arc<Notify>,
}

impl Open {
    fn new(ours: u32, theirs: u32, service: DuplexStream, out: mpsc::Sender<Vec<u8>>) -> Self {
        let (mut read, write) = tokio::io::split(service);
        let (input, inbox) = mpsc::channel(64);
        let acknowledged = Arc::new(Notify::new());
        tokio::spawn(pass_in(write, inbox, message_bytes(OKAY, ours, theirs, &[]), out.clone()));
        let ready = Arc::clone(&acknowledged);
        tokio::spawn(async move {
            let mut bytes = vec![0; 64 << 10];
            loop {
                match read.read(&mut bytes).await {
                    Ok(0) | Err(_) => break,
                    Ok(count) => {
                        if out.send(message_bytes(WRTE, ours, theirs, &bytes[..count])).await.is_err() {
                            return;
                        }
                        ready.notified().await;
                    }
                }
            }
            let _ = out.send(message_bytes(CLSE, ours, theirs, &[])).await;
        });
        Self { input, acknowledged }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.acknowledged.notify_one();
    }
}

async fn pass_in(
    mut write: WriteHalf<DuplexStream>,
    mut inbox: mpsc::Receiver<Vec<u8>>,
    okay: Vec<u8>,
    out: mpsc::Sender<Vec<u8>>,
) {
    while let Some(bytes) = inbox.recv().await {
        if write.write_all(&bytes).await.is_err() || out.send(okay.clone()).await.is_err() {
            return;
        }
    }
    // The stream was closed from the other side.
    let _ = write.shutdown().await;
}

struct Message {
    command: u32,
    arg0: u32,
    arg1: u32,
    data: Vec<u8>,
}

impl Message {
    async fn read(from: &mut (impl AsyncRead + Unpin)) -> Option<Self> {
        let mut head = [0; 24];
        from.read_exact(&mut head).await.ok()?;
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let mut data = vec![0; word(12) as usize];
        from.read_exact(&mut data).await.ok()?;
        Some(Self { command: word(0), arg0: word(4), arg1: word(8), data })
    }
}

fn message_bytes(command: u32, arg0: u32, arg1: u32, data: &[u8]) -> Vec<u8> {
    let sum = data.iter().fold(0_u32, |sum, &byte| sum.wrapping_add(byte.into()));
    let mut bytes = Vec::with_capacity(24 + data.len());
    for word in [command, arg0, arg1, data.len() as u32, sum, command ^ u32::MAX] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(data);
    bytes
}
