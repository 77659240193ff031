//! What to write into a field: by what the field means, by what was seen on screen, and what hurts.

use indexmap::IndexSet;
use rand::RngExt;
use rustc_hash::FxBuildHasher;
use smol_str::SmolStr;

use crate::gui::tree::Node;
use crate::gui::{ActionSet, Flags, GuiTree, NodeIx, Widget, WindowKind};
use crate::seed::Rng;

/// Draws texts for fields and remembers what screens showed.
#[derive(Debug)]
pub struct TextSource {
    rng: Rng,
    seen: IndexSet<SmolStr, FxBuildHasher>,
    manner: Manner,
    /// Fields left that are filled in the same manner.
    left: u32,
    /// How every form is filled now, if that was decided for a while.
    kept: Option<Manner>,
    /// What the next field gets.
    next: Option<String>,
    /// Forms filled with the labels of their screens: each time they begin one further.
    turns: usize,
    /// Nothing but the first activity was seen yet: what leads on may stand on the screen.
    walled: bool,
}

/// What a field asks for, as far as its input type, hint, label and id tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Meaning {
    /// Nothing special.
    Plain,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A web address.
    Url,
    /// A date.
    Date,
    /// A time of day.
    Time,
    /// A whole number.
    Integer,
    /// A number with decimals.
    Decimal,
    /// A password.
    Password,
    /// A person's name.
    Name,
    /// Something to look for.
    Search,
}

/// At most this many strings seen on screens are remembered; the oldest leave first.
const MAX_SEEN: usize = 300;
/// Longer strings are prose and not what a field asks for.
const MAX_SEEN_CHARS: usize = 64;

const BOUNDARY: [&str; 8] =
    ["", "0", "-1", "2147483647", "2147483648", "9999999999999999999", "0.0000001", "1970-01-01"];
/// A form is filled in one manner: with what its fields ask for, with what stands on the screen, or as chance wants.
#[derive(Clone, Copy, Debug, Default)]
enum Manner {
    #[default]
    Mixed,
    Valid,
    /// The labels of the screen in their order, from this one on.
    Labels(usize),
    /// Nothing.
    Empty,
    /// The number that most often breaks something.
    Zero,
    /// More than a field was made for.
    Long,
    /// What the fields ask for, but one of them: the one that is filled when so many are left. A form that checks its
    /// fields one by one hides what a bad value does behind the complaint about another (base choice testing, Ammann and
    /// Offutt, COMPASS 1994).
    AllBut(u32),
}
/// So many of a hundred forms are filled with the labels of the screen as long as nothing lies behind it.
const WALLED: u32 = 60;
/// A manner is kept for this many fields at most.
const MANNER_FIELDS: u32 = 6;

const NAUGHTY: [&str; 10] = [
    " ",
    "\u{202e}olleh",
    "👩‍👩‍👧‍👦",
    "Ω≈ç√∫",
    "'; DROP TABLE notes; --",
    "<b>&amp;</b>",
    "%s%n%x",
    "../../etc/hosts",
    "NaN",
    "line\nbreak",
];
const LONG: usize = 300;
/// More digits than the largest number of 64 bits has.
const LONG_NUMBER: usize = 20;

/// The words of hints, labels and ids, each with what it asks for; the first that occurs counts.
const WORDS: [(&str, Meaning); 36] = [
    ("mail", Meaning::Email),
    ("phone", Meaning::Phone),
    ("tel", Meaning::Phone),
    ("mobile", Meaning::Phone),
    ("url", Meaning::Url),
    ("website", Meaning::Url),
    ("link", Meaning::Url),
    ("server", Meaning::Url),
    ("birth", Meaning::Date),
    ("date", Meaning::Date),
    ("day", Meaning::Date),
    ("time", Meaning::Time),
    ("hour", Meaning::Time),
    ("password", Meaning::Password),
    ("passphrase", Meaning::Password),
    ("pin", Meaning::Integer),
    ("price", Meaning::Decimal),
    ("amount", Meaning::Decimal),
    ("cost", Meaning::Decimal),
    ("weight", Meaning::Decimal),
    ("sum", Meaning::Decimal),
    ("age", Meaning::Integer),
    ("year", Meaning::Integer),
    ("number", Meaning::Integer),
    ("count", Meaning::Integer),
    ("quantity", Meaning::Integer),
    ("qty", Meaning::Integer),
    ("size", Meaning::Integer),
    ("zip", Meaning::Integer),
    ("minutes", Meaning::Integer),
    ("search", Meaning::Search),
    ("find", Meaning::Search),
    ("query", Meaning::Search),
    ("user", Meaning::Name),
    ("name", Meaning::Name),
    ("author", Meaning::Name),
];

