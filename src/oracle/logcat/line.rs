//! One line of a log in any of logcat's formats.

/// What stands before the message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head<'a> {
    /// Milliseconds; see [`Report::time_ms`](crate::oracle::Report::time_ms).
    pub(crate) time_ms: Option<i64>,
    pub(crate) pid: Option<u32>,
    pub(crate) tid: Option<u32>,
    /// `V D I W E F`, or `A` in Android Studio.
    pub(crate) level: Option<char>,
    /// Absent in the formats `thread` and `raw`.
    pub(crate) tag: Option<&'a str>,
}

/// A line as far as it explains itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A head and its message.
    Entry(Head<'a>, &'a str),
    /// A head of the format `long`; its message follows in the next lines.
    Long(Head<'a>),
    /// `--------- beginning of crash` and the like.
    Divider,
    /// No head: the format `raw`, or more of the message before it.
    Bare(&'a str),
}

/// Recognises brief, process, tag, thread, time, threadtime and long, with the modifiers epoch, monotonic, uid, usec,
/// nsec, year, UTC, zone and color, and Android Studio's two formats.
pub(crate) fn parse_line(line: &str) -> Line<'_> {
    let line = uncoloured(line);
    if line.starts_with("--------- ") {
        return Line::Divider;
    }
    if let Some(inner) = line.strip_prefix("[ ").and_then(|rest| rest.trim_end().strip_suffix(" ]"))
        && let Some(head) = long(inner)
    {
        return Line::Long(head);
    }
    let parsed = match time(line) {
        Some((time_ms, rest)) => {
            after_time(rest).map(|(head, text)| (Head { time_ms: Some(time_ms), ..head }, text))
        }
        None => slashed(line).or_else(|| bracketed(line)),
    };
    parsed.map_or(Line::Bare(line), |(head, text)| Line::Entry(head, text))
}

/// The modifier `color` wraps each line in escape sequences.
fn uncoloured(line: &str) -> &str {
    let line = match line.strip_prefix("\u{1b}[") {
        Some(rest) => rest.split_once('m').map_or(line, |(_, rest)| rest),
        None => line,
    };
    line.strip_suffix("\u{1b}[0m").unwrap_or(line)
}

fn after_time(rest: &str) -> Option<(Head<'_>, &str)> {
    slashed(rest).or_else(|| threadtime(rest)).or_else(|| studio(rest))
}

/// `E/Tag( 1234): message` (brief, time) or `E/Tag: message` (tag).
fn slashed(text: &str) -> Option<(Head<'_>, &str)> {
    let level = level(text.chars().next()?)?;
    let rest = text[1..].strip_prefix('/')?;
    if let Some(end) = rest.find("):")
        && let Some((tag, inner)) = rest[..end].rsplit_once('(')
        && let Some(pid) = inner.rsplit(':').next().and_then(|pid| pid.trim().parse().ok())
        // With `-v tag` a number in brackets can stand in the message only.
        && !tag.contains(": ")
    {
        let head = Head { pid: Some(pid), level: Some(level), tag: Some(tag.trim()), ..Head::default() };
        return Some((head, message(&rest[end + 1..])?));
    }
    let (tag, text) = tag_and_message(rest)?;
    Some((Head { level: Some(level), tag: Some(tag), ..Head::default() }, text))
}

/// `E( 1234) message  (Tag)` (process) or `E( 1234: 5678) message` (thread), perhaps with a user id first.
fn bracketed(text: &str) -> Option<(Head<'_>, &str)> {
    let level = level(text.chars().next()?)?;
    let (inner, rest) = text[1..].strip_prefix('(')?.split_once(')')?;
    let numbers: Vec<Option<u32>> = inner.split(':').map(|number| number.trim().parse().ok()).collect();
    let rest = rest.strip_prefix(' ').unwrap_or(rest);
    let tagged = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once("  ("));
    let tagged = tagged.filter(|(_, tag)| !tag.trim().contains(' '));
    let (pid, tid, tag, text) = match (numbers.as_slice(), tagged) {
        (&[pid] | &[_, pid], Some((text, tag))) => (pid, None, Some(tag.trim()), text),
        (&[.., pid, tid], _) => (pid, tid, None, rest),
        (&[pid], None) => (pid, None, None, rest),
        _ => return None,
    };
    Some((Head { pid: Some(pid?), tid, level: Some(level), tag, time_ms: None }, text))
}

