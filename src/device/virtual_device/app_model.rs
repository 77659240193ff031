//! The app model as it is written: a TOML file that says what an app shows and does.
//!
//! These types are the format; their doc comments become the JSON schema that editors use. [`super::compile`] turns them
//! into something that runs.

use std::fmt;
use std::ops::Range;

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};

/// An Android app in one file.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppDef {
    /// The app's name as a person reads it.
    pub name: Located<String>,
    /// The package, such as `org.example.notes`.
    pub package: Located<String>,
    /// The version, for reports.
    #[serde(default)]
    pub version: String,
    /// The activity that the launcher starts.
    pub start: Located<String>,
    /// Variables that outlive an activity.
    #[serde(default)]
    pub data: DataDef,
    /// The activities. One with a `package` of its own belongs to another app.
    pub activity: Vec<ActivityDef>,
    /// The failures that rules can raise with `fail = "name"`.
    #[serde(default)]
    pub failure: IndexMap<String, FailureDef>,
}

/// Variables of the whole app, each with its first value.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DataDef {
    /// Kept until the app's data is cleared.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, serde_json::Value>")]
    pub disk: IndexMap<String, toml::Value>,
    /// Lost when the process dies.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, serde_json::Value>")]
    pub process: IndexMap<String, toml::Value>,
}

/// One activity: its variables, what it shows and what it does.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ActivityDef {
    /// The class without its package.
    pub name: Located<String>,
    /// The package of another app, for a screen that is not the app's own.
    #[serde(default)]
    pub package: Option<String>,
    /// The title in the bar on top; `{…}` holds an expression. Without a title there is no bar.
    #[serde(default)]
    pub title: Option<Located<String>>,
    /// The bar has an arrow that leads back.
    #[serde(default)]
    pub up: bool,
    /// Variables of the activity, lost when it is closed, rotated or its process dies; those that it was started `with` then
    /// have these values again.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, serde_json::Value>")]
    pub data: IndexMap<String, toml::Value>,
    /// Variables of the activity that survive rotation and process death.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, serde_json::Value>")]
    pub saved: IndexMap<String, toml::Value>,
    /// Rotation does nothing here.
    #[serde(default)]
    pub locked: bool,
    /// The keyboard pushes the content up instead of lying over it.
    #[serde(default)]
    pub resize: bool,
    /// An address, such as `notes://new`, that opens this activity.
    #[serde(default)]
    pub link: Option<String>,
    /// What it shows, from top to bottom.
    #[serde(default)]
    pub widget: Vec<WidgetDef>,
    /// The options menu, opened by the menu key or the three dots in the bar.
    #[serde(default)]
    pub menu: Vec<ItemDef>,
    /// When the options menu was opened.
    #[serde(default)]
    pub menu_open: Rules,
    /// When the options menu was closed without a choice.
    #[serde(default)]
    pub menu_close: Rules,
    /// Dialogs that rules can show with `dialog = "name"`.
    #[serde(default)]
    pub dialog: Vec<DialogDef>,
    /// Popup menus that rules can show with `popup = "name"`.
    #[serde(default)]
    pub popup: Vec<PopupDef>,
    /// What follows when the user answers a question for a permission asked with `ask = "…"`.
    #[serde(default)]
    pub permission: Vec<PermissionDef>,
    /// Rules that run again and again while the activity is in front.
    #[serde(default)]
    pub every: Vec<EveryDef>,
    /// When it is created, also after rotation or process death (then `restored` is true).
    #[serde(default)]
    pub create: Rules,
    /// When it comes to the front.
    #[serde(default)]
    pub resume: Rules,
    /// When it leaves the front.
    #[serde(default)]
    pub pause: Rules,
    /// When the screen was turned, after the variables in `data` were lost.
    #[serde(default)]
    pub rotate: Rules,
    /// When it is restored after the process had died.
    #[serde(default)]
    pub restore: Rules,
    /// When an activity that it started gives a `result` back.
    #[serde(default)]
    pub result: Rules,
    /// When it is started again while on top (`single_top`) or uncovered (`clear_top`).
    #[serde(default)]
    pub new_intent: Rules,
    /// Instead of closing, when BACK is pressed. If no rule's `if` holds, it closes.
    #[serde(default)]
    pub back: Rules,
    /// Sideways swipes that no widget takes.
    #[serde(default)]
    pub swipe_left: Rules,
    /// Sideways swipes that no widget takes.
    #[serde(default)]
    pub swipe_right: Rules,
}

