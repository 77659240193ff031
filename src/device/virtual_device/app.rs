//! An app model, compiled: names resolved, expressions compiled, every rule numbered.

use std::collections::BTreeMap;

use rhai::{Dynamic, Engine};
use smol_str::SmolStr;

use super::app_model::{InputKind, StartMode, WidgetKind};
use super::expr::{Env, Expr, Slot, Template, Temps};
use crate::ids::BranchId;
use crate::oracle::{Failure, FailureKind, Signature, Throwable};

/// An app model that runs. Shared by all devices that run it.
#[derive(Debug)]
pub struct App {
    /// The app's name as a person reads it.
    pub name: SmolStr,
    /// The package.
    pub package: SmolStr,
    /// The version, or empty.
    pub version: SmolStr,
    /// The hash of the model's text: another one means another app.
    pub hash: u64,
    /// The launcher activity.
    pub start: ActivityIx,
    pub(crate) engine: Engine,
    /// The app's variables, disk first; each with its first value.
    pub globals: Vec<Variable>,
    /// How many of the globals are on disk.
    pub disk_count: usize,
    /// The activities.
    pub activities: Vec<Activity>,
    /// All widgets of all activities, dialogs and menus.
    pub widgets: Vec<Widget>,
    /// The widget that each widget is in, by position.
    pub parents: Vec<Option<WidgetIx>>,
    /// All rules; a rule's position is its branch id.
    pub rules: Vec<Rule>,
    /// The failures.
    pub failures: Vec<FailurePlan>,
    /// Some rule has a `chance`.
    pub random: bool,
}

/// A variable and its first value.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: SmolStr,
    /// Its first value.
    pub first: Dynamic,
}

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
    };
}

index! {
    /// A position in [`App::activities`].
    ActivityIx
}
index! {
    /// A position in [`App::widgets`].
    WidgetIx
}
index! {
    /// A position in [`App::rules`].
    RuleIx
}
index! {
    /// A position in [`App::failures`].
    FailureIx
}

/// A list of rules, of which the first that applies is run.
pub type RuleList = Box<[RuleIx]>;

/// One activity.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an attribute of its own, as in an app's manifest")]
pub struct Activity {
    /// The class with its package.
    pub class: SmolStr,
    /// The class without its package.
    pub name: SmolStr,
    /// The package that owns it.
    pub package: SmolStr,
    /// It belongs to another app.
    pub foreign: bool,
    /// The title in the bar, if there is a bar.
    pub title: Option<Template>,
    /// The bar has an arrow.
    pub up: bool,
    /// Its variables: those lost on rotation first.
    pub locals: Vec<Variable>,
    /// How many of them are lost on rotation.
    pub lost_count: usize,
    /// Rotation does nothing.
    pub locked: bool,
    /// The keyboard pushes the content up.
    pub resize: bool,
    /// The address that opens it.
    pub link: Option<SmolStr>,
    /// What it shows.
    pub widgets: Vec<WidgetIx>,
    /// The options menu.
    pub menu: Vec<WidgetIx>,
    /// On opening the options menu.
    pub menu_open: RuleList,
    /// On closing it without a choice.
    pub menu_close: RuleList,
    /// Its dialogs.
    pub dialogs: Vec<Dialog>,
    /// Its popup menus.
    pub popups: Vec<(SmolStr, Vec<WidgetIx>)>,
    /// What follows on answers about permissions.
    pub permissions: Vec<Permission>,
    /// Rules that run again and again: milliseconds and rules.
    pub every: Vec<(u32, RuleList)>,
    /// On creation.
    pub create: RuleList,
    /// On coming to the front.
    pub resume: RuleList,
    /// On leaving the front.
    pub pause: RuleList,
    /// On rotation.
    pub rotate: RuleList,
    /// On restoring after process death.
    pub restore: RuleList,
    /// On a result.
    pub result: RuleList,
    /// On being started again.
    pub new_intent: RuleList,
    /// On BACK.
    pub back: RuleList,
    /// On a swipe that no widget takes.
    pub swipe_left: RuleList,
    /// On a swipe that no widget takes.
    pub swipe_right: RuleList,
}

