//! Who is on the way to what: two devices that go for the same thing do one device's work.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::ids::{SessionId, StateId};

/// What all sessions of a run are after.
#[derive(Clone, Debug, Default)]
pub struct Claims {
    states: BTreeMap<SessionId, StateId>,
    camps: BTreeMap<SessionId, SmolStr>,
}

impl Claims {
    /// A session is on its way to a state with work, or no longer.
    pub fn go_for(&mut self, session: SessionId, state: Option<StateId>) {
        match state {
            Some(state) => drop(self.states.insert(session, state)),
            None => drop(self.states.remove(&session)),
        }
    }

    /// A session camps in an activity or is on its way to camp there, or no longer.
    pub fn camp_in(&mut self, session: SessionId, activity: Option<&SmolStr>) {
        match activity {
            Some(activity) => drop(self.camps.insert(session, activity.clone())),
            None => drop(self.camps.remove(&session)),
        }
    }

    /// Another session is on its way to something.
    pub fn has_others(&self, session: SessionId) -> bool {
        self.states.keys().any(|&other| other != session)
    }

    /// Another session is on its way to this state.
    pub fn is_taken(&self, session: SessionId, state: StateId) -> bool {
        self.states.iter().any(|(&other, &known)| other != session && known == state)
    }

    /// Another session camps in this activity, or is on its way there.
    pub fn is_camped_in(&self, session: SessionId, activity: &SmolStr) -> bool {
        self.camps.iter().any(|(&other, known)| other != session && known == activity)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_session_goes_for_is_taken_for_the_others_until_it_is_there() {
        let (one, two) = (SessionId(1), SessionId(2));
        let mut claims = Claims::default();
        claims.go_for(one, Some(StateId(7)));
        claims.camp_in(one, Some(&"Main".into()));
        assert!(claims.has_others(two) && !claims.has_others(one));
        assert!(claims.is_taken(two, StateId(7)) && !claims.is_taken(one, StateId(7)));
        assert!(claims.is_camped_in(two, &"Main".into()) && !claims.is_camped_in(one, &"Main".into()));
        claims.go_for(one, None);
        claims.camp_in(one, None);
        assert!(!claims.is_taken(two, StateId(7)) && !claims.is_camped_in(two, &"Main".into()));
    }
}
