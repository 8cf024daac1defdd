use resvg::tiny_skia::{FillRule, Mask, Path, PathBuilder, Rect as SkiaRect, Stroke, Transform};

use crate::text::Block;
use crate::{Ink, InkMap, Panel};

/// Coverage (of 255) from which a pixel of a shape is ink.
const INK_COVERAGE: u8 = 128;

/// A rectangle of pixels: its top left, and its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: i32,
    pub(crate) height: i32,
}

impl Area {
    pub(crate) const fn new(x: i32, y: i32, width: i32, height: i32) -> Self {
        Self {
            x,
            y,
            width,
            height,
        }
    }

    pub(crate) const fn right(self) -> i32 {
        self.x + self.width
    }

    pub(crate) const fn bottom(self) -> i32 {
        self.y + self.height
    }

    pub(crate) const fn size(self) -> (i32, i32) {
        (self.width, self.height)
    }
}

/// A panel to draw on with whole pixels of ink. What falls beside it is cut off.
pub(crate) struct Canvas {
    map: InkMap,
}

impl Canvas {
    pub(crate) fn new(panel: Panel, paper: Ink) -> Self {
        Self {
            map: InkMap::filled(panel, paper),
        }
    }

    pub(crate) fn into_map(self) -> InkMap {
        self.map
    }

    pub(crate) fn width(&self) -> i32 {
        i32::from(self.map.panel().width)
    }

    pub(crate) fn height(&self) -> i32 {
        i32::from(self.map.panel().height)
    }

    fn dot(&mut self, x: i32, y: i32, ink: Ink) {
        let (width, height) = (self.width(), self.height());
        if (0..width).contains(&x)
            && (0..height).contains(&y)
            && let Some(dot) = self.map.inks_mut().get_mut((y * width + x) as usize)
        {
            *dot = ink;
        }
    }

    /// Fills a rectangle.
    pub(crate) fn fill(&mut self, area: Area, ink: Ink) {
        for y in area.y.max(0)..area.bottom().min(self.height()) {
            for x in area.x.max(0)..area.right().min(self.width()) {
                self.dot(x, y, ink);
            }
        }
    }

    /// Draws a text with the top left of its area at a place.
    pub(crate) fn text(&mut self, block: &Block, x: i32, y: i32, ink: Ink) {
        for placed in block.glyphs() {
            let bitmap = &placed.bitmap;
            let (left, top) = (x + placed.x, y + placed.y + bitmap.top);
            for (place, _) in bitmap.bits.iter().enumerate().filter(|(_, set)| **set) {
                let (row, column) = (place / bitmap.width, place % bitmap.width);
                self.dot(left + column as i32, top + row as i32, ink);
            }
        }
    }

    /// Draws a text with its ink in the middle of an area's height, from the area's left.
    pub(crate) fn text_in(&mut self, block: &Block, area: Area, ink: Ink) {
        let (top, bottom) = block.ink_rows().unwrap_or((0, block.height()));
        let y = area.y + (area.height - (bottom - top)) / 2 - top;
        self.text(block, area.x, y, ink);
    }

    /// Fills a shape.
    pub(crate) fn shape(&mut self, path: &Path, ink: Ink) {
        self.masked(ink, |mask| {
            mask.fill_path(path, FillRule::Winding, true, Transform::identity());
        });
    }

    /// Draws a line of some width along a path, its ends and corners round.
    pub(crate) fn line(&mut self, path: &Path, width: f32, ink: Ink) {
        let stroke = Stroke {
            width,
            line_cap: resvg::tiny_skia::LineCap::Round,
            line_join: resvg::tiny_skia::LineJoin::Round,
            ..Stroke::default()
        };
        if let Some(outline) = path.stroke(&stroke, 1.0) {
            self.shape(&outline, ink);
        }
    }

    pub(crate) fn circle(&mut self, x: f32, y: f32, radius: f32, ink: Ink) {
        if let Some(path) = PathBuilder::from_circle(x, y, radius) {
            self.shape(&path, ink);
        }
    }

    /// Fills a rectangle with round corners.
    pub(crate) fn rounded(&mut self, area: Area, radius: f32, ink: Ink) {
        let [x, y, width, height] =
            [area.x, area.y, area.width, area.height].map(|value| value as f32);
        let Some(rect) = SkiaRect::from_xywh(x, y, width, height) else {
            return;
        };
        let (right, bottom) = (rect.right(), rect.bottom());
        let mut path = PathBuilder::new();
        path.move_to(x + radius, y);
        path.line_to(right - radius, y);
        path.quad_to(right, y, right, y + radius);
        path.line_to(right, bottom - radius);
        path.quad_to(right, bottom, right - radius, bottom);
        path.line_to(x + radius, bottom);
        path.quad_to(x, bottom, x, bottom - radius);
        path.line_to(x, y + radius);
        path.quad_to(x, y, x + radius, y);
        path.close();
        if let Some(path) = path.finish() {
            self.shape(&path, ink);
        }
    }

    fn masked(&mut self, ink: Ink, draw: impl FnOnce(&mut Mask)) {
        let panel = self.map.panel();
        let Some(mut mask) = Mask::new(u32::from(panel.width), u32::from(panel.height)) else {
            return;
        };
        draw(&mut mask);
        for (dot, &coverage) in self.map.inks_mut().iter_mut().zip(mask.data()) {
            if coverage >= INK_COVERAGE {
                *dot = ink;
            }
        }
    }
}
