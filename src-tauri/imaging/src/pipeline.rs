use crate::dither::{Targets, dither};
use crate::fit::{FitKey, Fitted, fit};
use crate::frame::Frame;
use crate::light::BYTE_OF_LINEAR;
use crate::tone::adjust;
use crate::{
    Adjust, Algorithm, ImagingError, InkMap, Note, Options, Palette, Panel, Picture, Planes, Share,
};

/// One picture and what was made of it so far.
///
/// Each stage keeps its last result with the options that led to it; asking again with other
/// options redoes the first stage they touch and what follows it.
pub struct Pipeline {
    picture: Picture,
    fitted: Option<(FitKey, Fitted)>,
    projected: Option<(ToneKey, Targets)>,
    dithered: Option<(DitherKey, Planes)>,
}

/// A picture as planes, and what was done to it.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// What the panel gets.
    pub planes: Planes,
    /// What was done, in the order it was.
    pub notes: Vec<Note>,
}

/// 8-bit sRGB pixels, 3 bytes each, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rgb8 {
    /// Pixels in a row.
    pub width: u16,
    /// Rows.
    pub height: u16,
    /// Red, green, blue, `width * height` times.
    pub bytes: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq)]
struct ToneKey {
    fit: FitKey,
    /// The options of other stages put to their defaults.
    tone: Adjust,
    palette: Palette,
}

#[derive(Clone, Copy, PartialEq)]
struct DitherKey {
    tone: ToneKey,
    algorithm: Algorithm,
    diffusion: Share,
}

impl FitKey {
    const fn of(options: &Options, panel: Panel) -> Self {
        let Adjust {
            fit,
            background,
            rotate,
            ..
        } = options.adjust;
        Self {
            panel,
            fit,
            background,
            rotate,
        }
    }
}

impl ToneKey {
    fn of(options: &Options, panel: Panel) -> Self {
        let Adjust {
            brightness,
            contrast,
            saturation,
            gamma,
            sharpen,
            ..
        } = options.adjust;
        let tone = Adjust {
            brightness,
            contrast,
            saturation,
            gamma,
            sharpen,
            ..Adjust::default()
        };
        Self {
            fit: FitKey::of(options, panel),
            tone,
            palette: options.palette,
        }
    }
}

impl Pipeline {
    /// A pipeline for one picture; nothing is computed yet.
    #[must_use]
    pub const fn new(picture: Picture) -> Self {
        Self {
            picture,
            fitted: None,
            projected: None,
            dithered: None,
        }
    }

    /// The picture.
    #[must_use]
    pub const fn picture(&self) -> &Picture {
        &self.picture
    }

    /// The planes for the panel that the options name.
    ///
    /// # Errors
    /// As [`render_for`](Self::render_for).
    pub fn render(&mut self, options: &Options) -> Result<Rendered, ImagingError> {
        self.render_for(options, options.panel())
    }

    /// The planes for any panel.
    ///
    /// # Errors
    /// [`ImagingError::NoPixels`] for a panel without pixels.
    pub fn render_for(
        &mut self,
        options: &Options,
        panel: Panel,
    ) -> Result<Rendered, ImagingError> {
        if panel.pixels() == 0 {
            return Err(ImagingError::NoPixels);
        }
        let key = DitherKey {
            tone: ToneKey::of(options, panel),
            algorithm: options.algorithm,
            diffusion: options.adjust.diffusion,
        };
        let planes = match self.dithered.take().filter(|(known, _)| *known == key) {
            Some((_, planes)) => planes,
            None => Planes::pack(&dither(
                self.targets(options, panel),
                key.algorithm,
                key.diffusion,
            )),
        };
        self.dithered = Some((key, planes.clone()));
        let notes = self.notes(options, panel);
        Ok(Rendered { planes, notes })
    }

    /// The fitted picture before any tone option or dithering, to compare with.
    ///
    /// # Errors
    /// [`ImagingError::NoPixels`] for a panel without pixels.
    pub fn original(&mut self, options: &Options) -> Result<Rgb8, ImagingError> {
        let panel = options.panel();
        if panel.pixels() == 0 {
            return Err(ImagingError::NoPixels);
        }
        let frame = &self.fitted(options, panel).frame;
        let table = &**BYTE_OF_LINEAR;
        let channels = frame.red.iter().zip(&frame.green).zip(&frame.blue);
        let bytes = channels
            .flat_map(|((&r, &g), &b)| [r, g, b].map(|value| table[usize::from(value)]))
            .collect();
        Ok(Rgb8 {
            width: panel.width,
            height: panel.height,
            bytes,
        })
    }

    /// The picture in every method, at a size of its own.
    ///
    /// The cached stages of the full picture are left alone.
    #[must_use]
    pub fn thumbnails(
        &mut self,
        options: &Options,
        width: u16,
        height: u16,
    ) -> Vec<(Algorithm, InkMap)> {
        let panel = Panel { width, height };
        let mut frame = fit(&self.picture.raster, FitKey::of(options, panel)).frame;
        let targets = project(&mut frame, ToneKey::of(options, panel));
        let diffusion = options.adjust.diffusion;
        Algorithm::ALL
            .map(|algorithm| (algorithm, dither(&targets, algorithm, diffusion)))
            .into()
    }

    fn fitted(&mut self, options: &Options, panel: Panel) -> &Fitted {
        let key = FitKey::of(options, panel);
        let fitted = match self.fitted.take().filter(|(known, _)| *known == key) {
            Some(known) => known,
            None => (key, fit(&self.picture.raster, key)),
        };
        &self.fitted.insert(fitted).1
    }

    fn targets(&mut self, options: &Options, panel: Panel) -> &Targets {
        let key = ToneKey::of(options, panel);
        let projected = match self.projected.take().filter(|(known, _)| *known == key) {
            Some(known) => known,
            None => {
                let mut frame = self.fitted(options, panel).frame.clone();
                (key, project(&mut frame, key))
            }
        };
        &self.projected.insert(projected).1
    }

    fn notes(&mut self, options: &Options, panel: Panel) -> Vec<Note> {
        let enlarged = self.fitted(options, panel).enlarged;
        let mut notes = self.picture.notes.clone();
        if self.picture.is_transparent() {
            notes.push(Note::TransparencyFlattened {
                background: options.adjust.background,
            });
        }
        if enlarged {
            let (width, height) = self.picture.dimensions();
            notes.push(Note::Enlarged { width, height });
        }
        notes
    }
}

fn project(frame: &mut Frame, key: ToneKey) -> Targets {
    adjust(frame, &key.tone);
    Targets::project(frame, key.palette)
}
