//! Names that may stand in a service or a shell line: checked once, here.

use std::fmt;

use smol_str::SmolStr;

/// A name that is not one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` is no {what}")]
pub struct BadName {
    what: &'static str,
    shown: String,
}

impl BadName {
    fn new(what: &'static str, name: &str) -> Self {
        let shown = name.chars().take(60).map(|c| if c.is_control() { '?' } else { c }).collect();
        Self { what, shown }
    }
}

const MAX_NAME: usize = 255;

/// The name of an app, such as `org.example.notes`: letters, digits, `_` and dots, and nothing that a shell knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Package(SmolStr);

impl Package {
    /// Checks a name. One without a dot is no app's.
    pub fn new(name: &str) -> Result<Self, BadName> {
        let good = name.len() <= MAX_NAME && name.contains('.') && name.split('.').all(is_part);
        if good { Ok(Self(name.into())) } else { Err(BadName::new("package name", name)) }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The name of an activity as a manifest writes it: `org.example.Main`, `.Main` or `Main`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Activity(SmolStr);

impl Activity {
    /// Checks a name.
    pub fn new(name: &str) -> Result<Self, BadName> {
        let plain = name.strip_prefix('.').unwrap_or(name);
        let good = name.len() <= MAX_NAME && plain.split('.').all(|part| is_part(&part.replace('$', "_")));
        if good { Ok(Self(name.into())) } else { Err(BadName::new("activity name", name)) }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_part(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// An address that an app is asked to open, such as `notes://new`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address(SmolStr);

impl Address {
    const MAX: usize = 2_000;
    /// These carry a whole intent, a program or a file of this computer's user inside.
    const REFUSED: [&'static str; 5] = ["intent", "android-app", "javascript", "file", "content"];

    /// Checks an address: a scheme, and something behind it.
    pub fn new(text: &str) -> Result<Self, BadName> {
        let bad = || BadName::new("address that an app can be asked to open", text);
        let (scheme, rest) = text.split_once(':').ok_or_else(bad)?;
        let word = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '.' | '-'));
        let refused = Self::REFUSED.iter().any(|refused| refused.eq_ignore_ascii_case(scheme));
        let plain = !rest.is_empty() && rest.chars().all(|c| c.is_ascii_graphic());
        if word && !refused && plain && text.len() <= Self::MAX { Ok(Self(text.into())) } else { Err(bad()) }
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The serial of a device, as `adb devices` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Serial(SmolStr);

impl Serial {
    /// Checks a serial: what adb prints, and nothing that could end a request early.
    pub fn new(name: &str) -> Result<Self, BadName> {
        let good = !name.is_empty()
            && name.len() <= MAX_NAME
            && name
                .chars()
                .all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '\'' | '`' | '$' | ';' | '|' | '&'));
        if good { Ok(Self(name.into())) } else { Err(BadName::new("serial of a device", name)) }
    }

    /// The serial.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A file of ours on a device, below `/data/local/tmp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemotePath(String);

impl RemotePath {
    /// Where the shell may write and apps may not.
    const FOLDER: &'static str = "/data/local/tmp/";

    /// A file with a name of letters, digits, dots, `-` and `_`.
    pub fn new(name: &str) -> Result<Self, BadName> {
        let good = !name.is_empty()
            && name.len() <= MAX_NAME
            && !name.starts_with('.')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
        if good { Ok(Self(format!("{}{name}", Self::FOLDER))) } else { Err(BadName::new("file name", name)) }
    }

    /// The whole path.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A line for the shell of a device. It is put together from words of this program and checked names only, so that no
/// string of an app can reach a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellLine(String);

impl ShellLine {
    /// Begins with words of this program.
    pub fn new(words: &'static str) -> Self {
        Self(words.to_owned())
    }

    /// More words of this program.
    #[must_use]
    pub fn words(self, words: &'static str) -> Self {
        self.with(words)
    }

    /// A package.
    #[must_use]
    pub fn package(self, package: &Package) -> Self {
        self.with(package.as_str())
    }

    /// A file of ours.
    #[must_use]
    pub fn path(self, path: &RemotePath) -> Self {
        self.with(path.as_str())
    }

    /// A program of ours, and what the virtual machines of Android 7 to 9 compile it to: that lies beside it, in a folder
    /// for each sort of processor.
    #[must_use]
    pub fn program(self, jar: &RemotePath) -> Self {
        let name = jar.as_str().strip_prefix(RemotePath::FOLDER).unwrap_or_default();
        let name = name.strip_suffix(".jar").unwrap_or(name);
        let mut line = self.with(jar.as_str());
        for processor in ["arm", "arm64", "x86", "x86_64"] {
            for kind in ["odex", "vdex", "art"] {
                line = line.with(&format!("{}oat/{processor}/{name}.{kind}", RemotePath::FOLDER));
            }
        }
        line
    }

    /// Starts the agent (section 8 of the protocol). `nohup` keeps it alive when adbd hangs up: it waits for a RESUME.
    pub(super) fn agent(jar: &RemotePath, number: &str, journal: &RemotePath) -> Self {
        let number: String = number.chars().filter(char::is_ascii_hexdigit).collect();
        Self(format!(
            "CLASSPATH={jar} nohup app_process / siamang.agent.device.Main siamang_{number} {journal}"
        ))
    }

    /// The line.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn with(mut self, word: &str) -> Self {
        self.0.push(' ');
        self.0.push_str(word);
        self
    }
}

macro_rules! shown {
    ($($name:ident),*) => {
        $(impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        })*
    };
}

shown!(Package, Activity, Address, Serial, RemotePath, ShellLine);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_shell_knows_is_a_name() {
        for name in ["org.example.notes", "a.b", "com.x_1.Y"] {
            assert!(Package::new(name).is_ok(), "{name}");
        }
        for name in [
            "",
            "notes",
            "a b.c",
            "a.b;reboot",
            "a.$(reboot)",
            "a.`x`",
            "a..b",
            ".a.b",
            "a.b.",
            "a.1b",
            "ä.b",
            "a.b\nc",
            "a.b'",
            "a/b.c",
        ] {
            assert!(Package::new(name).is_err(), "{name}");
        }
        assert!(Package::new(&format!("a.{}", "b".repeat(300))).is_err());
        assert!(Activity::new(".Main$Inner").is_ok() && Activity::new("Main;").is_err());
        assert!(RemotePath::new("siamang-01ab.jar").is_ok());
        assert!(RemotePath::new("../x").is_err() && RemotePath::new("a b").is_err());
        assert!(Serial::new("192.168.0.7:5555").is_ok() && Serial::new("emulator-5554").is_ok());
        assert!(Serial::new("a b").is_err() && Serial::new("").is_err());
        assert_eq!(Package::new("a.b\u{7}c").unwrap_err().to_string(), "`a.b?c` is no package name");
    }

    #[test]
    fn what_hides_an_intent_or_a_program_is_no_address() {
        for good in ["notes://new", "https://example.org/a?b=c#d", "market:x", "x+y.z-1:a"] {
            assert!(Address::new(good).is_ok(), "{good}");
        }
        for bad in
            ["", "notes", ":x", "1a:b", "x:", "intent:#Intent;end", "ANDROID-APP://x", "file:///x", "a:b c"]
        {
            assert!(Address::new(bad).is_err(), "{bad}");
        }
        assert!(Address::new(&format!("a:{}", "b".repeat(2_000))).is_err());
    }

    #[test]
    fn a_shell_line_is_made_of_words_and_names() {
        let package = Package::new("org.example.notes").unwrap();
        assert_eq!(ShellLine::new("am kill").package(&package).as_str(), "am kill org.example.notes");
    }
}
