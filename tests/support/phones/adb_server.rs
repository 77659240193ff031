//! A real adb server on a port of its own.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// An adb server that ends with the test.
pub struct AdbServer {
    pub port: u16,
    child: Mutex<Option<Child>>,
    home: TempDir,
}

impl AdbServer {
    /// Starts one; `None`, and a word about it, where adb is not installed.
    pub fn start() -> Option<Self> {
        let there = Command::new("adb").arg("version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !there.is_ok_and(|status| status.success()) {
            super::skipped::skipped("no adb (scripts/test installs it)");
            return None;
        }
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = free.local_addr().expect("a port").port();
        drop(free);
        let server = Self { port, child: Mutex::default(), home: tempfile::tempdir().expect("a folder") };
        server.restart();
        Some(server)
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Kills it, as a crash would.
    pub fn kill(&self) {
        if let Some(mut child) = self.child.lock().expect("no test failed within").take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    pub fn restart(&self) {
        let child = Command::new("adb")
            .args(["-P", &self.port.to_string(), "nodaemon", "server"])
            .env("HOME", self.home.path())
            .env("ADB_MDNS", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("adb starts");
        *self.child.lock().expect("no test failed within") = Some(child);
        wait_until("the adb server answers", || ask(self.port, "host:version").is_some());
    }

    /// `adb connect`, until the device is in the state that is wanted.
    pub fn connect(&self, serial: &str, state: &str) {
        let listed = format!("{serial}\t{state}");
        wait_until(&format!("{serial} is {state}"), || {
            let there = ask(self.port, "host:devices").is_some_and(|list| list.contains(&listed));
            if !there {
                ask(self.port, &format!("host:connect:{serial}"));
            }
            there
        });
    }

    pub fn disconnect(&self, serial: &str) {
        ask(self.port, &format!("host:disconnect:{serial}"));
    }
}

impl Drop for AdbServer {
    fn drop(&mut self) {
        // Siamang may have started another one at the same port.
        ask(self.port, "host:kill");
        self.kill();
    }
}

/// Waits for a condition, at most half a minute.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + Duration::from_secs(30);
    while !holds() {
        assert!(Instant::now() < until, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn ask(port: u16, service: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(15))).ok()?;
    stream.write_all(format!("{:04x}{service}", service.len()).as_bytes()).ok()?;
    let mut head = [0; 4];
    stream.read_exact(&mut head).ok()?;
    if &head != b"OKAY" {
        return None;
    }
    stream.read_exact(&mut head).ok()?;
    let length = usize::from_str_radix(std::str::from_utf8(&head).ok()?, 16).ok()?;
    let mut text = vec![0; length];
    stream.read_exact(&mut text).ok()?;
    String::from_utf8(text).ok()
}
