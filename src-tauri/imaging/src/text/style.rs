use super::TypeSize;

/// The letterforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Face {
    /// Without serifs: for everything that must be read from afar.
    #[default]
    Sans,
    /// With serifs, for words worth a slower reading. Chinese has none of its own and stays sans.
    Serif,
}

/// The strength of the strokes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Weight {
    /// For reading.
    #[default]
    Regular,
    /// For titles and figures.
    Bold,
}

/// Where lines start. *Start* is the left for text that runs to the right, and the right for
/// Arabic and Hebrew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Align {
    /// Where reading starts.
    #[default]
    Start,
    /// In the middle.
    Centre,
    /// Where reading ends.
    End,
    /// On the left, whatever the script.
    Left,
    /// On the right, whatever the script.
    Right,
}

/// How a text looks, but for its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Style {
    /// The letterforms.
    pub face: Face,
    /// The strength of the strokes.
    pub weight: Weight,
    /// Where lines start.
    pub align: Align,
}

impl Style {
    /// Sans in regular weight, from the start.
    pub const REGULAR: Self = Self {
        face: Face::Sans,
        weight: Weight::Regular,
        align: Align::Start,
    };
    /// Sans in bold weight, from the start.
    pub const BOLD: Self = Self {
        weight: Weight::Bold,
        ..Self::REGULAR
    };
    /// Serif in regular weight, from the start.
    pub const SERIF: Self = Self {
        face: Face::Serif,
        ..Self::REGULAR
    };

    /// The same with another alignment.
    #[must_use]
    pub const fn aligned(self, align: Align) -> Self {
        Self { align, ..self }
    }
}

/// What fitting may do to a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The size to begin with.
    pub largest: TypeSize,
    /// The size below which it does not fit.
    pub smallest: TypeSize,
    /// Most lines.
    pub lines: u16,
}

impl Fit {
    /// Sizes in pixels, largest first, and the most lines.
    #[must_use]
    pub const fn new(largest: u16, smallest: u16, lines: u16) -> Self {
        Self {
            largest: TypeSize::of(largest),
            smallest: TypeSize::of(smallest),
            lines,
        }
    }
}
