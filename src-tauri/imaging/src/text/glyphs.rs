use std::collections::HashMap;
use std::sync::Arc;

use parley::FontData;
use resvg::tiny_skia::{FillRule, Mask, Path, PathBuilder, Transform};
use skrifa::instance::{LocationRef, NormalizedCoord, Size};
use skrifa::outline::{DrawSettings, HintingInstance, HintingOptions, OutlinePen, Target};
use skrifa::{FontRef, GlyphId, MetadataProvider};

/// Side of a pixel font's cell.
pub(super) const PIXEL_CELL: u16 = 16;
/// Coverage (of 255) from which a pixel is ink. A little under half: a hairline that falls between
/// two pixels must not vanish (DI-3).
const INK_COVERAGE: u8 = 118;
/// Bitmaps kept. A screen full of Chinese has a few hundred.
const MAX_BITMAPS: usize = 4096;
/// Hinting programs kept, one for each font and size.
const MAX_HINTERS: usize = 24;
/// Longest side of a glyph in pixels; a broken font may claim any.
const MAX_SIDE: f32 = 1024.0;

/// The ink of one glyph.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Bitmap {
    /// Pixels from the pen to the left edge.
    pub(crate) left: i32,
    /// Pixels from the baseline down to the top edge; negative above it.
    pub(crate) top: i32,
    pub(crate) width: usize,
    /// Row by row, `true` is ink.
    pub(crate) bits: Vec<bool>,
}

impl Bitmap {
    pub(crate) fn height(&self) -> usize {
        self.bits.len().checked_div(self.width).unwrap_or(0)
    }

    fn empty() -> Self {
        Self {
            left: 0,
            top: 0,
            width: 0,
            bits: Vec::new(),
        }
    }

    /// Each pixel of ink drawn again to its right.
    fn emboldened(mut self, by: usize) -> Self {
        if self.bits.is_empty() || by == 0 {
            return self;
        }
        let width = self.width + by;
        let mut bits = vec![false; width * self.height()];
        for (from, to) in self
            .bits
            .chunks_exact(self.width)
            .zip(bits.chunks_exact_mut(width))
        {
            for (x, _) in from.iter().enumerate().filter(|(_, ink)| **ink) {
                to[x..=x + by].fill(true);
            }
        }
        self.width = width;
        self.bits = bits;
        self
    }
}

/// How a glyph is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Drawing {
    pub(super) glyph: u32,
    /// Pixels of the em square.
    pub(super) size: u16,
    /// Pixels to add to stems, for a weight that the font lacks.
    pub(super) embolden: u16,
}

#[derive(PartialEq, Eq, Hash, Clone)]
struct FontKey {
    blob: u64,
    index: u32,
    coordinates: Vec<i16>,
}

/// Hinted bitmaps of the glyphs drawn so far.
#[derive(Default)]
pub(super) struct Glyphs {
    bitmaps: HashMap<(FontKey, Drawing), Arc<Bitmap>>,
    hinters: HashMap<(FontKey, u16), Option<HintingInstance>>,
}

impl Glyphs {
    /// The bitmap of a glyph. Coordinates are those of a variable font, in 1/16384.
    pub(super) fn bitmap(
        &mut self,
        font: &FontData,
        coordinates: &[i16],
        drawing: Drawing,
    ) -> Arc<Bitmap> {
        let key = FontKey {
            blob: font.data.id(),
            index: font.index,
            coordinates: coordinates.to_vec(),
        };
        let full_key = (key, drawing);
        if let Some(known) = self.bitmaps.get(&full_key) {
            return Arc::clone(known);
        }
        let bitmap = self
            .outline(font, &full_key.0, drawing)
            .and_then(|path| filled(&path))
            .map_or_else(Bitmap::empty, |bitmap| {
                bitmap.emboldened(usize::from(drawing.embolden))
            });
        let bitmap = Arc::new(bitmap);
        if self.bitmaps.len() >= MAX_BITMAPS {
            self.bitmaps.clear();
        }
        self.bitmaps.insert(full_key, Arc::clone(&bitmap));
        bitmap
    }

    fn outline(&mut self, font: &FontData, key: &FontKey, drawing: Drawing) -> Option<Path> {
        let face = FontRef::from_index(font.data.data(), font.index).ok()?;
        let outlines = face.outline_glyphs();
        let glyph = outlines.get(GlyphId::new(drawing.glyph))?;
        let size = Size::new(f32::from(drawing.size));
        let coordinates: Vec<NormalizedCoord> = key
            .coordinates
            .iter()
            .map(|&value| NormalizedCoord::from_bits(value))
            .collect();
        let location = LocationRef::new(&coordinates);
        if self.hinters.len() >= MAX_HINTERS {
            self.hinters.clear();
        }
        let hinter = self
            .hinters
            .entry((key.clone(), drawing.size))
            .or_insert_with(|| {
                HintingInstance::new(
                    &outlines,
                    size,
                    location,
                    HintingOptions::from(Target::Mono),
                )
                .ok()
            });
        let mut pen = Pen(PathBuilder::new());
        let hinted = hinter.as_ref().is_some_and(|hinter| {
            glyph
                .draw(DrawSettings::hinted(hinter, false), &mut pen)
                .is_ok()
        });
        if !hinted {
            pen = Pen(PathBuilder::new());
            glyph
                .draw(DrawSettings::unhinted(size, location), &mut pen)
                .ok()?;
        }
        pen.0.finish()
    }
}

fn filled(path: &Path) -> Option<Bitmap> {
    let bounds = path.bounds();
    if !bounds.left().is_finite() || bounds.width() > MAX_SIDE || bounds.height() > MAX_SIDE {
        return None;
    }
    let (left, top) = (bounds.left().floor(), bounds.top().floor());
    let width = (bounds.right().ceil() - left).max(1.0) as u32;
    let height = (bounds.bottom().ceil() - top).max(1.0) as u32;
    let mut mask = Mask::new(width, height)?;
    mask.fill_path(
        path,
        FillRule::Winding,
        true,
        Transform::from_translate(-left, -top),
    );
    Some(Bitmap {
        left: left as i32,
        top: top as i32,
        width: width as usize,
        bits: mask
            .data()
            .iter()
            .map(|&coverage| coverage >= INK_COVERAGE)
            .collect(),
    })
}

/// Font outlines have y upwards, pictures downwards.
struct Pen(PathBuilder);

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, -y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, -y);
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.0.quad_to(cx, -cy, x, -y);
    }

    fn curve_to(&mut self, ax: f32, ay: f32, bx: f32, by: f32, x: f32, y: f32) {
        self.0.cubic_to(ax, -ay, bx, -by, x, -y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}
