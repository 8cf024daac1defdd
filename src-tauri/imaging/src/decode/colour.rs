//! Colour profiles and printing colours to sRGB, a row at a time.

use std::sync::Arc;

use moxcms::{
    ColorProfile, DataColorSpace, ProfileText, Transform8BitExecutor, Transform16BitExecutor,
    TransformOptions,
};

use crate::Note;
use crate::adjust::shortened;
use crate::decode::reduce::{Channels, Depth, Layout};

/// Largest profile that is looked at, in bytes: printing profiles have 2 to 3 MB.
const MAX_PROFILE: usize = 8 << 20;
/// A profile that moves no colour by more than this many 8-bit steps is sRGB under another name.
const SRGB_TOLERANCE: u8 = 3;

/// How rows of a file become rows of sRGB.
pub(super) struct Conversion {
    pub(super) output: Layout,
    step: Step,
}

enum Step {
    Keep,
    Eight {
        transform: Arc<Transform8BitExecutor>,
        channels_in: usize,
        channels_out: usize,
    },
    Sixteen {
        transform: Arc<Transform16BitExecutor>,
        channels_in: usize,
        channels_out: usize,
    },
    Cmyk {
        stored: Cmyk,
        transform: Option<Arc<Transform8BitExecutor>>,
    },
}

/// How four-colour pixels are stored in a JPEG.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cmyk {
    /// 255 is full ink.
    Plain,
    /// 0 is full ink, as Adobe writes it.
    Inverted,
    /// Adobe's YCCK: the first three as YCbCr, all inverted.
    Ycck,
}

impl Conversion {
    /// For grey or RGB samples with an optional profile; also what there is to say about it.
    pub(super) fn new(input: Layout, profile: Option<&[u8]>) -> (Self, Option<Note>) {
        let keep = Self {
            output: input,
            step: Step::Keep,
        };
        let Some(bytes) = profile else {
            return (keep, None);
        };
        let Some(profile) = parse(bytes) else {
            return (keep, Some(Note::ProfileIgnored));
        };
        let grey = matches!(input.channels, Channels::Grey | Channels::GreyAlpha);
        let fits = match profile.color_space {
            DataColorSpace::Gray => grey,
            DataColorSpace::Rgb => !grey,
            _ => false,
        };
        if !fits {
            return (keep, Some(Note::ProfileIgnored));
        }
        if is_srgb(&profile, grey) {
            return (keep, None);
        }
        let (from, to, output) = match input.channels {
            Channels::Grey => (moxcms::Layout::Gray, moxcms::Layout::Rgb, Channels::Rgb),
            Channels::GreyAlpha => (
                moxcms::Layout::GrayAlpha,
                moxcms::Layout::Rgba,
                Channels::Rgba,
            ),
            Channels::Rgb => (moxcms::Layout::Rgb, moxcms::Layout::Rgb, Channels::Rgb),
            Channels::Rgba => (moxcms::Layout::Rgba, moxcms::Layout::Rgba, Channels::Rgba),
        };
        let (channels_in, channels_out) = (count(input.channels), count(output));
        let srgb = ColorProfile::new_srgb();
        let options = TransformOptions::default();
        let step = match input.depth {
            Depth::Eight => {
                profile
                    .create_transform_8bit(from, &srgb, to, options)
                    .map(|transform| Step::Eight {
                        transform,
                        channels_in,
                        channels_out,
                    })
            }
            Depth::Sixteen => profile
                .create_transform_16bit(from, &srgb, to, options)
                .map(|transform| Step::Sixteen {
                    transform,
                    channels_in,
                    channels_out,
                }),
        };
        match step {
            Ok(step) => {
                let note = Note::ProfileConverted {
                    profile: name(&profile),
                };
                (
                    Self {
                        output: Layout {
                            channels: output,
                            ..input
                        },
                        step,
                    },
                    Some(note),
                )
            }
            Err(_) => (keep, Some(Note::ProfileIgnored)),
        }
    }

    /// For 8-bit CMYK.
    pub(super) fn cmyk(stored: Cmyk, profile: Option<&[u8]>) -> (Self, Option<Note>) {
        let output = Layout {
            channels: Channels::Rgb,
            depth: Depth::Eight,
        };
        let profile = profile.map(|bytes| {
            parse(bytes)
                .filter(|profile| profile.color_space == DataColorSpace::Cmyk)
                .and_then(|profile| {
                    let srgb = ColorProfile::new_srgb();
                    let layouts = (moxcms::Layout::Rgba, moxcms::Layout::Rgb);
                    let transform = profile
                        .create_transform_8bit(
                            layouts.0,
                            &srgb,
                            layouts.1,
                            TransformOptions::default(),
                        )
                        .ok()?;
                    Some((transform, name(&profile)))
                })
        });
        let (transform, note) = match profile {
            None => (None, None),
            Some(None) => (None, Some(Note::ProfileIgnored)),
            Some(Some((transform, profile))) => {
                (Some(transform), Some(Note::ProfileConverted { profile }))
            }
        };
        (
            Self {
                output,
                step: Step::Cmyk { stored, transform },
            },
            note,
        )
    }

