//! How intents to other apps are answered, where the user wants it otherwise than the device does by itself.
//!
//! The user's file is TOML; the host reads a line for each answer and a file for what the app is to read.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::SetUpError;
use super::workshop::write;
use super::yard::Yard;

/// The user's answers, in the order in which they are tried; what none of them fits is answered by the device itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StandIns {
    answers: Vec<Answer>,
    /// The bytes of the files that they name, in their order.
    files: Vec<Vec<u8>>,
}

/// Why a file of answers cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StandInError {
    /// It, or a file that it names, cannot be read.
    #[error("cannot read `{}`: {}", .0.display(), .1)]
    Unreadable(PathBuf, std::io::Error),
    /// It is not as such a file is written.
    #[error("`{}` is no list of answers: {}", .0.display(), .1)]
    Malformed(PathBuf, String),
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answers {
    #[serde(default)]
    answer: Vec<Answer>,
}

/// Which intents are meant, with `*` for anything, and what comes back.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    #[serde(default = "anything")]
    action: String,
    #[serde(default = "anything")]
    data: String,
    #[serde(rename = "type", default = "anything")]
    mime: String,
    #[serde(default)]
    result: Outcome,
    /// The address that comes back.
    #[serde(default)]
    uri: String,
    /// A file beside the list, which the app can read at that address.
    file: Option<PathBuf>,
    #[serde(default)]
    extras: BTreeMap<String, Extra>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    #[default]
    Ok,
    Cancelled,
    /// No app can do this: the app that asks is told so by an exception.
    Nobody,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Extra {
    Truth(bool),
    Number(i64),
    Text(String),
}

fn anything() -> String {
    "*".to_owned()
}

impl StandIns {
    /// No file that an app is to choose is larger.
    const MAX_FILE_BYTES: u64 = 64 << 20;

    /// Reads the user's file and those that it names.
    pub fn load(path: &Path) -> Result<Self, StandInError> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |error| StandInError::Unreadable(path, error)
        };
        let malformed = |why: String| StandInError::Malformed(path.to_owned(), why);
        let text = fs::read_to_string(path).map_err(unreadable(path))?;
        let Answers { answer: answers } =
            toml::from_str(&text).map_err(|error| malformed(error.to_string()))?;
        let mut files = Vec::new();
        for answer in &answers {
            if let Some(word) = answer.words().find(|word| word.contains(char::is_control)) {
                return Err(malformed(format!("{word:?} holds a control character")));
            }
            if let Some(name) = answer.extras.keys().find(|name| name.contains('=')) {
                return Err(malformed(format!("the extra `{name}` holds an equals sign")));
            }
            if let Some(file) = &answer.file {
                let file = path.parent().unwrap_or(Path::new("")).join(file);
                let length = fs::metadata(&file).map_err(unreadable(&file))?.len();
                if length > Self::MAX_FILE_BYTES {
                    let limit = Self::MAX_FILE_BYTES >> 20;
                    return Err(malformed(format!("`{}` is larger than {limit} MB", file.display())));
                }
                files.push(fs::read(&file).map_err(unreadable(&file))?);
            }
        }
        Ok(Self { answers, files })
    }

    /// Puts them where a host finds them.
    pub(super) fn lay_out(&self, yard: &Yard) -> Result<(), SetUpError> {
        for (number, bytes) in self.files.iter().enumerate() {
            write(&yard.given.join(number.to_string()), bytes)?;
        }
        write(&yard.given.join("answers.txt"), self.lines().as_bytes())
    }

    /// A line for each answer: its fields in the order of the struct, then the extras with their sort.
    fn lines(&self) -> String {
        let mut text = String::new();
        let mut files = 0;
        for answer in &self.answers {
            let outcome = match answer.result {
                Outcome::Ok => "ok",
                Outcome::Cancelled => "cancelled",
                Outcome::Nobody => "nobody",
            };
            let file = answer.file.as_ref().map_or(String::new(), |_| files.to_string());
            files += usize::from(answer.file.is_some());
            let Answer { action, data, mime, uri, .. } = answer;
            let _ = write!(text, "{action}\t{data}\t{mime}\t{outcome}\t{uri}\t{file}");
            for (name, extra) in &answer.extras {
                let _ = match extra {
                    Extra::Truth(value) => write!(text, "\tb{name}={value}"),
                    Extra::Number(value) => write!(text, "\tn{name}={value}"),
                    Extra::Text(value) => write!(text, "\tt{name}={value}"),
                };
            }
            text.push('\n');
        }
        text
    }
}

impl Answer {
    fn words(&self) -> impl Iterator<Item = &str> {
        let texts = self.extras.values().filter_map(|extra| match extra {
            Extra::Text(text) => Some(text.as_str()),
            _ => None,
        });
        let names = self.extras.keys().map(String::as_str);
        [&self.action, &self.data, &self.mime, &self.uri]
            .into_iter()
            .map(String::as_str)
            .chain(names)
            .chain(texts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(text: &str) -> Result<StandIns, StandInError> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("photo.jpg"), b"photo").unwrap();
        fs::write(folder.path().join("answers.toml"), text).unwrap();
        StandIns::load(&folder.path().join("answers.toml"))
    }

    #[test]
    fn answers_are_written_out_line_by_line_and_files_by_their_numbers() {
        let known = loaded(
            "[[answer]]\naction = \"a.PICK\"\nuri = \"content://x/7\"\nextras = { name = \"Ada\", age = 36, here = true }\n\
             [[answer]]\ntype = \"image/*\"\nfile = \"photo.jpg\"\n\
             [[answer]]\ndata = \"http*\"\nresult = \"nobody\"\n",
        )
        .unwrap();
        assert_eq!(
            known.lines(),
            "a.PICK\t*\t*\tok\tcontent://x/7\t\tnage=36\tbhere=true\ttname=Ada\n*\t*\timage/*\tok\t\t0\n*\thttp*\t*\tnobody\t\t\n"
        );
        assert_eq!(known.files, [b"photo".to_vec()]);
    }

    #[test]
    fn what_is_no_list_of_answers_is_refused_with_the_reason() {
        for (text, reason) in [
            ("[[answer]]\nacton = \"x\"\n", "unknown field `acton`"),
            ("[[answer]]\nresult = \"maybe\"\n", "unknown variant `maybe`"),
            ("[[answer]]\nuri = \"a\\tb\"\n", "holds a control character"),
            ("[[answer]]\nextras = { \"a=b\" = 1 }\n", "holds an equals sign"),
            ("[[answer]]\nfile = \"nothere\"\n", "cannot read"),
        ] {
            let told = loaded(text).unwrap_err().to_string();
            assert!(told.contains(reason), "{text}: {told}");
        }
    }
}
