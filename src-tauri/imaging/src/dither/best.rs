use crate::dither::diffusion::{FloydSteinberg, diffuse};
use crate::dither::gamut::Targets;
use crate::{Ink, Share};

pub(super) fn best(targets: &Targets, diffusion: Share) -> Vec<Ink> {
    diffuse::<FloydSteinberg>(targets, diffusion)
}
