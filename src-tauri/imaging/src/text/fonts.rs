use std::borrow::Cow;
use std::sync::Arc;

use parley::fontique::{Blob, Collection, CollectionOptions, SourceCache};
use parley::{FontContext, FontFamily, FontFamilyName};
use skrifa::{FontRef, MetadataProvider};

use super::Face;

/// The fonts of this crate; their README says what they cover and where they come from.
const OUTLINES: [&[u8]; 9] = [
    include_bytes!("../../fonts/sans-regular.ttf"),
    include_bytes!("../../fonts/sans-bold.ttf"),
    include_bytes!("../../fonts/serif-regular.ttf"),
    include_bytes!("../../fonts/han-regular.otf"),
    include_bytes!("../../fonts/han-bold.otf"),
    include_bytes!("../../fonts/arabic-regular.ttf"),
    include_bytes!("../../fonts/arabic-bold.ttf"),
    include_bytes!("../../fonts/hebrew-regular.ttf"),
    include_bytes!("../../fonts/hebrew-bold.ttf"),
];
const PIXELS: [&[u8]; 2] = [
    include_bytes!("../../fonts/pixel.otf"),
    include_bytes!("../../fonts/pixel-pictures.otf"),
];
/// One font of each family of `OUTLINES`, to ask what is covered.
const COVERING: [usize; 4] = [0, 3, 5, 7];

static SANS: [FontFamilyName<'static>; 4] = [
    FontFamilyName::named("Regie Sans"),
    FontFamilyName::named("Regie Han"),
    FontFamilyName::named("Regie Arabic"),
    FontFamilyName::named("Regie Hebrew"),
];
static SERIF: [FontFamilyName<'static>; 4] = [
    FontFamilyName::named("Regie Serif"),
    FontFamilyName::named("Regie Han"),
    FontFamilyName::named("Regie Arabic"),
    FontFamilyName::named("Regie Hebrew"),
];
static PIXEL: [FontFamilyName<'static>; 2] = [
    FontFamilyName::named("Regie Pixel"),
    FontFamilyName::named("Regie Pictures"),
];

/// Which of the bundled fonts have a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Coverage {
    pub(super) outline: bool,
    pub(super) pixel: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SystemFonts {
    Never,
    WhenNeeded,
    Loaded,
}

/// The bundled fonts and, from when a text needs them, those of the system.
pub(super) struct Fonts {
    pub(super) context: FontContext,
    system: SystemFonts,
    covering: Vec<FontRef<'static>>,
    pixels: Vec<FontRef<'static>>,
    pixel_ids: Vec<u64>,
}

impl Fonts {
    pub(super) fn new(system: bool) -> Self {
        let mut collection = Collection::new(CollectionOptions {
            shared: false,
            system_fonts: false,
        });
        for bytes in OUTLINES {
            collection.register_fonts(Blob::new(Arc::new(bytes)), None);
        }
        let mut pixel_ids = Vec::new();
        for bytes in PIXELS {
            let blob = Blob::new(Arc::new(bytes));
            pixel_ids.push(blob.id());
            collection.register_fonts(blob, None);
        }
        let read = |bytes: &&'static [u8]| FontRef::new(bytes).ok();
        Self {
            context: FontContext {
                collection,
                source_cache: SourceCache::default(),
            },
            system: if system {
                SystemFonts::WhenNeeded
            } else {
                SystemFonts::Never
            },
            covering: COVERING
                .iter()
                .filter_map(|&place| OUTLINES.get(place).and_then(read))
                .collect(),
            pixels: PIXELS.iter().filter_map(read).collect(),
            pixel_ids,
        }
    }

    /// Makes the system's fonts available; `false` when that is not wanted.
    pub(super) fn load_system(&mut self) -> bool {
        if self.system == SystemFonts::WhenNeeded {
            self.context.collection.load_system_fonts();
            self.system = SystemFonts::Loaded;
        }
        self.system == SystemFonts::Loaded
    }

    pub(super) fn coverage(&self, c: char) -> Coverage {
        let has = |fonts: &[FontRef<'_>]| fonts.iter().any(|font| font.charmap().map(c).is_some());
        Coverage {
            outline: has(&self.covering),
            pixel: has(&self.pixels),
        }
    }

    /// Whether a font is one of pixels, by the identity of its bytes.
    pub(super) fn is_pixel(&self, blob: u64) -> bool {
        self.pixel_ids.contains(&blob)
    }
}

pub(super) fn families(face: Face) -> FontFamily<'static> {
    FontFamily::List(Cow::Borrowed(match face {
        Face::Sans => &SANS,
        Face::Serif => &SERIF,
    }))
}

pub(super) fn pixel_families() -> FontFamily<'static> {
    FontFamily::List(Cow::Borrowed(&PIXEL))
}