impl Meaning {
    /// What a field of a tree asks for.
    pub fn of(tree: &GuiTree, node: NodeIx) -> Self {
        let widget = tree.widget(node);
        if let Some(meaning) = Self::of_input_type(widget.input_type) {
            return meaning;
        }
        if widget.flags.contains(Flags::PASSWORD) {
            return Self::Password;
        }
        let label = label_before(tree, node);
        [widget.hint.as_str(), widget.content_desc.as_str(), label, widget.short_id()]
            .into_iter()
            .find_map(Self::of_words)
            .unwrap_or(Self::Plain)
    }

    /// Android's `InputType`: the class in the lowest 4 bits, its variation in the next 8, flags above.
    fn of_input_type(input_type: i32) -> Option<Self> {
        let variation = input_type & 0xff0;
        match input_type & 0xf {
            1 => match variation {
                0x10 => Some(Self::Url),
                0x20 | 0xd0 => Some(Self::Email),
                0x60 => Some(Self::Name),
                0x80 | 0x90 | 0xe0 => Some(Self::Password),
                _ => None,
            },
            2 if input_type & 0x2000 != 0 => Some(Self::Decimal),
            2 => Some(Self::Integer),
            3 => Some(Self::Phone),
            4 if variation == 0x20 => Some(Self::Time),
            4 => Some(Self::Date),
            _ => None,
        }
    }

    fn of_words(text: &str) -> Option<Self> {
        if text.is_empty() {
            return None;
        }
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower.split(|character: char| !character.is_alphanumeric()).collect();
        // Short words must stand alone: "age" is in "message", "day" in "holiday".
        WORDS
            .iter()
            .find(|(word, _)| if word.len() < 5 { words.contains(word) } else { lower.contains(word) })
            .map(|&(_, meaning)| meaning)
            .or_else(|| lower.contains("mail").then_some(Self::Email))
    }

    /// Values that such a field accepts, the most usual first.
    pub fn valid(self) -> &'static [&'static str] {
        match self {
            Self::Plain => &[
                "hello",
                "a longer text of many words, as people write them",
                "a",
                "Lorem ipsum dolor sit amet",
            ],
            Self::Email => &["ann@example.org", "b.o+b@mail.example.com"],
            Self::Phone => &["+15550100123", "112", "030 1234567"],
            Self::Url => &["https://example.org", "http://localhost:8080/a?b=c"],
            Self::Date => &["2024-02-29", "31.12.1999", "12/31/1999"],
            Self::Time => &["12:00", "23:59", "00:00"],
            Self::Integer => &["1", "0", "42", "7", "1000"],
            Self::Decimal => &["1.5", "0", "0.99", "1234.56"],
            Self::Password => &["Passw0rd!", "secret"],
            Self::Name => &["Ann", "Bo Svensson", "admin"],
            Self::Search => &["a", "note", "zzzz"],
        }
    }
}

/// The text of the widget just before a field: its label, if it is one.
fn label_before(tree: &GuiTree, node: NodeIx) -> &str {
    let Some(parent) = tree.node(node).parent else { return "" };
    let before = tree.children(parent).take_while(|&child| child < node).last();
    before.map_or("", |before| {
        let widget = tree.widget(before);
        if widget.flags.contains(Flags::EDITABLE) { "" } else { widget.text.as_str() }
    })
}

impl TextSource {
    /// A source that draws from this generator.
    pub fn new(rng: Rng) -> Self {
        Self {
            rng,
            seen: IndexSet::default(),
            manner: Manner::default(),
            left: 0,
            kept: None,
            next: None,
            turns: 0,
            walled: false,
        }
    }

    /// Remembers the texts of a screen.
    pub fn see(&mut self, tree: &GuiTree) {
        for node in tree.nodes() {
            let text = &node.widget.text;
            if text.is_empty() || text.len() > MAX_SEEN_CHARS || node.widget.flags.contains(Flags::EDITABLE) {
                continue;
            }
            if !self.seen.contains(text) {
                if self.seen.len() >= MAX_SEEN {
                    self.seen.drain(..MAX_SEEN / 4);
                }
                self.seen.insert(text.clone());
            }
        }
    }