/// What sort of widget it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WidgetKind {
    /// A line of text.
    Label,
    /// A button with text.
    Button,
    /// A button with a picture and no text.
    ImageButton,
    /// A picture.
    Image,
    /// A text field; `bind` names the variable that holds the text.
    Field,
    /// A check box; `bind` names a yes-or-no variable.
    Check,
    /// A switch; `bind` names a yes-or-no variable.
    Switch,
    /// A choice that opens a popup; `options` are the choices, `bind` names the variable that holds the chosen one.
    Spinner,
    /// A row of tabs; `options` are their titles, `bind` names the variable that holds the number of the chosen one.
    Tabs,
    /// A scrolling list; `rows` says what it shows, `widget` what one row looks like.
    List,
    /// Widgets beside each other.
    Row,
    /// Widgets below each other.
    Column,
    /// Widgets below each other that scroll.
    Scroll,
    /// A page with `nodes` elements that cannot be acted on one by one.
    Web,
    /// A spinner that says: wait.
    Progress,
}

/// One widget.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WidgetDef {
    /// What sort of widget it is.
    #[serde(rename = "type")]
    pub kind: WidgetKind,
    /// The resource id.
    #[serde(default)]
    pub id: Option<String>,
    /// The text it shows; `{…}` holds an expression.
    #[serde(default)]
    pub text: Option<Located<String>>,
    /// What a screen reader says; `{…}` holds an expression.
    #[serde(default)]
    pub desc: Option<Located<String>>,
    /// The hint of an empty field.
    #[serde(default)]
    pub hint: Option<String>,
    /// What a field is for.
    #[serde(default)]
    pub input: InputKind,
    /// The variable that a field, check box, switch, spinner or tab bar shows and changes.
    #[serde(default)]
    pub bind: Option<Located<String>>,
    /// Whether a check box or switch without `bind` is checked: an expression, for boxes in the rows of a list.
    #[serde(default)]
    pub checked: Option<Located<String>>,
    /// The choices of a spinner or the titles of tabs.
    #[serde(default)]
    pub options: Vec<String>,
    /// What a list shows: an expression that gives a list, or a number of rows.
    #[serde(default)]
    pub rows: Option<Located<String>>,
    /// The height of a list's row in pixels.
    #[serde(default)]
    pub row_height: Option<i32>,
    /// The height in pixels.
    #[serde(default)]
    pub height: Option<i32>,
    /// How many elements a web page has.
    #[serde(default)]
    pub nodes: Option<u32>,
    /// It is there only if this holds.
    #[serde(default)]
    pub visible: Option<Located<String>>,
    /// It reacts only if this holds.
    #[serde(default)]
    pub enabled: Option<Located<String>>,
    /// The widgets in it: of a row, a column, a scroll, or of each row of a list.
    #[serde(default)]
    pub widget: Vec<WidgetDef>,
    /// When it, or a row of the list, is tapped.
    #[serde(default)]
    pub tap: Rules,
    /// When it, or a row of the list, is held.
    #[serde(default)]
    pub long_tap: Rules,
    /// When its value has changed: text entered, box checked, choice made.
    #[serde(default)]
    pub change: Rules,
    /// When Enter is pressed in a field.
    #[serde(default)]
    pub submit: Rules,
    /// When a finger moves over it.
    #[serde(default)]
    pub swipe_left: Rules,
    /// When a finger moves over it.
    #[serde(default)]
    pub swipe_right: Rules,
    /// When two fingers move on it.
    #[serde(default)]
    pub pinch: Rules,
}

/// What a text field is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    /// Any text.
    #[default]
    Text,
    /// A number.
    Number,
    /// An e-mail address.
    Email,
    /// A telephone number.
    Phone,
    /// A date.
    Date,
    /// An address of a page.
    Uri,
    /// A secret.
    Password,
}