    /// One row; `scratch` is only there to be used again.
    pub(super) fn convert<'a>(&self, row: &'a [u8], scratch: &'a mut Vec<u8>) -> &'a [u8] {
        match &self.step {
            Step::Keep => return row,
            Step::Eight {
                transform,
                channels_in,
                channels_out,
            } => {
                scratch.resize(row.len() / channels_in * channels_out, 0);
                // Fails only on lengths that do not match, and these do.
                let _ = transform.transform(row, scratch);
            }
            Step::Sixteen {
                transform,
                channels_in,
                channels_out,
            } => {
                let wide: Vec<u16> = row
                    .chunks_exact(2)
                    .map(|pair| u16::from_ne_bytes([pair[0], pair[1]]))
                    .collect();
                let mut converted = vec![0_u16; wide.len() / channels_in * channels_out];
                let _ = transform.transform(&wide, &mut converted);
                scratch.clear();
                scratch.extend(converted.iter().flat_map(|value| value.to_ne_bytes()));
            }
            Step::Cmyk { stored, transform } => {
                let inks = row
                    .chunks_exact(4)
                    .map(|pixel| stored.inks([pixel[0], pixel[1], pixel[2], pixel[3]]));
                match transform {
                    Some(transform) => {
                        let inks: Vec<u8> = inks.flatten().collect();
                        scratch.resize(inks.len() / 4 * 3, 0);
                        let _ = transform.transform(&inks, scratch);
                    }
                    None => {
                        scratch.clear();
                        scratch.extend(inks.flat_map(|[c, m, y, k]| {
                            let light = |ink: u8| {
                                ((255 - u16::from(ink)) * (255 - u16::from(k)) + 127) / 255
                            };
                            [light(c) as u8, light(m) as u8, light(y) as u8]
                        }));
                    }
                }
            }
        }
        scratch
    }
}

impl Cmyk {
    /// Cyan, magenta, yellow and black, 255 full ink.
    fn inks(self, [a, b, c, d]: [u8; 4]) -> [u8; 4] {
        match self {
            Self::Plain => [a, b, c, d],
            Self::Inverted => [255 - a, 255 - b, 255 - c, 255 - d],
            // ITU-T T.871 (JFIF) YCbCr; Adobe takes the RGB it yields for the complement of the
            // inverted, that is for the true, inks.
            Self::Ycck => {
                let (y, cb, cr) = (f32::from(a), f32::from(b) - 128.0, f32::from(c) - 128.0);
                let byte = |value: f32| value.round().clamp(0.0, 255.0) as u8;
                [
                    byte(y + 1.402 * cr),
                    byte(y - 0.344_136 * cb - 0.714_136 * cr),
                    byte(y + 1.772 * cb),
                    255 - d,
                ]
            }
        }
    }
}

const fn count(channels: Channels) -> usize {
    match channels {
        Channels::Grey => 1,
        Channels::GreyAlpha => 2,
        Channels::Rgb => 3,
        Channels::Rgba => 4,
    }
}

fn parse(bytes: &[u8]) -> Option<ColorProfile> {
    if bytes.len() > MAX_PROFILE {
        None
    } else {
        ColorProfile::new_from_slice(bytes).ok()
    }
}

fn name(profile: &ColorProfile) -> String {
    let text = match &profile.description {
        Some(ProfileText::PlainString(text)) => text.as_str(),
        Some(ProfileText::Localizable(texts)) => {
            texts.first().map_or("", |text| text.value.as_str())
        }
        Some(ProfileText::Description(text)) => text.ascii_string.as_str(),
        None => "",
    };
    let text: String = text.chars().filter(|c| !c.is_control()).collect();
    let text = text.trim();
    if text.is_empty() {
        "a colour profile without a name".into()
    } else {
        shortened(text)
    }
}

/// Compares a lattice of colours instead of tags: profiles that mean sRGB are written in many ways.
fn is_srgb(profile: &ColorProfile, grey: bool) -> bool {
    const STEPS: [u8; 6] = [0, 51, 102, 153, 204, 255];
    let srgb = ColorProfile::new_srgb();
    let (layout, lattice): (_, Vec<u8>) = if grey {
        (moxcms::Layout::Gray, STEPS.to_vec())
    } else {
        let colours = STEPS
            .iter()
            .flat_map(|&r| STEPS.iter().flat_map(move |&g| STEPS.map(|b| [r, g, b])));
        (moxcms::Layout::Rgb, colours.flatten().collect())
    };
    let Ok(transform) = profile.create_transform_8bit(
        layout,
        &srgb,
        moxcms::Layout::Rgb,
        TransformOptions::default(),
    ) else {
        return false;
    };
    let expected: Vec<u8> = if grey {
        lattice.iter().flat_map(|&value| [value; 3]).collect()
    } else {
        lattice.clone()
    };
    let mut converted = vec![0; expected.len()];
    transform.transform(&lattice, &mut converted).is_ok()
        && converted
            .iter()
            .zip(&expected)
            .all(|(a, b)| a.abs_diff(*b) <= SRGB_TOLERANCE)
}
