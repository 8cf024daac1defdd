//! What the program itself is, and what it runs on.

use std::collections::BTreeMap;

use os_info::Bitness;
use regie_clock::diagnosis::Concern;

use crate::fault::Note;

/// The bits of a pointer of this build.
const BITS: u32 = usize::BITS;

/// What the program itself is, and what it runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    version: String,
    system: String,
    system_bits: Option<u32>,
}

impl Program {
    /// This program, of that version. Asks the system, which may take a moment.
    pub(crate) fn here(version: &str) -> Self {
        let system = os_info::get();
        Self {
            version: version.to_owned(),
            system: format!("{} {}", system.os_type(), system.version()),
            system_bits: match system.bitness() {
                Bitness::X32 => Some(32),
                Bitness::X64 => Some(64),
                _ => None,
            },
        }
    }

    /// What it is, a sentence.
    pub(crate) fn note(&self) -> Note {
        let architecture = std::env::consts::ARCH;
        let Self {
            version, system, ..
        } = self;
        let params = [
            ("version", version.clone()),
            ("system", system.clone()),
            ("architecture", architecture.to_owned()),
            ("bits", BITS.to_string()),
        ];
        Note {
            code: "doctor-program".into(),
            message: format!("Regie {version} for {architecture}, {BITS} bits, on {system}."),
            params: BTreeMap::from(params.map(|(name, value)| (name.to_owned(), value))),
        }
    }

    /// What is wrong with it, if something is.
    pub(crate) fn concern(&self) -> Option<Concern> {
        of_bits(BITS, self.system_bits)
    }
}

/// BLE-12: a 32-bit program on 64-bit Windows is told that Bluetooth is disabled.
fn of_bits(program: u32, system: Option<u32>) -> Option<Concern> {
    (program == 32 && system == Some(64)).then_some(Concern::ThirtyTwoBit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ble_12_the_architecture_is_shown_and_a_32_bit_build_on_64_bits_is_a_warning() {
        let program = Program::here("1.2.3");
        let said = program.note().message;
        assert!(said.contains("1.2.3"), "{said}");
        assert!(said.contains(std::env::consts::ARCH), "{said}");
        assert!(said.contains(&format!("{BITS} bits")), "{said}");
        assert_eq!(of_bits(32, Some(64)), Some(Concern::ThirtyTwoBit));
        for (bits, system) in [(64, Some(64)), (32, Some(32)), (32, None), (64, None)] {
            assert_eq!(of_bits(bits, system), None);
        }
    }
}
