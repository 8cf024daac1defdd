//! From a frame of linear light to one ink a pixel.
//!
//! Every method works on the same [`Targets`]: how light each pixel is to look and how much red is
//! to be in it, both in linear light, where dots of ink average.

mod algorithm;
mod best;
mod diffusion;
mod gamut;
mod ordered;
mod threshold;

pub use algorithm::{Algorithm, Kind, Palette};
pub(crate) use gamut::Targets;

use crate::{Ink, InkMap, Share};

/// Dithers; `diffusion` scales what a method does beyond taking the nearest ink.
pub(crate) fn dither(targets: &Targets, algorithm: Algorithm, diffusion: Share) -> InkMap {
    let inks = match algorithm {
        Algorithm::None => threshold::nearest(targets),
        Algorithm::Bayer => ordered::bayer(targets, diffusion),
        Algorithm::BlueNoise => ordered::blue_noise(targets, diffusion),
        Algorithm::Best => best::best(targets, diffusion),
        Algorithm::FloydSteinberg => {
            diffusion::diffuse::<diffusion::FloydSteinberg>(targets, diffusion)
        }
        Algorithm::Atkinson => diffusion::diffuse::<diffusion::Atkinson>(targets, diffusion),
        Algorithm::Jarvis => diffusion::diffuse::<diffusion::Jarvis>(targets, diffusion),
        Algorithm::Stucki => diffusion::diffuse::<diffusion::Stucki>(targets, diffusion),
        Algorithm::Burkes => diffusion::diffuse::<diffusion::Burkes>(targets, diffusion),
        Algorithm::Sierra => diffusion::diffuse::<diffusion::Sierra>(targets, diffusion),
        Algorithm::SierraLite => diffusion::diffuse::<diffusion::SierraLite>(targets, diffusion),
    };
    // Every method answers one ink a pixel; a blank panel is only what the types cannot rule out.
    InkMap::new(targets.panel, inks).unwrap_or_else(|| InkMap::filled(targets.panel, Ink::White))
}
