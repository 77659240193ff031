//! What a widget of a model looks like to who reads its screen.

use super::super::app::RuleList;
use super::super::app_model::WidgetKind;
use crate::gui::ActionSet;

/// A swipe to the left brings what is on the right into view.
pub(super) fn sideways(swipe_left: &RuleList, swipe_right: &RuleList) -> ActionSet {
    let mut actions = ActionSet::empty();
    actions.set(ActionSet::SCROLL_RIGHT, !swipe_left.is_empty());
    actions.set(ActionSet::SCROLL_LEFT, !swipe_right.is_empty());
    actions
}

/// The Android class that a kind of widget stands for.
pub(super) fn class_of(kind: WidgetKind) -> &'static str {
    match kind {
        WidgetKind::Label => "android.widget.TextView",
        WidgetKind::Button => "android.widget.Button",
        WidgetKind::ImageButton => "android.widget.ImageButton",
        WidgetKind::Image => "android.widget.ImageView",
        WidgetKind::Field => "android.widget.EditText",
        WidgetKind::Check => "android.widget.CheckBox",
        WidgetKind::Switch => "android.widget.Switch",
        WidgetKind::Spinner => "android.widget.Spinner",
        WidgetKind::Tabs => "android.widget.TabWidget",
        WidgetKind::List => "android.widget.ListView",
        WidgetKind::Row | WidgetKind::Column => "android.widget.LinearLayout",
        WidgetKind::Scroll => "android.widget.ScrollView",
        WidgetKind::Web => "android.webkit.WebView",
        WidgetKind::Progress => "android.widget.ProgressBar",
    }
}
