//! The first line each way.

use serde::{Deserialize, Serialize};

use super::LocalError;
use super::tokens::TokenOrder;
use crate::toolset::Toolset;

/// The version of the first lines. What is added to them later is left out by those who do not
/// know it.
const VERSION: u32 = 1;

/// Bytes of a first line: names and numbers.
pub(super) const LONGEST: usize = 4096;

/// What somebody who comes says first.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Greeting {
    regie: u32,
    #[serde(flatten)]
    pub(super) wish: Wish,
}

/// What they want.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "wish", rename_all = "kebab-case")]
pub(super) enum Wish {
    /// To talk MCP.
    Mcp(Hello),
    /// To own the data folder.
    Yield {
        /// For one command, which opens no door.
        #[serde(default)]
        briefly: bool,
    },
    /// That it ends, as when a person quits it.
    Quit,
    /// To have something done with the tokens; a second line back tells what came of it.
    Tokens {
        /// What.
        order: TokenOrder,
    },
}

/// Who wants to talk MCP, and about what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hello {
    /// The tools wanted.
    #[serde(with = "toolset_name")]
    pub tools: Toolset,
    /// The clock that calls without an address are for; `None`: the chosen one.
    pub mac: Option<String>,
    /// Only simulated clocks will do.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub demo: bool,
}

impl From<Wish> for Greeting {
    fn from(wish: Wish) -> Self {
        Self {
            regie: VERSION,
            wish,
        }
    }
}

impl Greeting {
    /// Reads a first line.
    pub(super) fn read(line: &[u8]) -> Result<Wish, Refusal> {
        let greeting: Self = serde_json::from_slice(line).map_err(|_| {
            Refusal::new(
                "hello-unknown",
                "This is Regie's own door for programs on this computer, and that was no greeting.",
                "Agents start \"regie mcp\", or use the address for HTTP.",
            )
        })?;
        if greeting.regie == VERSION {
            Ok(greeting.wish)
        } else {
            Err(Refusal::new(
                "other-version",
                "The Regie that runs is of another version.",
                "Quit it and start it again, so that both are the same.",
            ))
        }
    }
}

/// The first line back.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Welcome {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    /// The clocks of whoever answers are simulated.
    #[serde(default)]
    pub(super) simulated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Refusal>,
}

/// Why somebody is sent away.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Refusal {
    code: String,
    message: String,
    hint: String,
}

impl Refusal {
    pub(super) fn new(code: &str, message: &str, hint: &str) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            hint: hint.into(),
        }
    }
}

impl From<Refusal> for LocalError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused {
            code: refusal.code,
            message: refusal.message,
            hint: refusal.hint,
        }
    }
}

impl Welcome {
    pub(super) fn new(answer: Result<&str, Refusal>, simulated: bool) -> Self {
        match answer {
            Ok(version) => Self {
                ok: true,
                version: Some(version.into()),
                simulated,
                error: None,
            },
            Err(refusal) => Self {
                ok: false,
                version: None,
                simulated,
                error: Some(refusal),
            },
        }
    }

    /// Reads a first line back.
    pub(super) fn read(line: &[u8]) -> Result<Self, Refusal> {
        match serde_json::from_slice(line) {
            Ok(welcome @ Self { ok: true, .. }) => Ok(welcome),
            Ok(Self {
                error: Some(refusal),
                ..
            }) => Err(refusal),
            _ => Err(Refusal::new(
                "not-regie",
                "Something other than Regie answers at Regie's place.",
                "Quit it, or use another data folder.",
            )),
        }
    }
}

/// A toolset by its name.
mod toolset_name {
    use serde::{Deserialize as _, Deserializer, Serializer, de};

    use crate::toolset::Toolset;

    pub(super) fn serialize<S: Serializer>(tools: &Toolset, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(tools.name())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Toolset, D::Error> {
        let name = String::deserialize(from)?;
        name.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_is_short_and_what_it_does_not_say_has_defaults() {
        let hello = Hello {
            tools: Toolset::Clock,
            mac: Some("AA:BB:CC:DD:EE:FF".into()),
            demo: false,
        };
        let line = serde_json::to_string(&Greeting::from(Wish::Mcp(hello.clone()))).unwrap();
        assert_eq!(
            line,
            r#"{"regie":1,"wish":"mcp","tools":"clock","mac":"AA:BB:CC:DD:EE:FF"}"#
        );
        let Ok(Wish::Mcp(read)) = Greeting::read(line.as_bytes()) else {
            panic!("{line}");
        };
        assert_eq!(read, hello);
        let Ok(Wish::Mcp(read)) = Greeting::read(br#"{"regie":1,"wish":"mcp","later":1}"#) else {
            panic!("no defaults");
        };
        assert_eq!(read, Hello::default());
    }

    #[test]
    fn nonsense_and_another_version_are_told_apart() {
        let code = |line: &str| Greeting::read(line.as_bytes()).unwrap_err().code;
        for nonsense in ["", "GET / HTTP/1.1", "{}", r#"{"regie":1,"wish":"dance"}"#] {
            assert_eq!(code(nonsense), "hello-unknown");
        }
        assert_eq!(code(r#"{"regie":2,"wish":"mcp"}"#), "other-version");
    }
}
