//! One widget's attributes.

use bitflags::bitflags;
use smol_str::SmolStr;
use xxhash_rust::xxh3::xxh3_64;

use super::Bounds;

bitflags! {
    /// The yes-or-no attributes of a widget.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub struct Flags: u16 {
        /// It can be checked.
        const CHECKABLE = 1 << 0;
        /// It is checked now.
        const CHECKED = 1 << 1;
        /// It reacts to a tap.
        const CLICKABLE = 1 << 2;
        /// It reacts at all.
        const ENABLED = 1 << 3;
        /// It can have the input focus.
        const FOCUSABLE = 1 << 4;
        /// It has the input focus.
        const FOCUSED = 1 << 5;
        /// Its content can be scrolled.
        const SCROLLABLE = 1 << 6;
        /// It reacts to a long tap.
        const LONG_CLICKABLE = 1 << 7;
        /// Its text is a secret.
        const PASSWORD = 1 << 8;
        /// It is selected, as a tab is.
        const SELECTED = 1 << 9;
        /// Text can be entered.
        const EDITABLE = 1 << 10;
        /// It is shown to the user.
        const VISIBLE = 1 << 11;
        /// It can be dismissed.
        const DISMISSABLE = 1 << 12;
        /// The app reports its content as invalid.
        const CONTENT_INVALID = 1 << 13;
    }
}

impl Flags {
    /// A touch on a widget with one of these goes no deeper, whatever the widget makes of it.
    pub const CONSUMING: Self =
        Self::CLICKABLE.union(Self::LONG_CLICKABLE).union(Self::EDITABLE).union(Self::SCROLLABLE);
}

bitflags! {
    /// What can be done to a widget. It is part of every name of the widget, so that two widgets with
    /// different actions never share one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub struct ActionSet: u16 {
        /// A tap.
        const TAP = 1 << 0;
        /// A long tap.
        const LONG_TAP = 1 << 1;
        /// A swipe upwards: the content below comes into view.
        const SCROLL_DOWN = 1 << 2;
        /// A swipe downwards: the content above comes into view.
        const SCROLL_UP = 1 << 3;
        /// A swipe to the left: the content on the right comes into view.
        const SCROLL_RIGHT = 1 << 4;
        /// A swipe to the right: the content on the left comes into view.
        const SCROLL_LEFT = 1 << 5;
        /// Text entry.
        const TEXT = 1 << 6;
        /// Two fingers moving together or apart.
        const PINCH = 1 << 7;
    }
}

impl ActionSet {
    /// Both ways up and down.
    pub const SCROLL_VERTICAL: Self = Self::SCROLL_DOWN.union(Self::SCROLL_UP);
    /// Both ways to the sides.
    pub const SCROLL_HORIZONTAL: Self = Self::SCROLL_RIGHT.union(Self::SCROLL_LEFT);

    /// What can be done to a widget of which only class and flags are known, as is the case in a plain uiautomator dump.
    ///
    /// A dump does not tell in which directions a widget scrolls. Where the class leaves it open, as `RecyclerView`
    /// does, all four are given: a useless swipe costs a step, a missing one hides a part of the app. A disabled
    /// widget keeps its actions, so that its name does not change with it; see [`Widget::is_actionable`].
    pub fn derived(class: &str, flags: Flags) -> Self {
        let mut actions = Self::empty();
        actions.set(Self::TAP, flags.contains(Flags::CLICKABLE));
        actions.set(Self::LONG_TAP, flags.contains(Flags::LONG_CLICKABLE));
        if flags.contains(Flags::SCROLLABLE) {
            actions |= scroll_directions(class);
        }
        actions.set(Self::TEXT, flags.contains(Flags::EDITABLE) || is_text_field(class));
        actions
    }
}

fn scroll_directions(class: &str) -> ActionSet {
    match short(class) {
        "ScrollView" | "NestedScrollView" | "ListView" | "ExpandableListView" | "GridView"
        | "AbsListView" | "NumberPicker" | "VerticalGridView" => ActionSet::SCROLL_VERTICAL,
        "HorizontalScrollView"
        | "HorizontalGridView"
        | "ViewPager"
        | "ViewPager2"
        | "TabLayout"
        | "Gallery"
        | "SeekBar" => ActionSet::SCROLL_HORIZONTAL,
        _ => ActionSet::SCROLL_VERTICAL | ActionSet::SCROLL_HORIZONTAL,
    }
}

