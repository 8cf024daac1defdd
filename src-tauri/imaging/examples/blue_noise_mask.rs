//! Makes the blue-noise mask of the ordered method: void and cluster (Ulichney 1993) on a torus.
//!
//! usage: blue_noise_mask FILE, which gets 64 x 64 ranks of 16 bits, low byte first

const SIDE: usize = 64;
const CELLS: usize = SIDE * SIDE;
/// Width of the Gaussian that measures crowding, as Ulichney recommends.
const SIGMA: f64 = 1.5;

struct Pattern {
    dots: Vec<bool>,
    crowding: Vec<f64>,
    kernel: Vec<f64>,
}

impl Pattern {
    fn new() -> Self {
        let wrapped = |d: usize| d.min(SIDE - d) as f64;
        let kernel = (0..CELLS)
            .map(|at| {
                (-(wrapped(at % SIDE).powi(2) + wrapped(at / SIDE).powi(2)) / (2.0 * SIGMA * SIGMA))
                    .exp()
            })
            .collect();
        Self {
            dots: vec![false; CELLS],
            crowding: vec![0.0; CELLS],
            kernel,
        }
    }

    fn flip(&mut self, at: usize) {
        self.dots[at] = !self.dots[at];
        let sign = if self.dots[at] { 1.0 } else { -1.0 };
        let (x0, y0) = (at % SIDE, at / SIDE);
        for (cell, crowding) in self.crowding.iter_mut().enumerate() {
            let (dx, dy) = (
                (cell % SIDE + SIDE - x0) % SIDE,
                (cell / SIDE + SIDE - y0) % SIDE,
            );
            *crowding += sign * self.kernel[dy * SIDE + dx];
        }
    }

    fn tightest_cluster(&self) -> usize {
        (0..CELLS)
            .filter(|&at| self.dots[at])
            .max_by(|&a, &b| self.crowding[a].total_cmp(&self.crowding[b]))
            .unwrap_or(0)
    }

    fn largest_void(&self) -> usize {
        (0..CELLS)
            .filter(|&at| !self.dots[at])
            .min_by(|&a, &b| self.crowding[a].total_cmp(&self.crowding[b]))
            .unwrap_or(0)
    }
}

fn ranks() -> Vec<u16> {
    let mut pattern = Pattern::new();
    // A tenth of the cells by a fixed sequence, then spread until nothing moves any more.
    let mut state = 1_u32;
    let mut count = 0;
    while count < CELLS / 10 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let at = (state >> 16) as usize % CELLS;
        if !pattern.dots[at] {
            pattern.flip(at);
            count += 1;
        }
    }
    loop {
        let cluster = pattern.tightest_cluster();
        pattern.flip(cluster);
        let void = pattern.largest_void();
        pattern.flip(void);
        if void == cluster {
            break;
        }
    }
    let mut ranks = vec![0_u16; CELLS];
    let start = pattern.dots.clone();
    for rank in (0..count).rev() {
        let cluster = pattern.tightest_cluster();
        pattern.flip(cluster);
        ranks[cluster] = rank as u16;
    }
    for at in (0..CELLS).filter(|&at| start[at]) {
        pattern.flip(at);
    }
    for rank in count..CELLS {
        let void = pattern.largest_void();
        pattern.flip(void);
        ranks[void] = rank as u16;
    }
    ranks
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let file = std::env::args()
        .nth(1)
        .ok_or("usage: blue_noise_mask FILE")?;
    let bytes: Vec<u8> = ranks().iter().flat_map(|rank| rank.to_le_bytes()).collect();
    std::fs::write(file, bytes)?;
    Ok(())
}