    /// A text that such a field accepts. The first is drawn most often, so that two fields that must
    /// agree often do.
    fn valid(&mut self, meaning: Meaning) -> String {
        let valid = meaning.valid();
        // Zero is the number that most often breaks something.
        let zero =
            matches!(meaning, Meaning::Integer | Meaning::Decimal) && self.rng.random_range(0..100) < 25;
        let ix = if zero {
            1
        } else if self.rng.random_bool(0.4) {
            0
        } else {
            self.rng.random_range(0..valid.len())
        };
        valid[ix].to_owned()
    }

    /// A form is begun: its fields are filled in one manner.
    pub fn begin_form(&mut self, fields: usize) {
        self.left = fields.max(1) as u32;
        if let Some(kept) = self.kept {
            self.manner = if let Manner::AllBut(_) = kept { self.all_but_one() } else { kept };
            return;
        }
        self.manner = match self.rng.random_range(0..100) {
            0..WALLED if self.walled => self.labels(),
            0..40 => Manner::Mixed,
            40..60 => Manner::Valid,
            60..75 => self.all_but_one(),
            _ => self.labels(),
        };
    }

    /// From now on all forms are filled in one manner, or as chance wants, as it is drawn.
    pub fn keep_a_manner(&mut self) {
        self.left = 0;
        self.kept = match self.rng.random_range(0..100) {
            0..WALLED if self.walled => Some(self.labels()),
            0..24 => None,
            24..36 => Some(self.labels()),
            36..48 => Some(Manner::Valid),
            48..60 => Some(Manner::AllBut(0)),
            60..72 => Some(Manner::Empty),
            72..86 => Some(Manner::Zero),
            _ => Some(Manner::Long),
        };
    }

    /// The labels of the screen, from one after the other on.
    fn labels(&mut self) -> Manner {
        self.turns += 1;
        Manner::Labels(self.turns)
    }

    /// The next fields of a form get labels of the screen, one after the other: `guess` counts the places to begin at,
    /// those first after which single words follow, as names of accounts and passwords are. Nothing, if there is no such
    /// place.
    pub fn guess(&mut self, tree: &GuiTree, fields: usize, guess: usize) -> bool {
        let labels = labels(tree);
        let words = |first: usize| -> usize {
            let texts = labels.iter().cycle().skip(first).take(fields);
            texts.map(|text| text.split_whitespace().count()).sum()
        };
        let mut firsts: Vec<usize> = (0..labels.len()).collect();
        firsts.sort_by_key(|&first| words(first));
        let Some(&first) = firsts.get(guess) else { return false };
        (self.manner, self.left) = (Manner::Labels(first), fields as u32);
        true
    }

    /// Whether nothing but the first activity was seen yet.
    pub fn face_a_wall(&mut self, walled: bool) {
        self.walled = walled;
    }

    fn all_but_one(&mut self) -> Manner {
        Manner::AllBut(self.rng.random_range(0..self.left))
    }

    /// Every form is filled in a manner of its own again.
    pub fn free_the_manner(&mut self) {
        self.left = 0;
        self.kept = None;
    }

    /// The next field gets this text.
    pub fn say(&mut self, text: String) {
        self.next = Some(text);
    }

    /// A text for a field.
    pub fn draw(&mut self, tree: &GuiTree, node: NodeIx) -> String {
        if let Some(text) = self.next.take() {
            return text;
        }
        let meaning = Meaning::of(tree, node);
        if self.left == 0 {
            let fields = self.rng.random_range(1..=MANNER_FIELDS);
            self.begin_form(fields as usize);
        }
        self.left -= 1;
        match self.manner {
            Manner::AllBut(odd) if self.left == odd => return self.odd(meaning),
            Manner::Valid | Manner::AllBut(_) => return self.valid(meaning),
            Manner::Labels(first) => {
                let mut labels = labels(tree);
                let some = !labels.is_empty();
                labels.retain(|label| lets_in(tree.widget(node), label));
                if !labels.is_empty() {
                    let field = fields(tree).position(|field| field == node).unwrap_or_default();
                    return labels[(first + field) % labels.len()].to_string();
                }
                // What it drops as it is typed would leave it empty.
                if some {
                    return self.valid(meaning);
                }
            }
            Manner::Empty => return String::new(),
            Manner::Zero => return "0".to_owned(),
            Manner::Long => return self.long(meaning),
            Manner::Mixed => {}
        }
        let drawn = self.rng.random_range(0..100);
        match drawn {
            0..60 => self.valid(meaning),
            60..72 if !self.seen.is_empty() => {
                let ix = self.rng.random_range(0..self.seen.len());
                self.seen[ix].to_string()
            }
            60..78 => self.rng.random_range(-10..1000).to_string(),
            78..90 => BOUNDARY[self.rng.random_range(0..BOUNDARY.len())].to_owned(),
            90..95 => self.long(meaning),
            _ => NAUGHTY[self.rng.random_range(0..NAUGHTY.len())].to_owned(),
        }
    }

