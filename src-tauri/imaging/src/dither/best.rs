//! Direct binary search (Analoui and Allebach 1992) for three inks.
//!
//! It starts from Floyd-Steinberg's dots and then, pixel by pixel, lets neighbours trade places
//! whenever the eye would see less of a difference. Each trade lowers the same measure, so the
//! result is never worse than its start under it; and since dots only move, tones stay as they
//! were. (Letting pixels change their ink as well drives lone dots out of light and dark areas.)
//! The eye is modelled after S-CIELAB's filters (Zhang and Wandell 1997), on the linear lightness
//! and the red share that all methods work on.
//!
//! The search keeps, for each channel, the error convolved with the filter's autocorrelation.
//! What a trade would gain is then a look-up; only accepted ones touch their surroundings.

use crate::dither::diffusion::{FloydSteinberg, diffuse};
use crate::dither::gamut::{ONE, Targets};
use crate::dither::ordered::towards_nearest;
use crate::{Ink, Palette, Share};

/// Reach of the autocorrelation in pixels: what lies beyond weighs less than a hundredth.
const REACH: usize = 7;
const SIDE: usize = 2 * REACH + 1;
/// Passes at most; most pictures are done after five.
const MAX_PASSES: usize = 8;
/// Share of the pixels whose change in a pass makes another pass worth it.
const WORTH_A_PASS: f32 = 0.002;
/// Smallest gain that counts, so that rounding cannot make the search go in circles.
const MIN_GAIN: f32 = 1e-4;

/// Gaussians of a filter: standard deviation in pixels and weight. A 4.2 inch panel at 40 cm has
/// 33 pixels a degree.
const LIGHT_FILTER: [(f32, f32); 2] = [(0.70, 0.75), (3.15, 0.25)];
const RED_FILTER: [(f32, f32); 2] = [(0.96, 0.62), (3.5, 0.38)];
/// How much a difference in red share counts beside one in lightness. The eye sees hardly any
/// detail in colour alone: less than this leaves the red dots where they fell, more lets them
/// disturb the lightness.
const RED_WEIGHT: f32 = 0.1;

pub(super) fn best(targets: &Targets, diffusion: Share) -> Vec<Ink> {
    let targets = towards_nearest(targets, diffusion);
    let start = diffuse::<FloydSteinberg>(&targets, Share::FULL);
    let mut search = Search::new(&targets, start);
    for _ in 0..MAX_PASSES {
        let changed = search.pass();
        if (changed as f32) < WORTH_A_PASS * search.inks.len() as f32 {
            break;
        }
    }
    search.inks
}

struct Search<'a> {
    targets: &'a Targets,
    width: usize,
    height: usize,
    inks: Vec<Ink>,
    light: Channel,
    red: Channel,
}

/// The autocorrelation of a filter and the error convolved with it, with [`REACH`] beyond all
/// borders.
struct Channel {
    correlation: [[f32; SIDE]; SIDE],
    seen: Vec<f32>,
    stride: usize,
}

/// Lightness and red share, full scale 1.
fn of(ink: Ink) -> (f32, f32) {
    let (luma, red) = Targets::of(ink);
    (luma as f32 / ONE as f32, red as f32 / ONE as f32)
}

impl<'a> Search<'a> {
    fn new(targets: &'a Targets, inks: Vec<Ink>) -> Self {
        let width = targets.width();
        let height = usize::from(targets.panel.height);
        let mut light = Channel::new(&LIGHT_FILTER, 1.0, width, height);
        let mut red = Channel::new(&RED_FILTER, RED_WEIGHT, width, height);
        for (at, ((&ink, &luma), &share)) in
            inks.iter().zip(&targets.luma).zip(&targets.red).enumerate()
        {
            let (x, y) = (at % width, at / width);
            let (shown_light, shown_red) = of(ink);
            light.add(x, y, shown_light - luma as f32 / ONE as f32);
            if targets.palette == Palette::BlackWhiteRed {
                red.add(x, y, shown_red - share as f32 / ONE as f32);
            }
        }
        Self {
            targets,
            width,
            height,
            inks,
            light,
            red,
        }
    }

