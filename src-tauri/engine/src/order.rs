//! Who asks for an operation, and of which clock.

use serde::{Deserialize, Serialize};

use crate::state::Door;

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The door they came through.
    pub door: Door,
    /// What they are called, where the door knows more than one: the name of an agent.
    pub name: Option<String>,
}

/// How an operation is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Who asks.
    pub caller: Caller,
    /// The address of the clock it is for; `None`: the chosen one.
    pub clock: Option<String>,
}

impl From<Door> for Caller {
    fn from(door: Door) -> Self {
        Self { door, name: None }
    }
}

impl From<Caller> for Order {
    fn from(caller: Caller) -> Self {
        Self {
            caller,
            clock: None,
        }
    }
}

impl From<Door> for Order {
    fn from(door: Door) -> Self {
        Caller::from(door).into()
    }
}