/// The class is one whose widgets take text, though a plain dump does not say so.
pub fn is_text_field(class: &str) -> bool {
    let class = short(class);
    class.ends_with("EditText")
        || class.ends_with("AutoCompleteTextView")
        || class.ends_with("SearchAutoComplete")
}

fn short(class: &str) -> &str {
    class.rsplit(['.', '$']).next().unwrap_or(class)
}

/// All attributes of one widget that a uiautomator dump or an `AccessibilityNodeInfo` has.
///
/// A widget says nothing of its parent or children: two widgets with equal attributes are one value, shared
/// by all trees that show it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct Widget {
    /// The class, such as `android.widget.Button`.
    pub class: SmolStr,
    /// The package of the app that draws it.
    pub package: SmolStr,
    /// The resource id, such as `org.example:id/save`, or empty.
    pub resource_id: SmolStr,
    /// The text it shows, or empty.
    pub text: SmolStr,
    /// What a screen reader says instead of the text, or empty.
    pub content_desc: SmolStr,
    /// The hint of an empty field, or empty.
    pub hint: SmolStr,
    /// The state in words, such as `on`, or empty.
    pub state_desc: SmolStr,
    /// The position among its siblings.
    pub index: u32,
    /// Where it is on the screen.
    pub bounds: Bounds,
    /// Its yes-or-no attributes.
    pub flags: Flags,
    /// What can be done to it.
    pub actions: ActionSet,
    /// The order in which its parent draws it, or 0 where the device does not tell.
    pub drawing_order: i32,
    /// Android's input type of a field, or 0.
    pub input_type: i32,
}

impl Widget {
    /// The hash of all attributes, equal on every machine and in every run. `scratch` is reused between calls.
    pub fn content_hash(&self, scratch: &mut Vec<u8>) -> u64 {
        scratch.clear();
        for text in [
            &self.class,
            &self.package,
            &self.resource_id,
            &self.text,
            &self.content_desc,
            &self.hint,
            &self.state_desc,
        ] {
            scratch.extend_from_slice(&(text.len() as u32).to_le_bytes());
            scratch.extend_from_slice(text.as_bytes());
        }
        let bounds = self.bounds;
        for number in [
            self.index as i32,
            bounds.left,
            bounds.top,
            bounds.right,
            bounds.bottom,
            self.drawing_order,
            self.input_type,
        ] {
            scratch.extend_from_slice(&number.to_le_bytes());
        }
        scratch.extend_from_slice(&self.flags.bits().to_le_bytes());
        scratch.extend_from_slice(&self.actions.bits().to_le_bytes());
        xxh3_64(scratch)
    }

    /// The widget can be acted on now: it is enabled, visible in part and has an action.
    pub fn is_actionable(&self) -> bool {
        self.flags.contains(Flags::ENABLED) && !self.actions.is_empty() && !self.bounds.is_empty()
    }

    /// The class without its package: `Button` for `android.widget.Button`.
    pub fn short_class(&self) -> &str {
        short(&self.class)
    }

    /// The resource id without its package: `save` for `org.example:id/save`.
    pub fn short_id(&self) -> &str {
        self.resource_id.rsplit('/').next().unwrap_or(&self.resource_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_follow_from_flags_and_class() {
        let both = Flags::CLICKABLE | Flags::LONG_CLICKABLE;
        let derived = ActionSet::derived;
        assert_eq!(derived("android.widget.Button", both), ActionSet::TAP | ActionSet::LONG_TAP);
        assert_eq!(derived("android.widget.EditText", Flags::empty()), ActionSet::TEXT);
        assert_eq!(derived("android.view.View", Flags::EDITABLE), ActionSet::TEXT);
        assert_eq!(derived("android.widget.ListView", Flags::SCROLLABLE), ActionSet::SCROLL_VERTICAL);
        assert_eq!(
            derived("androidx.viewpager.widget.ViewPager", Flags::SCROLLABLE),
            ActionSet::SCROLL_HORIZONTAL
        );
        assert_eq!(derived("android.webkit.WebView", Flags::SCROLLABLE).bits().count_ones(), 4);
        assert_eq!(derived("android.widget.TextView", Flags::ENABLED | Flags::FOCUSABLE), ActionSet::empty());
    }

    #[test]
    fn text_fields_are_known_by_their_class() {
        assert!(is_text_field("com.google.android.material.textfield.TextInputEditText"));
        assert!(is_text_field("android.widget.SearchView$SearchAutoComplete"));
        assert!(!is_text_field("android.widget.TextView"));
        assert!(!is_text_field(""));
    }
}