/// `[uid] 1234  5678 E Tag: message`.
fn threadtime(text: &str) -> Option<(Head<'_>, &str)> {
    let mut ids: [&str; 3] = [""; 3];
    let mut count = 0;
    let mut rest = text.trim_start();
    loop {
        let (word, after) = rest.split_once(' ')?;
        let mut letters = word.chars();
        if let (Some(first), None) = (letters.next(), letters.next())
            && let Some(level) = level(first)
            && count >= 2
        {
            let (tag, text) = tag_and_message(after)?;
            let pid = ids[count - 2].parse().ok()?;
            let tid = ids[count - 1].parse().ok()?;
            let head =
                Head { pid: Some(pid), tid: Some(tid), level: Some(level), tag: Some(tag), time_ms: None };
            return Some((head, text));
        }
        *ids.get_mut(count)? = word.trim_end_matches(':');
        count += 1;
        rest = after.trim_start();
    }
}

/// Android Studio: `1234-5678/org.example E/Tag: message`, or `1234-5678  Tag  org.example  E  message`.
fn studio(text: &str) -> Option<(Head<'_>, &str)> {
    let text = text.trim_start();
    let (pid, rest) = text.split_once('-')?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit())?;
    let pid = pid.parse().ok()?;
    let tid = rest[..digits].parse().ok()?;
    let rest = &rest[digits..];
    if let Some(package) = rest.strip_prefix('/') {
        let (head, text) = slashed(package.split_once(' ')?.1)?;
        return Some((Head { pid: Some(pid), tid: Some(tid), ..head }, text));
    }
    let (tag, rest) = rest.trim_start().split_once("  ")?;
    let (_, rest) = rest.trim_start().split_once("  ")?;
    let (letter, text) = rest.trim_start().split_once("  ")?;
    let level = level(letter.chars().next().filter(|_| letter.len() == 1)?)?;
    let head = Head { pid: Some(pid), tid: Some(tid), level: Some(level), tag: Some(tag), time_ms: None };
    Some((head, text))
}

/// `06-01 12:00:00.000  1234: 5678 E/Tag` between the brackets of the format `long`.
fn long(inner: &str) -> Option<Head<'_>> {
    let (time_ms, rest) = time(inner)?;
    let slash = rest.find('/')?;
    let level = level(rest[..slash].chars().next_back()?)?;
    let mut ids = rest[..slash - 1].trim().rsplit(':').map(|id| id.trim().parse::<u32>().ok());
    let tid = ids.next()??;
    let pid = ids.next()??;
    Some(Head {
        time_ms: Some(time_ms),
        pid: Some(pid),
        tid: Some(tid),
        level: Some(level),
        tag: Some(rest[slash + 1..].trim()),
    })
}

fn level(letter: char) -> Option<char> {
    "VDIWEFA".contains(letter).then_some(letter)
}

fn tag_and_message(text: &str) -> Option<(&str, &str)> {
    let colon =
        text.find(": ").or_else(|| text.trim_end().ends_with(':').then(|| text.trim_end().len() - 1))?;
    Some((text[..colon].trim(), message(&text[colon..])?))
}

/// What follows a colon and one space.
fn message(text: &str) -> Option<&str> {
    let text = text.strip_prefix(':')?;
    Some(text.strip_prefix(' ').unwrap_or(text))
}

/// The time at the start of a line, in milliseconds, and what follows it.
fn time(line: &str) -> Option<(i64, &str)> {
    let line = line.trim_start();
    if !line.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let (first, rest) = line.split_once(' ')?;
    if let Some((seconds, fraction)) = first.split_once('.') {
        let seconds: i64 = seconds.parse().ok()?;
        return Some((seconds.checked_mul(1000)?.checked_add(millis(fraction)?)?, rest));
    }
    let mut date = first.rsplit('-').map(|part| part.parse::<i64>().ok());
    let day = date.next()??;
    let month = date.next()??;
    let year = date.next().flatten().unwrap_or(1970);
    let (clock, rest) = rest.trim_start().split_once(' ')?;
    let (clock, fraction) = clock.split_once('.')?;
    let mut parts =
        clock.split(':').map(|part| part.parse::<i64>().ok().filter(|part| (0..61).contains(part)));
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next()??);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || !(1970..10_000).contains(&year) {
        return None;
    }
    let (zone_minutes, rest) = zone(rest);
    let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - zone_minutes;
    Some(((minutes * 60 + second) * 1000 + millis(fraction)?, rest))
}

/// `+0530 ` after the time, in minutes.
fn zone(rest: &str) -> (i64, &str) {
    let sign = match rest.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return (0, rest),
    };
    match rest[1..].split_once(' ') {
        Some((zone, rest)) if zone.len() == 4 => match zone.parse::<i64>() {
            Ok(zone) => (sign * (zone / 100 * 60 + zone % 100), rest),
            Err(_) => (0, rest),
        },
        _ => (0, rest),
    }
}

/// The first three digits of a fraction of a second.
fn millis(fraction: &str) -> Option<i64> {
    if fraction.is_empty() || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    format!("{fraction:0<3}")[..3].parse().ok()
}

/// Days from 1970-01-01, by counting from the first of March of the year 0.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year / 4 - year / 100 + year / 400 + of_year - 719_468
}
