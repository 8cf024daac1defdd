//! What a clock certainly holds of the picture that was sent to it last, so that it need not be
//! sent again.

use std::collections::BTreeMap;

use crate::dialect::{Dialect, MemoryEffect, Role, Script, Write};

/// The planes of a picture by their marks, as the bytes of its packets laid end to end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Planes(BTreeMap<u8, Vec<u8>>);

impl Planes {
    /// Those that the packets of a whole picture make; none when the dialect does not say where
    /// each of them goes, or when they leave holes.
    pub(super) fn of(script: &Script, dialect: &dyn Dialect) -> Option<Self> {
        let mut planes: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
        let packets = script
            .writes()
            .filter(|write| matches!(write.role, Role::Data { .. }));
        for write in packets {
            let (plane, offset, data) = place(write, dialect)?;
            let bytes = planes.entry(plane).or_default();
            if bytes.len() != offset {
                return None;
            }
            bytes.extend_from_slice(data);
        }
        (!planes.is_empty()).then_some(Self(planes))
    }

    /// Whether a packet would change nothing.
    pub(super) fn hold(&self, write: &Write, dialect: &dyn Dialect) -> bool {
        place(write, dialect).is_some_and(|(plane, offset, data)| {
            self.0
                .get(&plane)
                .and_then(|bytes| bytes.get(offset..offset + data.len()))
                .is_some_and(|held| held == data)
        })
    }
}

fn place<'a>(write: &'a Write, dialect: &dyn Dialect) -> Option<(u8, usize, &'a [u8])> {
    match dialect.memory_effect(write) {
        MemoryEffect::Stores {
            plane,
            offset,
            header,
        } => Some((plane, offset, write.bytes.get(header..)?)),
        MemoryEffect::Keeps | MemoryEffect::Protects | MemoryEffect::Unknown => None,
    }
}

/// What is known of a clock's picture memory on the present link.
#[derive(Debug, Default)]
pub(super) struct PictureMemory {
    /// The clock draws nothing of its own into it.
    protected: bool,
    planes: Option<Planes>,
}

impl PictureMemory {
    /// A write is about to go, and may have its effect from now on.
    pub(super) fn before(&mut self, effect: MemoryEffect) {
        match effect {
            MemoryEffect::Keeps | MemoryEffect::Protects => {}
            MemoryEffect::Stores { .. } => self.planes = None,
            MemoryEffect::Unknown => *self = Self::default(),
        }
    }

    /// A write was acknowledged.
    pub(super) fn after(&mut self, effect: MemoryEffect) {
        self.protected |= effect == MemoryEffect::Protects;
    }

    /// What is held, for the sending of a picture. From then on nothing is known until it is
    /// there whole.
    pub(super) fn take(&mut self) -> Option<Planes> {
        self.planes.take()
    }

    /// A whole picture is there. That is worth something only if nothing else draws over it.
    pub(super) fn keep(&mut self, planes: Planes) {
        self.planes = self.protected.then_some(planes);
    }

    /// The clock has refused something, so that it is not as it was thought to be.
    pub(super) fn doubt(&mut self) {
        self.planes = None;
    }
}

/// The picture bytes that were acknowledged, as ranges in order that neither touch nor overlap.
#[derive(Debug, Default)]
pub(super) struct Coverage(Vec<(usize, usize)>);

impl Coverage {
    /// Adds bytes `start..end`; returns how many of them are new.
    pub(super) fn add(&mut self, start: usize, end: usize) -> usize {
        let before = self.bytes();
        let first = self.0.partition_point(|range| range.1 < start);
        let after = self.0.partition_point(|range| range.0 <= end);
        let merged = self
            .0
            .get(first..after)
            .unwrap_or_default()
            .iter()
            .fold((start, end), |(start, end), range| {
                (start.min(range.0), end.max(range.1))
            });
        self.0.splice(first..after, [merged]);
        self.bytes() - before
    }

    /// How many bytes there are.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|(start, end)| end - start).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{Pingping, Terms};
    use crate::picture::{Picture, PictureSize};
    use crate::request::Request;
    use proptest::prelude::*;

    fn script(fill: u8, size: PictureSize, mtu: u16) -> Script {
        let planes = vec![fill; size.plane_bytes()];
        let picture = Picture::new(size, planes.clone(), planes).unwrap();
        Pingping::default()
            .script(&Request::Picture(picture), Terms::of_mtu(mtu))
            .unwrap()
    }

    #[test]
    fn packets_of_another_size_are_compared_byte_by_byte() {
        let dialect = Pingping::default();
        let held = Planes::of(&script(7, PictureSize::Full, 247), &dialect).unwrap();
        let holds = |script: &Script| {
            script
                .writes()
                .filter(|write| matches!(write.role, Role::Data { .. }))
                .all(|write| held.hold(write, &dialect))
        };
        assert!(holds(&script(7, PictureSize::Full, 23)));
        assert!(!holds(&script(8, PictureSize::Full, 23)));
    }

    /// Whether the small picture has a memory of its own is not published.
    #[test]
    fn nothing_is_known_of_a_small_picture() {
        let dialect = Pingping::default();
        let small = script(7, PictureSize::Small, 247);
        assert_eq!(Planes::of(&small, &dialect), None);
    }

    #[test]
    fn a_picture_is_known_only_while_the_clock_draws_nothing_of_its_own() {
        let planes = || Planes::of(&script(7, PictureSize::Full, 247), &Pingping::default());
        let mut memory = PictureMemory::default();
        memory.keep(planes().unwrap());
        assert_eq!(memory.take(), None);
        memory.after(MemoryEffect::Protects);
        memory.keep(planes().unwrap());
        memory.before(MemoryEffect::Keeps);
        assert_eq!(memory.take(), planes());
        for effect in [
            MemoryEffect::Unknown,
            MemoryEffect::Stores {
                plane: 0,
                offset: 0,
                header: 4,
            },
        ] {
            memory.after(MemoryEffect::Protects);
            memory.keep(planes().unwrap());
            memory.before(effect);
            assert_eq!(memory.take(), None);
        }
    }

    proptest! {
        #[test]
        fn bytes_are_counted_once(ranges in prop::collection::vec((0_usize..200, 0_usize..20), 0..40)) {
            let mut coverage = Coverage::default();
            let mut seen = std::collections::BTreeSet::new();
            for (start, length) in ranges {
                let before = seen.len();
                seen.extend(start..start + length);
                prop_assert_eq!(coverage.add(start, start + length), seen.len() - before);
                prop_assert_eq!(coverage.bytes(), seen.len());
            }
        }
    }
}
