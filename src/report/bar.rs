//! A line that moves on a terminal while long work goes on. Where stderr is no terminal, or the program was built without
//! the feature `terminal`, nothing is drawn.

/// The line.
#[derive(Clone, Debug)]
pub struct Bar {
    #[cfg(feature = "terminal")]
    bar: indicatif::ProgressBar,
}

/// What a line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// How far work of a known length is, and a message.
    Length(u64),
    /// The same, with the time that is left.
    TimeLeft(u64),
    /// That something goes on, since when, and a message.
    Spinner,
    /// That something goes on, whose name is given, and a message.
    Named(&'static str),
}

#[cfg(feature = "terminal")]
impl Bar {
    const TIMES_A_SECOND: u8 = 10;

    /// A line on stderr.
    pub fn new(shape: Shape) -> Self {
        use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
        let (length, template) = match shape {
            Shape::Length(length) => (Some(length), "{bar:24} {percent:>3}%  {wide_msg}"),
            Shape::TimeLeft(length) => {
                (Some(length), "{bar:24} {percent:>3}%  {human_pos} of {human_len} runs, {eta} left")
            }
            Shape::Spinner => (None, "{spinner}  {elapsed}  {wide_msg}"),
            Shape::Named(_) => (None, "{spinner} {prefix}: {wide_msg}"),
        };
        let target = ProgressDrawTarget::stderr_with_hz(Self::TIMES_A_SECOND);
        let bar = ProgressBar::with_draw_target(length, target);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("━━─"));
        }
        match shape {
            Shape::Named(name) => bar.set_prefix(name),
            Shape::TimeLeft(_) => bar.enable_steady_tick(std::time::Duration::from_secs(1)),
            Shape::Length(_) | Shape::Spinner => {}
        }
        Self { bar }
    }

    /// So much is done.
    pub fn set_position(&self, position: u64) {
        self.bar.set_position(position);
    }

    /// One more is done.
    pub fn advance(&self) {
        self.bar.inc(1);
    }

    /// What goes on now.
    pub fn set_message(&self, message: String) {
        self.bar.set_message(message);
        self.bar.tick();
    }

    /// A line that stays, above the one that moves.
    pub fn println(&self, line: &str) {
        self.bar.println(line);
    }

    /// The work is over: the line vanishes.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(not(feature = "terminal"))]
#[expect(clippy::unused_self, reason = "the same line with the feature")]
impl Bar {
    /// No line.
    pub fn new(_shape: Shape) -> Self {
        Self {}
    }

    /// So much is done.
    pub fn set_position(&self, _position: u64) {}

    /// One more is done.
    pub fn advance(&self) {}

    /// What goes on now.
    pub fn set_message(&self, _message: String) {}

    /// A line that stays.
    pub fn println(&self, _line: &str) {}

    /// The work is over.
    pub fn finish(&self) {}
}
