/// A type size: pixels of the em square, 12 to 200.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeSize(u16);

impl TypeSize {
    /// The smallest type that can be read on the panel.
    pub const SMALLEST: Self = Self(12);
    /// Type of which two letters fill the panel's width.
    pub const LARGEST: Self = Self(200);

    /// The size nearest to a number of pixels.
    #[must_use]
    pub const fn of(pixels: u16) -> Self {
        if pixels < Self::SMALLEST.0 {
            Self::SMALLEST
        } else if pixels > Self::LARGEST.0 {
            Self::LARGEST
        } else {
            Self(pixels)
        }
    }

    /// Pixels of the em square.
    #[must_use]
    pub const fn pixels(self) -> u16 {
        self.0
    }

    /// A share of the size in whole pixels, rounded.
    pub(crate) fn share(self, share: f32) -> i32 {
        (f32::from(self.0) * share).round() as i32
    }

    /// The sizes that fitting tries from one to another: steps that an eye tells apart.
    pub(crate) fn ladder(smallest: Self, largest: Self) -> Vec<Self> {
        STEPS
            .into_iter()
            .map(Self)
            .filter(|size| (smallest..=largest).contains(size))
            .chain([smallest, largest])
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect()
    }
}

const STEPS: [u16; 33] = [
    12, 13, 14, 15, 16, 17, 18, 20, 22, 24, 26, 28, 30, 32, 36, 40, 44, 48, 52, 56, 60, 64, 72, 80,
    88, 96, 104, 112, 128, 144, 160, 180, 200,
];
