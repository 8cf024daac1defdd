//! The port that the environment asks for.

/// The variable that the port is taken from where it is set.
const VARIABLE: &str = "MCP_HARDWARE_PORT";

/// What the environment says of the port.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AskedPort {
    /// Nothing.
    Unasked,
    /// This one.
    Asked(u16),
    /// Something that is no port.
    Senseless(String),
}

impl AskedPort {
    pub(super) fn of_environment() -> Self {
        std::env::var_os(VARIABLE)
            .map_or(Self::Unasked, |given| Self::read(&given.to_string_lossy()))
    }

    fn read(given: &str) -> Self {
        match given.trim() {
            "" => Self::Unasked,
            port => port
                .parse()
                .map_or_else(|_| Self::Senseless(port.into()), Self::Asked),
        }
    }

    /// The port asked for, else `usual`.
    pub(super) fn or(self, usual: u16) -> u16 {
        match self {
            Self::Asked(port) => port,
            Self::Unasked | Self::Senseless(_) => usual,
        }
    }

    /// What a person is to know where `usual` is taken although something else was meant.
    pub(super) fn complaint(self, usual: u16) -> Option<String> {
        match self {
            Self::Senseless(given) => Some(format!(
                "{VARIABLE} is \"{given}\", which is no port (0 to 65535): {usual} is used instead."
            )),
            Self::Unasked | Self::Asked(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_is_none_is_complained_of_and_the_usual_one_taken() {
        for senseless in ["http", "65536", "-1", "8790/mcp"] {
            let complaint = AskedPort::read(senseless).complaint(8790).unwrap();
            assert!(
                complaint.contains(&format!("\"{senseless}\"")),
                "{complaint}"
            );
            assert!(complaint.contains("8790 is used"), "{complaint}");
            assert_eq!(AskedPort::read(senseless).or(8790), 8790);
        }
    }

    #[test]
    fn a_port_is_taken_and_no_value_is_no_wish() {
        assert_eq!(AskedPort::read(" 9000 ").or(8790), 9000);
        assert_eq!(AskedPort::read("9000").complaint(8790), None);
        assert_eq!(AskedPort::read(" "), AskedPort::Unasked);
    }
}