    /// Goes over all pixels once; how many changes were made.
    fn pass(&mut self) -> usize {
        let mut changes = 0;
        for y in 0..self.height {
            for x in 0..self.width {
                let at = y * self.width + x;
                if self.targets.free[at] != 0 && self.improve(x, y, at) {
                    changes += 1;
                }
            }
        }
        changes
    }

    fn improve(&mut self, x: usize, y: usize, at: usize) -> bool {
        let ink = self.inks[at];
        let mut best = None;
        let mut best_cost = -MIN_GAIN;
        // The neighbours not yet visited; the others have tried this pair from their side.
        let after = [
            (x + 1, y),
            (x.wrapping_sub(1), y + 1),
            (x, y + 1),
            (x + 1, y + 1),
        ];
        for (nx, ny) in after {
            if nx >= self.width || ny >= self.height {
                continue;
            }
            let there = ny * self.width + nx;
            let other = self.inks[there];
            let may_trade =
                self.targets.free[there] != 0 && self.allows(at, other) && self.allows(there, ink);
            if other == ink || !may_trade {
                continue;
            }
            let (light, red) = difference(ink, other);
            let cost = self.light.trade_cost((x, y), (nx, ny), light)
                + self.red.trade_cost((x, y), (nx, ny), red);
            if cost < best_cost {
                best_cost = cost;
                best = Some((nx, ny, other));
            }
        }
        let Some((nx, ny, other)) = best else {
            return false;
        };
        self.set(x, y, other);
        self.set(nx, ny, ink);
        true
    }

    /// A neutral pixel takes no red.
    fn allows(&self, at: usize, ink: Ink) -> bool {
        ink != Ink::Red || self.targets.red[at] > 0
    }

    fn set(&mut self, x: usize, y: usize, ink: Ink) {
        let at = y * self.width + x;
        let (light, red) = difference(self.inks[at], ink);
        self.inks[at] = ink;
        self.light.add(x, y, light);
        if red != 0.0 {
            self.red.add(x, y, red);
        }
    }
}

fn difference(from: Ink, to: Ink) -> (f32, f32) {
    let ((light, red), (other_light, other_red)) = (of(from), of(to));
    (other_light - light, other_red - red)
}

impl Channel {
    fn new(filter: &[(f32, f32)], weight: f32, width: usize, height: usize) -> Self {
        // The correlation of two Gaussians is one whose variance is the sum of theirs.
        let gaussian = |variance: f32, squared: f32| {
            (-squared / (2.0 * variance)).exp() / (2.0 * std::f32::consts::PI * variance)
        };
        let correlation = std::array::from_fn(|row| {
            std::array::from_fn(|column| {
                let (dx, dy) = (column as f32 - REACH as f32, row as f32 - REACH as f32);
                let squared = dx * dx + dy * dy;
                let pairs = filter
                    .iter()
                    .flat_map(|a| filter.iter().map(move |b| (a, b)));
                weight
                    * pairs
                        .map(|(a, b)| a.1 * b.1 * gaussian(a.0 * a.0 + b.0 * b.0, squared))
                        .sum::<f32>()
            })
        });
        let stride = width + 2 * REACH;
        Self {
            correlation,
            seen: vec![0.0; stride * (height + 2 * REACH)],
            stride,
        }
    }

    /// Adds to the error at a pixel.
    fn add(&mut self, x: usize, y: usize, error: f32) {
        for (row, weights) in self.correlation.iter().enumerate() {
            let start = (y + row) * self.stride + x;
            if let Some(seen) = self.seen.get_mut(start..start + SIDE) {
                for (seen, weight) in seen.iter_mut().zip(weights) {
                    *seen += error * weight;
                }
            }
        }
    }

    fn seen(&self, x: usize, y: usize) -> f32 {
        self.seen[(y + REACH) * self.stride + x + REACH]
    }

    /// What the squared difference changes by when a pixel changes by `step` and a near one by as
    /// much the other way.
    fn trade_cost(&self, here: (usize, usize), there: (usize, usize), step: f32) -> f32 {
        let correlation = self.correlation[REACH + there.1 - here.1][REACH + there.0 - here.0];
        let alone = self.correlation[REACH][REACH];
        2.0 * step
            * (step * (alone - correlation) + self.seen(here.0, here.1)
                - self.seen(there.0, there.1))
    }
}