/// A dialog: BACK or a tap beside it dismisses it, unless it is not `cancelable`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DialogDef {
    /// The name that `dialog = "…"` refers to.
    pub name: Located<String>,
    /// The title; `{…}` holds an expression.
    #[serde(default)]
    pub title: Option<Located<String>>,
    /// The text; `{…}` holds an expression.
    #[serde(default)]
    pub text: Option<Located<String>>,
    /// More than text: a tap on these does not dismiss the dialog by itself.
    #[serde(default)]
    pub widget: Vec<WidgetDef>,
    /// It comes with the keyboard up, for its first field. The keyboard stays when the dialog is dismissed by a tap beside it.
    #[serde(default)]
    pub keyboard: bool,
    /// The buttons; a tap dismisses the dialog and then runs the rules.
    #[serde(default)]
    pub buttons: Vec<ItemDef>,
    /// BACK dismisses it.
    #[serde(default = "yes")]
    pub cancelable: bool,
    /// When it was dismissed by BACK.
    #[serde(default)]
    pub cancel: Rules,
}

/// A popup menu.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PopupDef {
    /// The name that `popup = "…"` refers to.
    pub name: Located<String>,
    /// Its items; a tap dismisses the menu and then runs the rules.
    pub items: Vec<ItemDef>,
}

/// An item of a menu, or a button of a dialog.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ItemDef {
    /// The text; `{…}` holds an expression.
    pub text: Located<String>,
    /// The resource id.
    #[serde(default)]
    pub id: Option<String>,
    /// It is there only if this holds.
    #[serde(default)]
    pub visible: Option<Located<String>>,
    /// It reacts only if this holds.
    #[serde(default)]
    pub enabled: Option<Located<String>>,
    /// When it is tapped.
    #[serde(default)]
    pub tap: Rules,
}

/// What follows when the user answers a question for a permission.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PermissionDef {
    /// The permission, such as `android.permission.CAMERA`.
    pub name: Located<String>,
    /// When it was granted, now or earlier.
    #[serde(default)]
    pub granted: Rules,
    /// When it was denied.
    #[serde(default)]
    pub denied: Rules,
}

/// Rules that run again and again while the activity is in front.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EveryDef {
    /// Milliseconds between two runs, at least 10.
    pub ms: Located<u32>,
    /// What runs.
    pub run: Rules,
}

/// One rule or a list of them. The first whose `if` holds is run, and only that one.
#[derive(Clone, Debug, Default)]
pub struct Rules(pub Vec<Located<RuleDef>>);

/// When it applies and what it does. The parts happen in the order in which they are listed here.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleDef {
    /// A name for reports. Without one the rule is named by its place.
    #[serde(default)]
    pub name: Option<String>,
    /// It applies only if this expression holds.
    #[serde(default, rename = "if")]
    pub guard: Option<Located<String>>,
    /// It applies only with this probability, from 0 to 1.
    #[serde(default)]
    pub chance: Option<Located<f64>>,
    /// It happens this many milliseconds later, if the activity is still there.
    #[serde(default)]
    pub after: Option<u32>,
    /// Changes variables: `count += 1; items.push(text)`.
    #[serde(default, rename = "do")]
    pub script: Option<Located<String>>,
    /// Shows a short message.
    #[serde(default)]
    pub toast: Option<Located<String>>,
    /// Dismisses the topmost dialog or menu.
    #[serde(default)]
    pub dismiss: bool,
    /// Closes the activity.
    #[serde(default)]
    pub finish: bool,
    /// Closes the activity and gives the value of this expression to the one below it.
    #[serde(default)]
    pub result: Option<Located<String>>,
    /// Starts an activity.
    #[serde(default)]
    pub start: Option<Located<String>>,
    /// Values for the started activity's variables: expressions.
    #[serde(default)]
    pub with: IndexMap<String, Located<String>>,
    /// How it is started.
    #[serde(default)]
    pub mode: StartMode,
    /// Shows a dialog of this activity.
    #[serde(default)]
    pub dialog: Option<Located<String>>,
    /// Shows a popup menu of this activity.
    #[serde(default)]
    pub popup: Option<Located<String>>,
    /// Asks for a permission.
    #[serde(default)]
    pub ask: Option<Located<String>>,
    /// Raises a failure.
    #[serde(default)]
    pub fail: Option<Located<String>>,
    /// What comes next: again one rule or a list, of which the first that applies is run.
    #[serde(default)]
    pub then: Rules,
}