    /// Far more than such a field was made for, of what it lets in: a number field takes no letters.
    fn long(&mut self, meaning: Meaning) -> String {
        let digits = if self.rng.random_bool(0.5) { LONG_NUMBER } else { LONG };
        match meaning {
            Meaning::Integer | Meaning::Decimal | Meaning::Phone | Meaning::Date | Meaning::Time => {
                "1234567890".chars().cycle().take(digits).collect()
            }
            Meaning::Email => format!("{}@example.org", "x".repeat(LONG)),
            Meaning::Url => format!("https://example.org/{}", "x".repeat(LONG)),
            Meaning::Plain | Meaning::Password | Meaning::Name | Meaning::Search => "x".repeat(LONG),
        }
    }

    /// What such a field was not made for.
    fn odd(&mut self, meaning: Meaning) -> String {
        match self.rng.random_range(0..5) {
            0 => String::new(),
            1 => "0".to_owned(),
            2 => self.long(meaning),
            3 => BOUNDARY[self.rng.random_range(0..BOUNDARY.len())].to_owned(),
            _ => NAUGHTY[self.rng.random_range(0..NAUGHTY.len())].to_owned(),
        }
    }
}

/// Whether a field takes anything of a text: those for numbers, telephones and dates drop all letters.
fn lets_in(field: &Widget, text: &str) -> bool {
    !matches!(field.input_type & 0xf, 2..=4) || text.contains(|letter: char| letter.is_ascii_digit())
}

/// The fields of a tree, in arena order.
fn fields(tree: &GuiTree) -> impl Iterator<Item = NodeIx> + '_ {
    tree.indices().filter(|&ix| tree.widget(ix).actions.contains(ActionSet::TEXT))
}

