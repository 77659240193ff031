//! Small screens on which a failure depends on one thing alone, each in another way.
//!
//! In a random app nearly everything depends on everything, so that a solver that forgets one way of depending is hardly
//! ever caught. Each gadget has a variable of its own that matters in exactly one way.

/// One way of depending: the first value of its variable, what makes it right, and its screen.
pub struct Gadget {
    pub name: &'static str,
    /// The variable's first value.
    pub first: &'static str,
    /// What sets it right; it stands on a button of another screen or of its own.
    pub make: &'static str,
    /// The body of the activity; `V` is the variable, `F` the failure, `HELP` a second activity.
    pub screen: &'static str,
    /// The body of the second activity, or empty.
    pub helper: &'static str,
}

pub const GADGETS: &[Gadget] = &[
    Gadget {
        name: "enabled",
        first: "false",
        make: "V = true",
        screen: "widget = [MAKE{ type = 'button', text = 'Risk', enabled = 'V', tap = { fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "visible",
        first: "false",
        make: "V = !V",
        screen: "widget = [MAKE{ type = 'button', text = 'Risk', visible = 'V', tap = { fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "pushed off the screen",
        first: "false",
        make: "V = true",
        screen: "widget = [MAKE{ type = 'label', text = 'tall', height = 1850, visible = '!V' }, \
                 { type = 'button', text = 'Risk', tap = { fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "a script that fails",
        first: "0",
        make: "V = 1",
        screen: "data = { other = 0 }\nwidget = [MAKE{ type = 'label', text = '{other}' }, \
                 { type = 'button', text = 'Risk', tap = { do = 'other = 6 / V', fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "a script that fails before what comes next",
        first: "[1]",
        make: "V.push(2)",
        screen: "data = { other = 0 }\nwidget = [MAKE{ type = 'label', text = '{other}' }, \
                 { type = 'button', text = 'Risk', tap = { do = 'other = V[2]', then = { fail = 'F' } } }]",
        helper: "",
    },
    Gadget {
        name: "given to an activity",
        first: "0",
        make: "V = 1",
        screen: "widget = [MAKE{ type = 'button', text = 'Go', tap = { start = 'HELP', with = { got = 'V' } } }]",
        helper: "saved = { got = 0 }\nwidget = [{ type = 'button', text = 'Risk', tap = { if = 'got == 1', fail = 'F' } }]",
    },
    Gadget {
        name: "given back",
        first: "0",
        make: "V = 1",
        screen: "result = { if = 'result == 1', fail = 'F' }\nwidget = [MAKE{ type = 'button', text = 'Go', tap = { start = 'HELP' } }]",
        helper: "widget = [{ type = 'button', text = 'Give', tap = { result = 'V' } }]",
    },
    Gadget {
        name: "a race",
        first: "false",
        make: "V = false",
        screen: "widget = [MAKE{ type = 'button', text = 'Load', tap = { do = 'V = true', then = { after = 200, do = 'V = false' } } }, \
                 { type = 'button', text = 'Risk', tap = { if = 'V', fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "the order of two late effects",
        first: "0",
        make: "V = 0",
        screen: "widget = [MAKE{ type = 'button', text = 'Slow', tap = { after = 300, do = 'V = V * 2 + 1' } }, \
                 { type = 'button', text = 'Fast', tap = { after = 240, do = 'V = V * 3 + 1' } }, \
                 { type = 'button', text = 'Risk', tap = { if = 'V == 3', fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "a late effect in a window of time",
        first: "0",
        make: "V = 0",
        screen: "data = { armed = false }\nwidget = [MAKE\
                 { type = 'button', text = 'Arm', tap = { do = 'armed = true', then = { after = 320, do = 'armed = false' } } }, \
                 { type = 'button', text = 'Late', tap = { after = 300, do = 'if armed { V = 1 }' } }, \
                 { type = 'button', text = 'Risk', tap = { if = 'V == 1', fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "the phase of a clock",
        first: "0",
        make: "V = 0",
        screen: "data = { on = false }\nevery = [{ ms = 1000, run = { if = 'on', do = 'V = 1' } }]\nwidget = [MAKE\
                 { type = 'button', text = 'On', tap = { do = 'on = true', then = { after = 250, do = 'on = false' } } }, \
                 { type = 'button', text = 'Risk', tap = { if = 'V == 1', fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "a keyboard over a dialog",
        first: "false",
        make: "V = true",
        screen: "data = { text_of = '' }\ndialog = [{ name = 'd', keyboard = true, widget = [{ type = 'field', bind = 'text_of' }], \
                 cancel = { if = 'V', fail = 'F' } }]\nwidget = [MAKE{ type = 'button', text = 'Ask', tap = { dialog = 'd' } }]",
        helper: "",
    },
    Gadget {
        name: "the number of rows",
        first: "[1]",
        make: "if V.len() < 3 { V.push(0) }",
        screen: "widget = [MAKE{ type = 'list', rows = 'V', widget = [{ type = 'label', text = 'x' }], \
                 tap = { if = 'index == 2', fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "what is in a row",
        first: "[1, 2]",
        make: "V = [1, 5]",
        screen: "widget = [MAKE{ type = 'list', rows = 'V', widget = [{ type = 'label', text = 'x' }], \
                 tap = { if = 'row == 5', fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "a row below the others",
        first: "24",
        make: "V = 24",
        screen: "widget = [MAKE{ type = 'list', rows = 'V', widget = [{ type = 'label', text = 'x' }], \
                 tap = { if = 'index == 20', fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "enter in a field",
        first: "false",
        make: "V = true",
        screen: "data = { said = '' }\nwidget = [MAKE{ type = 'field', bind = 'said', submit = { if = 'V && said == \"zed\"', fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "the value of a change",
        first: "false",
        make: "V = false",
        screen: "data = { said = '' }\nwidget = [MAKE{ type = 'field', bind = 'said', change = { if = 'value.len() > 4', do = 'V = true' } }, \
                 { type = 'button', text = 'Risk', tap = { if = 'V', fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "a text that travels",
        first: "'no'",
        make: "V = \"no\"",
        screen: "data = { said = '' }\nwidget = [MAKE{ type = 'field', bind = 'said' }, \
                 { type = 'button', text = 'Keep', tap = { do = 'V = said' } }, { type = 'button', text = 'Go', tap = { start = 'HELP' } }]",
        helper: "widget = [{ type = 'button', text = 'Risk', tap = { if = 'V == \"zed\"', fail = 'F' } }]",
    },
    Gadget {
        name: "a choice",
        first: "'One'",
        make: "V = \"One\"",
        screen: "widget = [MAKE{ type = 'spinner', options = ['One', 'Two', 'Three'], bind = 'V' }, \
                 { type = 'button', text = 'Risk', tap = { if = 'V == \"Three\"', fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "a permission",
        first: "false",
        make: "V = true",
        screen: "permission = [{ name = 'android.permission.CAMERA', granted = { if = 'V', fail = 'F' } }]\n\
                 widget = [MAKE{ type = 'button', text = 'Ask', tap = { ask = 'android.permission.CAMERA' } }]",
        helper: "",
    },
    Gadget {
        name: "what survives rotation but not process death",
        first: "0",
        make: "V = 1",
        screen: "saved = { kept = 0 }\nwidget = [MAKE{ type = 'button', text = 'Keep', tap = { do = 'kept = V' } }, \
                 { type = 'button', text = 'Risk', tap = { if = 'kept == 1 && V == 0', fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "an activity below that was made for another orientation",
        first: "false",
        make: "V = true",
        screen: "rotate = { if = 'V', fail = 'F' }\nlocked = false\nwidget = [MAKE{ type = 'button', text = 'Go', tap = { start = 'HELP' } }]",
        helper: "back = { if = '!landscape', toast = 'no' }\nwidget = [{ type = 'label', text = 'Turn me' }]",
    },
    Gadget {
        name: "through three variables",
        first: "0",
        make: "V = 1",
        screen: "data = { one = 0, two = 0 }\nwidget = [MAKE{ type = 'button', text = 'One', tap = { do = 'one = V' } }, \
                 { type = 'button', text = 'Two', tap = { do = 'two = one' } }, \
                 { type = 'button', text = 'Risk', tap = [{ if = 'two == 0', toast = 'no' }, { fail = 'F' }] }]",
        helper: "",
    },
    Gadget {
        name: "by chance",
        first: "0",
        make: "V = 0",
        screen: "widget = [MAKE{ type = 'button', text = 'Try', tap = [{ chance = 0.25, do = 'V = 1' }, { chance = 0.5, do = 'V += 1' }] }, \
                 { type = 'button', text = 'Risk', tap = { if = 'V == 1', fail = 'F' } }]",
        helper: "",
    },
    Gadget {
        name: "a row that a late effect remembers",
        first: "[1, 2]",
        make: "V = [1, 2]",
        screen: "data = { last = 0 }\nwidget = [MAKE{ type = 'list', rows = 'V', widget = [{ type = 'label', text = 'x' }], \
                 tap = { after = 900, do = 'last = row' } }, { type = 'button', text = 'Risk', height = 120, tap = { if = 'last == 2', fail = 'F' } }]",
        helper: "",
    },
];