/// How an activity is started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StartMode {
    /// A new one on top of the stack.
    #[default]
    Standard,
    /// The one on top, if it is the same activity.
    SingleTop,
    /// The one in the stack, if there is one; all above it are closed.
    ClearTop,
}

/// A failure that rules can raise.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FailureDef {
    /// What sort of failure it is.
    #[serde(default)]
    pub kind: FailureKindDef,
    /// The exception's class, such as `java.lang.NullPointerException`.
    #[serde(default)]
    pub exception: Option<Located<String>>,
    /// The exception's message; `{…}` holds an expression.
    #[serde(default)]
    pub message: Option<Located<String>>,
    /// The app's own frames, innermost first, as `EditActivity.save:42`; the framework's frames are added.
    #[serde(default)]
    pub stack: Vec<Located<String>>,
    /// The exception that caused it.
    #[serde(default)]
    pub cause: Option<Box<CauseDef>>,
    /// The signal of a native crash, such as `SIGSEGV`.
    #[serde(default)]
    pub signal: Option<String>,
    /// The activity that the app's own handler shows after a swallowed crash.
    #[serde(default)]
    pub screen: Option<Located<String>>,
    /// How many events the shortest way to it has, as `siamang model solve` proves: shown beside what was found.
    #[serde(default)]
    pub shortest: Option<u32>,
}

/// The exception that caused another.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CauseDef {
    /// The exception's class.
    pub exception: Located<String>,
    /// The exception's message; `{…}` holds an expression.
    #[serde(default)]
    pub message: Option<Located<String>>,
    /// The app's own frames, innermost first.
    #[serde(default)]
    pub stack: Vec<Located<String>>,
    /// The exception that caused this one.
    #[serde(default)]
    pub cause: Option<Box<CauseDef>>,
}

/// What sort of failure it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureKindDef {
    /// An uncaught exception.
    #[default]
    Java,
    /// A signal in native code.
    Native,
    /// The app does not respond.
    Anr,
    /// The process ends itself.
    Exit,
    /// The app's own handler catches the exception and shows an error screen.
    Swallowed,
}

/// A value and where in the file it stands.
#[derive(Clone, Debug)]
pub struct Located<T> {
    /// Its bytes in the file.
    pub span: Range<usize>,
    /// The value.
    pub value: T,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<T>::deserialize(deserializer)?;
        Ok(Self { span: spanned.span(), value: spanned.into_inner() })
    }
}

impl<T: JsonSchema> JsonSchema for Located<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }

    fn inline_schema() -> bool {
        T::inline_schema()
    }
}

impl<'de> Deserialize<'de> for Rules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;

        impl<'de> Visitor<'de> for OneOrMany {
            type Value = Rules;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a rule `{ … }` or a list of rules `[{ … }, { … }]`")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Rules, A::Error> {
                let rule = RuleDef::deserialize(de::value::MapAccessDeserializer::new(map))?;
                let span = rule.first_span();
                Ok(Rules(vec![Located { span, value: rule }]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Rules, A::Error> {
                let mut rules = Vec::new();
                while let Some(rule) = seq.next_element()? {
                    rules.push(rule);
                }
                Ok(Rules(rules))
            }
        }

        deserializer.deserialize_any(OneOrMany)
    }
}

impl RuleDef {
    /// A place in the file for a rule that stands alone, whose own place TOML does not tell: its first located part.
    fn first_span(&self) -> Range<usize> {
        [
            &self.guard,
            &self.script,
            &self.toast,
            &self.result,
            &self.start,
            &self.dialog,
            &self.popup,
            &self.ask,
            &self.fail,
        ]
        .into_iter()
        .flatten()
        .map(|part| part.span.clone())
        .min_by_key(|span| span.start)
        .unwrap_or(0..0)
    }
}

impl JsonSchema for Rules {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Rules".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let rule = generator.subschema_for::<RuleDef>();
        schemars::json_schema!({
            "description": "One rule or a list of them. The first whose `if` holds is run, and only that one.",
            "anyOf": [rule, { "type": "array", "items": rule }]
        })
    }
}

fn yes() -> bool {
    true
}