/// The texts of a tree that belong to nothing that can be tapped or filled.
fn labels(tree: &GuiTree) -> Vec<&SmolStr> {
    let is_label = |widget: &&Widget| {
        !widget.text.is_empty() && widget.text.len() <= MAX_SEEN_CHARS && widget.actions.is_empty()
    };
    let counts = |node: &&Node| {
        let kind = tree.windows()[node.window as usize].kind;
        !matches!(kind, WindowKind::InputMethod | WindowKind::Toast)
    };
    let widgets = tree.nodes().iter().filter(counts).map(|node| &*node.widget);
    widgets.filter(is_label).map(|widget| &widget.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gui::tree::WidgetPool;
    use crate::gui::{TreeBuilder, Widget};
    use crate::seed::Seed;

    fn meaning(widget: Widget) -> Meaning {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "A");
        let node = builder.leaf(widget);
        Meaning::of(&builder.finish(), node)
    }

    #[test]
    fn the_input_type_says_what_a_field_asks_for_and_then_its_hint_and_its_id() {
        let by_type = Widget { input_type: 0x21, hint: "your password".into(), ..Widget::default() };
        assert_eq!(meaning(by_type), Meaning::Email);
        let by_hint =
            Widget { hint: "Price in euro".into(), resource_id: "a:id/name".into(), ..Widget::default() };
        assert_eq!(meaning(by_hint), Meaning::Decimal);
        let by_id = Widget { resource_id: "a:id/phone_number".into(), ..Widget::default() };
        assert_eq!(meaning(by_id), Meaning::Phone);
        assert_eq!(meaning(Widget { hint: "Message".into(), ..Widget::default() }), Meaning::Plain);
    }

    #[test]
    fn the_label_before_a_field_tells_what_it_asks_for() {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "A");
        builder.open(Widget::default());
        builder.leaf(Widget { text: "E-mail".into(), ..Widget::default() });
        let field = builder.leaf(Widget { flags: Flags::EDITABLE, ..Widget::default() });
        assert_eq!(Meaning::of(&builder.finish(), field), Meaning::Email);
    }

    #[test]
    fn an_account_that_stands_on_the_screen_is_guessed_before_prose() {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "A");
        let field = Widget { actions: ActionSet::TEXT, ..Widget::default() };
        let fields = [builder.leaf(field.clone()), builder.leaf(field)];
        for label in ["Bank", "Guests log in with", "guest", "welcome", "Call us any time"] {
            builder.leaf(Widget { text: label.into(), ..Widget::default() });
        }
        let tree = builder.finish();
        let mut source = TextSource::new(Seed(1).rng());
        let mut guesses = Vec::new();
        while source.guess(&tree, fields.len(), guesses.len()) {
            guesses.push(fields.map(|field| source.draw(&tree, field)));
        }
        assert_eq!(guesses.len(), 5);
        assert_eq!(guesses[0], ["guest", "welcome"]);
        assert!(guesses.contains(&["Call us any time".to_owned(), "Bank".to_owned()]), "{guesses:?}");
    }

    #[test]
    fn in_a_form_that_is_right_but_for_one_field_any_field_can_be_the_wrong_one() {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "A");
        let number = Widget { input_type: 2, actions: ActionSet::TEXT, ..Widget::default() };
        let fields: Vec<NodeIx> = (0..3).map(|_| builder.leaf(number.clone())).collect();
        let tree = builder.finish();
        let mut source = TextSource::new(Seed(1).rng());
        source.kept = Some(Manner::AllBut(0));
        let (mut wrong, mut long) = ([0; 3], 0);
        for _ in 0..300 {
            source.begin_form(fields.len());
            let texts: Vec<String> = fields.iter().map(|&field| source.draw(&tree, field)).collect();
            let is_wrong = |text: &String| !Meaning::Integer.valid().contains(&text.as_str());
            let odd: Vec<usize> = (0..3).filter(|&ix| is_wrong(&texts[ix])).collect();
            assert!(odd.len() <= 1, "{texts:?}");
            for ix in odd {
                wrong[ix] += 1;
            }
            long += usize::from(texts.iter().any(|text| text.len() >= LONG_NUMBER));
        }
        assert!(wrong.iter().all(|&count| count > 30), "{wrong:?}");
        assert!(long > 20, "a number field gets numbers that are too long: {long}");
    }

    #[test]
    fn a_field_for_numbers_gets_the_labels_with_digits_or_a_number() {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "A");
        builder.leaf(Widget { text: "Players:".into(), ..Widget::default() });
        let number = Widget { input_type: 2, actions: ActionSet::TEXT, ..Widget::default() };
        let field = builder.leaf(number.clone());
        let words = builder.leaf(Widget { input_type: 1, ..number.clone() });
        let bare = builder.finish();
        let mut builder = TreeBuilder::new(&mut pool, "A");
        builder.leaf(Widget { text: "Players:".into(), ..Widget::default() });
        builder.leaf(Widget { text: "code 4711".into(), ..Widget::default() });
        let told = builder.leaf(number);
        let telling = builder.finish();
        let mut source = TextSource::new(Seed(1).rng());
        source.kept = Some(Manner::Labels(0));
        for _ in 0..50 {
            assert!(Meaning::Integer.valid().contains(&source.draw(&bare, field).as_str()));
            assert_eq!(source.draw(&bare, words), "Players:");
            assert_eq!(source.draw(&telling, told), "code 4711");
        }
    }

    #[test]
    fn most_texts_are_valid_and_every_sort_occurs() {
        let mut pool = WidgetPool::default();
        let mut builder = TreeBuilder::new(&mut pool, "A");
        let node = builder.leaf(Widget { input_type: 3, text: "seen here".into(), ..Widget::default() });
        let tree = builder.finish();
        let mut source = TextSource::new(Seed(1).rng());
        source.see(&tree);
        let drawn: Vec<String> = (0..1000).map(|_| source.draw(&tree, node)).collect();
        let valid = drawn.iter().filter(|text| Meaning::Phone.valid().contains(&text.as_str())).count();
        assert!((450..850).contains(&valid), "{valid}");
        for wanted in ["seen here", "2147483648", "%s%n%x", ""] {
            assert!(drawn.iter().any(|text| text == wanted), "{wanted}");
        }
    }
}