/// A dialog of an activity.
#[derive(Debug)]
pub struct Dialog {
    /// Its name.
    pub name: SmolStr,
    /// Its title.
    pub title: Template,
    /// Its text.
    pub text: Template,
    /// Its other content.
    pub widgets: Vec<WidgetIx>,
    /// The field for which it brings up the keyboard.
    pub keyboard: Option<WidgetIx>,
    /// Its buttons.
    pub buttons: Vec<WidgetIx>,
    /// BACK dismisses it.
    pub cancelable: bool,
    /// On being dismissed by BACK.
    pub cancel: RuleList,
}

/// What follows on an answer about a permission.
#[derive(Debug)]
pub struct Permission {
    /// Its name.
    pub name: SmolStr,
    /// On a yes.
    pub granted: RuleList,
    /// On a no.
    pub denied: RuleList,
}

/// One widget of an activity, a dialog or a menu.
#[derive(Debug)]
pub struct Widget {
    /// What sort of widget it is; an item of a menu is a [`WidgetKind::Button`] that dismisses.
    pub kind: WidgetKind,
    /// The activity it belongs to.
    pub activity: ActivityIx,
    /// The resource id with its package, or empty.
    pub id: SmolStr,
    /// Its text.
    pub text: Template,
    /// Its content description.
    pub desc: Template,
    /// The hint of a field.
    pub hint: SmolStr,
    /// What a field is for.
    pub input: InputKind,
    /// The variable it shows and changes.
    pub bind: Option<Slot>,
    /// Whether a box without variable is checked.
    pub checked: Option<Expr>,
    /// Choices or tab titles.
    pub options: Vec<SmolStr>,
    /// What a list shows.
    pub rows: Option<Expr>,
    /// The height of a row in pixels.
    pub row_height: i32,
    /// The height in pixels, if it is fixed.
    pub height: Option<i32>,
    /// Elements of a web page.
    pub nodes: u32,
    /// It is there only if this holds.
    pub visible: Option<Expr>,
    /// It reacts only if this holds.
    pub enabled: Option<Expr>,
    /// The widgets in it.
    pub children: Vec<WidgetIx>,
    /// A tap dismisses the dialog or menu that it is in.
    pub dismisses: bool,
    /// Rules on a tap.
    pub tap: RuleList,
    /// Rules on a long tap.
    pub long_tap: RuleList,
    /// Rules on a changed value.
    pub change: RuleList,
    /// Rules on Enter.
    pub submit: RuleList,
    /// Rules on a swipe.
    pub swipe_left: RuleList,
    /// Rules on a swipe.
    pub swipe_right: RuleList,
    /// Rules on a pinch.
    pub pinch: RuleList,
}

/// When it applies and what it does.
#[derive(Debug)]
pub struct Rule {
    /// Its name in reports.
    pub name: SmolStr,
    /// The activity it belongs to.
    pub activity: ActivityIx,
    /// It applies only if this holds.
    pub guard: Option<Expr>,
    /// It applies only with this probability.
    pub chance: Option<f64>,
    /// It happens this much later.
    pub after: Option<u32>,
    /// It changes variables.
    pub script: Option<Expr>,
    /// It shows a short message.
    pub toast: Option<Template>,
    /// It dismisses the topmost dialog or menu.
    pub dismiss: bool,
    /// It closes the activity.
    pub finish: bool,
    /// What it gives back.
    pub result: Option<Expr>,
    /// The activity it starts.
    pub start: Option<Start>,
    /// The dialog it shows.
    pub dialog: Option<u32>,
    /// The popup it shows.
    pub popup: Option<u32>,
    /// The permission it asks for.
    pub ask: Option<u32>,
    /// The failure it raises.
    pub fail: Option<FailureIx>,
    /// What comes next.
    pub then: RuleList,
}

