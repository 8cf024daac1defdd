//! Weather as drawn by hand: few strokes, thick enough for two metres.

use resvg::tiny_skia::PathBuilder;

use super::page::Page;
use crate::Ink;
use crate::canvas::Area;

/// What the sky does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sky {
    Clear,
    PartlyCloudy,
    Cloudy,
    Rain,
    Thunderstorm,
    Snow,
    Fog,
    Wind,
    ClearNight,
}

impl Sky {
    const ALL: [Self; 9] = [
        Self::Clear,
        Self::PartlyCloudy,
        Self::Cloudy,
        Self::Rain,
        Self::Thunderstorm,
        Self::Snow,
        Self::Fog,
        Self::Wind,
        Self::ClearNight,
    ];

    /// The words of a choice, in the order of [`Sky::of`].
    pub(super) const WORDS: [&'static str; 9] = [
        "clear",
        "partly-cloudy",
        "cloudy",
        "rain",
        "thunderstorm",
        "snow",
        "fog",
        "wind",
        "clear-night",
    ];

    pub(super) fn of(place: usize) -> Self {
        Self::ALL.get(place).copied().unwrap_or(Self::Clear)
    }

    /// Draws it into a square.
    pub(super) fn draw(self, page: &mut Page<'_>, square: Area) {
        let mut pen = Pen {
            page,
            x: square.x as f32,
            y: square.y as f32,
            unit: square.width as f32 / 100.0,
        };
        match self {
            Self::Clear => pen.sun(50.0, 50.0, 22.0, 0..8),
            Self::PartlyCloudy => {
                // The cloud hides the other rays.
                pen.sun(64.0, 36.0, 18.0, 5..10);
                pen.cloud(42.0, 62.0, 1.0);
            }
            Self::Cloudy => {
                pen.cloud(62.0, 42.0, 0.8);
                pen.cloud(44.0, 60.0, 1.05);
            }
            Self::Rain => {
                pen.cloud(50.0, 42.0, 1.1);
                for x in [30.0, 50.0, 70.0] {
                    pen.stroke(&[(x, 72.0), (x - 8.0, 92.0)], 5.0, Ink::Black);
                }
            }
            Self::Thunderstorm => {
                pen.cloud(50.0, 40.0, 1.1);
                let accent = pen.page.accent;
                let bolt = [
                    (54.0, 62.0),
                    (36.0, 84.0),
                    (48.0, 84.0),
                    (42.0, 100.0),
                    (64.0, 76.0),
                    (51.0, 76.0),
                    (60.0, 62.0),
                ];
                pen.polygon(&bolt, accent);
            }
            Self::Snow => {
                pen.cloud(50.0, 40.0, 1.1);
                for (x, y) in [(28.0, 76.0), (50.0, 88.0), (72.0, 76.0)] {
                    pen.flake(x, y, 8.0);
                }
            }
            Self::Fog => {
                pen.cloud(50.0, 38.0, 1.1);
                for (y, from, to) in [(72.0, 14.0, 76.0), (84.0, 26.0, 88.0), (96.0, 18.0, 70.0)] {
                    pen.stroke(&[(from, y), (to, y)], 5.0, Ink::Black);
                }
            }
            Self::Wind => pen.wind(),
            Self::ClearNight => pen.moon(),
        }
    }
}

/// Draws in hundredths of the square's side.
struct Pen<'p, 'a> {
    page: &'p mut Page<'a>,
    x: f32,
    y: f32,
    unit: f32,
}

