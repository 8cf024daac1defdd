//! Bluetooth that cannot be used, in words: four reasons, and the next step for each on each
//! system.

use crate::link::Unavailable;
use crate::system::System;

impl Unavailable {
    /// Every reason.
    pub const ALL: [Self; 4] = [
        Self::NoAdapter,
        Self::RadioOff,
        Self::PermissionDenied,
        Self::ServiceMissing,
    ];

    /// What is the matter, a sentence.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::NoAdapter => "This computer has no Bluetooth adapter.",
            Self::RadioOff => "Bluetooth is switched off.",
            Self::PermissionDenied => "This program is not allowed to use Bluetooth.",
            Self::ServiceMissing => "The system's Bluetooth service does not answer.",
        }
    }

    /// What to do about it on that system.
    #[must_use]
    pub const fn next_step(self, system: System) -> &'static str {
        match (self, system) {
            (Self::NoAdapter, System::Windows) => {
                "Plug in a Bluetooth adapter. If the computer has one, look for it in Device Manager under Bluetooth: it may be disabled or lack its driver. A simulated clock is there to try things out."
            }
            (Self::NoAdapter, System::Linux) => {
                "Plug in a Bluetooth adapter. If the computer has one, bluetoothctl list and rfkill list show whether the system sees it. A simulated clock is there to try things out."
            }
            (Self::NoAdapter, System::MacOs) => {
                "Plug in a Bluetooth adapter. If the computer has one, restart it. A simulated clock is there to try things out."
            }
            (Self::RadioOff, System::Windows) => {
                "Switch Bluetooth on in Settings, Bluetooth & devices. If there is no switch, look for airplane mode and for a key on the computer."
            }
            (Self::RadioOff, System::Linux) => {
                "Switch Bluetooth on in the system's settings, or with rfkill unblock bluetooth and bluetoothctl power on."
            }
            (Self::RadioOff, System::MacOs) => {
                "Switch Bluetooth on in System Settings, Bluetooth, or in Control Centre."
            }
            (Self::PermissionDenied, System::Windows) => {
                "Open Settings, Privacy & security, Radios, and let apps control device radios. On a computer of an organisation, ask its administrator."
            }
            (Self::PermissionDenied, System::Linux) => {
                "The system bus refuses it. Add yourself to the group bluetooth (sudo usermod -aG bluetooth $USER) and log in anew, or allow Bluetooth to the sandbox that the program runs in."
            }
            (Self::PermissionDenied, System::MacOs) => {
                "Open System Settings, Privacy & Security, Bluetooth, allow Regie there, and start it again. Started from a terminal, it is the terminal that has to be allowed."
            }
            (Self::ServiceMissing, System::Windows) => {
                "Open Services, start Bluetooth Support Service and let it start automatically, or restart the computer."
            }
            (Self::ServiceMissing, System::Linux) => {
                "Install BlueZ and start it: sudo systemctl enable --now bluetooth. In a container or a virtual machine there is usually none."
            }
            (Self::ServiceMissing, System::MacOs) => "Restart the computer.",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn ble_8_four_reasons_have_four_texts_and_on_each_system_four_next_steps() {
        let sentences: BTreeSet<_> = Unavailable::ALL.map(Unavailable::sentence).into();
        assert_eq!(sentences.len(), Unavailable::ALL.len());
        for system in System::ALL {
            let steps: BTreeSet<_> = Unavailable::ALL
                .map(|reason| reason.next_step(system))
                .into();
            assert_eq!(steps.len(), Unavailable::ALL.len(), "{system:?}");
        }
    }

    #[test]
    fn ble_8_the_next_step_names_the_place_on_that_system() {
        let step = |reason: Unavailable, system| reason.next_step(system);
        assert!(step(Unavailable::RadioOff, System::Windows).contains("Bluetooth & devices"));
        assert!(step(Unavailable::RadioOff, System::Linux).contains("rfkill"));
        assert!(step(Unavailable::PermissionDenied, System::Windows).contains("Radios"));
        assert!(step(Unavailable::PermissionDenied, System::MacOs).contains("Privacy & Security"));
        assert!(step(Unavailable::ServiceMissing, System::Linux).contains("systemctl"));
    }
}
