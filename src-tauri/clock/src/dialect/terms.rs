//! The terms on which a script is made: what the link carries, and what the clock at its end has
//! said of itself.

/// What a clock has said of itself on this link. Which of it a family says is told by its dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traits {
    /// The version of its firmware.
    pub version: Option<u8>,
    /// The number of its panel's model.
    pub model: Option<u8>,
    /// The number of what it shows.
    pub mode: Option<u8>,
    /// Most bytes of one write that it wants.
    pub payload: Option<usize>,
    /// It takes run-length encoded pictures.
    pub run_length: bool,
}

/// The terms of a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Terms {
    payload: usize,
    traits: Traits,
}

impl Terms {
    /// Least ATT MTU of any link (Bluetooth Core Specification, Vol 3, Part G, 5.2.1).
    pub const MIN_MTU: u16 = 23;
    /// Bytes of a write request that are not payload: opcode and handle.
    const ATT_HEADER: u16 = 3;
    /// What every link carries in one write.
    const MIN_PAYLOAD: usize = (Self::MIN_MTU - Self::ATT_HEADER) as usize;

    /// The terms of a link with this ATT MTU to a clock of which nothing is known; a smaller MTU
    /// than 23 counts as 23.
    #[must_use]
    pub fn of_mtu(mtu: u16) -> Self {
        Self {
            payload: usize::from(mtu.max(Self::MIN_MTU) - Self::ATT_HEADER),
            traits: Traits::default(),
        }
    }

    /// The same with a clock of which this is known.
    #[must_use]
    pub fn with(self, traits: Traits) -> Self {
        Self { traits, ..self }
    }

    /// Most bytes of one write. A longer one would become a long write, which these clocks do not
    /// take.
    #[must_use]
    pub fn payload(self) -> usize {
        self.payload
    }

    /// What the clock has said of itself.
    #[must_use]
    pub fn traits(self) -> Traits {
        self.traits
    }

    /// Whether a picture is framed on these terms as on those, apart from the length of a write.
    #[must_use]
    pub fn frames_as(self, other: Self) -> bool {
        let framing = |terms: Self| Traits {
            payload: None,
            mode: None,
            ..terms.traits
        };
        framing(self) == framing(other)
    }

    /// The same, but with at most `payload` bytes (and at least the 20 of the least MTU).
    #[must_use]
    pub fn capped(self, payload: usize) -> Self {
        Self {
            payload: self.payload.min(payload.max(Self::MIN_PAYLOAD)),
            ..self
        }
    }
}