impl Pen<'_, '_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + x * self.unit, self.y + y * self.unit)
    }

    fn width(&self, width: f32) -> f32 {
        // Thinner lines vanish at two metres.
        (width * self.unit).max(2.0)
    }

    fn disc(&mut self, x: f32, y: f32, radius: f32, ink: Ink) {
        let (x, y) = self.at(x, y);
        self.page.canvas.circle(x, y, radius * self.unit, ink);
    }

    fn path(&self, points: &[(f32, f32)]) -> PathBuilder {
        let mut path = PathBuilder::new();
        for (place, &(x, y)) in points.iter().enumerate() {
            let (x, y) = self.at(x, y);
            if place == 0 {
                path.move_to(x, y);
            } else {
                path.line_to(x, y);
            }
        }
        path
    }

    fn stroke(&mut self, points: &[(f32, f32)], width: f32, ink: Ink) {
        if let Some(path) = self.path(points).finish() {
            let width = self.width(width);
            self.page.canvas.line(&path, width, ink);
        }
    }

    fn polygon(&mut self, points: &[(f32, f32)], ink: Ink) {
        let mut path = self.path(points);
        path.close();
        if let Some(path) = path.finish() {
            self.page.canvas.shape(&path, ink);
        }
    }

    /// A sun with some of its eight rays, counted clockwise from the right.
    fn sun(&mut self, x: f32, y: f32, radius: f32, rays: std::ops::Range<u8>) {
        let accent = self.page.accent;
        for eighth in rays {
            let angle = f32::from(eighth) * std::f32::consts::FRAC_PI_4;
            let (sin, cos) = angle.sin_cos();
            let (from, to) = (radius * 1.42, radius * 1.95);
            let ray = [
                (x + from * cos, y + from * sin),
                (x + to * cos, y + to * sin),
            ];
            self.stroke(&ray, 5.5, accent);
        }
        self.disc(x, y, radius, accent);
    }

    /// A cloud with its middle at a place: a white body in a black line.
    fn cloud(&mut self, x: f32, y: f32, scale: f32) {
        let line = self.width(5.0) / self.unit;
        // What is behind stays away from the line.
        for (grow, ink) in [(line, Ink::White), (0.0, Ink::Black), (-line, Ink::White)] {
            for (dx, dy, radius) in [(-20.0, 4.0, 15.0), (0.0, -7.0, 20.0), (21.0, 3.0, 16.0)] {
                self.disc(x + dx * scale, y + dy * scale, radius * scale + grow, ink);
            }
            let half = |value: f32| value * scale;
            let base = [
                (x - half(20.0), y + half(2.0)),
                (x + half(21.0), y + half(2.0)),
                (x + half(21.0), y + half(19.0) + grow),
                (x - half(20.0), y + half(19.0) + grow),
            ];
            self.polygon(&base, ink);
        }
    }

    fn flake(&mut self, x: f32, y: f32, radius: f32) {
        for third in 0..3 {
            let angle = third as f32 * std::f32::consts::FRAC_PI_3 + std::f32::consts::FRAC_PI_6;
            let (sin, cos) = angle.sin_cos();
            let arm = [
                (x - radius * cos, y - radius * sin),
                (x + radius * cos, y + radius * sin),
            ];
            self.stroke(&arm, 4.0, Ink::Black);
        }
    }

    fn wind(&mut self) {
        for (y, to, curl) in [(38.0, 62.0, -1.0), (54.0, 78.0, -1.0), (70.0, 56.0, 1.0)] {
            let radius = if y == 54.0 { 14.0 } else { 10.0 };
            let mut path = PathBuilder::new();
            let (x0, y0) = self.at(12.0, y);
            path.move_to(x0, y0);
            let (x1, y1) = self.at(to, y);
            path.line_to(x1, y1);
            let k = 0.55 * radius;
            let mut curve = |ax: f32, ay: f32, bx: f32, by: f32, x: f32, y: f32| {
                let (ax, ay) = (self.x + ax * self.unit, self.y + ay * self.unit);
                let (bx, by) = (self.x + bx * self.unit, self.y + by * self.unit);
                let (x, y) = (self.x + x * self.unit, self.y + y * self.unit);
                path.cubic_to(ax, ay, bx, by, x, y);
            };
            let (r, c) = (radius, curl);
            curve(to + k, y, to + r, y + c * (r - k), to + r, y + c * r);
            curve(
                to + r,
                y + c * (r + k),
                to + k,
                y + c * 2.0 * r,
                to,
                y + c * 2.0 * r,
            );
            curve(
                to - k,
                y + c * 2.0 * r,
                to - r * 0.8,
                y + c * (r + k),
                to - r * 0.7,
                y + c * r * 1.2,
            );
            if let Some(path) = path.finish() {
                let width = self.width(5.5);
                self.page.canvas.line(&path, width, Ink::Black);
            }
        }
    }

    fn moon(&mut self) {
        self.disc(50.0, 50.0, 34.0, Ink::Black);
        self.disc(64.0, 40.0, 30.0, Ink::White);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sky_has_its_word() {
        assert_eq!(Sky::ALL.len(), Sky::WORDS.len());
        assert_eq!(Sky::of(4), Sky::Thunderstorm);
    }
}