/// An activity that is started.
#[derive(Debug)]
pub struct Start {
    /// Which.
    pub activity: ActivityIx,
    /// How.
    pub mode: StartMode,
    /// Values for its variables, by position.
    pub with: Vec<(u16, Expr)>,
}

/// A failure that rules can raise.
#[derive(Debug)]
pub struct FailurePlan {
    /// Its name in the model.
    pub name: SmolStr,
    /// What sort of failure it is.
    pub kind: FailureKind,
    /// The exceptions, outermost first; each message is a text with the app's variables.
    pub chain: Vec<PlannedThrowable>,
    /// What is said where there is no exception.
    pub message: Template,
    /// The activity that the app's own handler shows.
    pub screen: Option<ActivityIx>,
    /// How many events the shortest way to it has, where the model says so.
    pub shortest: Option<u32>,
}

/// One exception of a planned failure.
#[derive(Debug)]
pub struct PlannedThrowable {
    /// The class.
    pub class: String,
    /// The message.
    pub message: Template,
    /// The frames, the framework's included.
    pub frames: Vec<crate::oracle::Frame>,
}

impl App {
    /// One activity.
    pub fn activity(&self, ix: ActivityIx) -> &Activity {
        &self.activities[ix.0 as usize]
    }

    /// The addresses that open one of its activities.
    pub fn links(&self) -> impl Iterator<Item = &SmolStr> {
        self.activities.iter().filter_map(|activity| activity.link.as_ref())
    }

    /// One widget.
    pub fn widget(&self, ix: WidgetIx) -> &Widget {
        &self.widgets[ix.0 as usize]
    }

    /// A planned failure as it looks when it happens, its messages filled in from these variables.
    pub(super) fn failure(
        &self,
        ix: FailureIx,
        globals: &mut [Dynamic],
        temps: &mut Temps,
        issues: &mut Vec<String>,
    ) -> Failure {
        let plan = &self.failures[ix.0 as usize];
        let mut show = |template: &Template| {
            let mut env = Env { globals, locals: &mut [], temps };
            template.show(&self.engine, &mut env, issues).to_string()
        };
        let chain = plan
            .chain
            .iter()
            .map(|planned| Throwable {
                class: planned.class.clone(),
                message: show(&planned.message),
                frames: planned.frames.clone(),
            })
            .collect();
        Failure { kind: plan.kind, package: self.package.to_string(), chain, message: show(&plan.message) }
    }

    /// The planned failure with this signature.
    pub fn failure_of(&self, signature: &str) -> Option<&FailurePlan> {
        let mut globals: Vec<Dynamic> = self.globals.iter().map(|variable| variable.first.clone()).collect();
        let planned = (0..self.failures.len()).map(|ix| FailureIx(ix as u32));
        let found = planned.into_iter().find(|&ix| {
            let failure = self.failure(ix, &mut globals, &mut Temps::default(), &mut Vec::new());
            Signature::of(&failure).0 == signature
        });
        found.map(|ix| &self.failures[ix.0 as usize])
    }

    /// The length of the shortest way to each failure for which the model states it.
    pub fn optima(&self) -> BTreeMap<Signature, u32> {
        let mut globals: Vec<Dynamic> = self.globals.iter().map(|variable| variable.first.clone()).collect();
        let planned = self.failures.iter().enumerate();
        planned
            .filter_map(|(ix, plan)| {
                let shortest = plan.shortest?;
                let ix = FailureIx(ix as u32);
                let failure = self.failure(ix, &mut globals, &mut Temps::default(), &mut Vec::new());
                Some((Signature::of(&failure), shortest))
            })
            .collect()
    }

    /// The length of the shortest way to a failure, where the model states it.
    pub fn shortest(&self, signature: &str) -> Option<u32> {
        self.optima().get(&Signature(signature.to_owned())).copied()
    }

    /// One rule.
    pub fn rule(&self, ix: RuleIx) -> &Rule {
        &self.rules[ix.0 as usize]
    }
}

impl From<RuleIx> for BranchId {
    fn from(rule: RuleIx) -> Self {
        Self(rule.0)
    }
}
