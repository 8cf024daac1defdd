//! Packing, unpacking and previewing.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use regie_imaging::{Ink, InkMap, Inks, Panel, Planes, preview_png, preview_rgba};

fn ink() -> impl Strategy<Value = Ink> {
    prop_oneof![Just(Ink::Black), Just(Ink::White), Just(Ink::Red)]
}

fn map() -> impl Strategy<Value = InkMap> {
    (1_u16..=401, 1_u16..=6).prop_flat_map(|(width, height)| {
        let panel = Panel { width, height };
        prop::collection::vec(ink(), panel.pixels())
            .prop_map(move |inks| InkMap::new(panel, inks).expect("as many inks as pixels"))
    })
}

proptest! {
    /// IMG-11
    #[test]
    fn unpacking_gives_back_what_was_packed_at_any_width(map in map()) {
        let planes = Planes::pack(&map);
        let bytes = usize::from(map.panel().width).div_ceil(8) * usize::from(map.panel().height);
        prop_assert_eq!(planes.black_white().len(), bytes);
        prop_assert_eq!(planes.red().len(), bytes);
        prop_assert_eq!(planes.unpack(), map);
    }

    #[test]
    fn the_preview_png_shows_the_planes_pixel_for_pixel(map in map()) {
        let planes = Planes::pack(&map);
        let png = preview_png(&planes, &Inks::PANEL).expect("has pixels");
        let shown = image::load_from_memory(&png).expect("a PNG").to_rgba8();
        prop_assert_eq!(shown.dimensions(), (u32::from(map.panel().width), u32::from(map.panel().height)));
        let rgba = preview_rgba(&planes, &Inks::PANEL);
        prop_assert_eq!(shown.as_raw(), &rgba);
        for (pixel, &ink) in shown.pixels().zip(map.inks()) {
            prop_assert_eq!(&pixel.0[..3], &Inks::PANEL.colour(ink)[..]);
        }
    }
}

/// IMG-11: every width, not only those that chance picks.
#[test]
fn every_width_from_1_to_401_survives() {
    for width in 1..=401 {
        let panel = Panel { width, height: 2 };
        let pattern = [Ink::Red, Ink::White, Ink::Black, Ink::White, Ink::Red];
        let inks = pattern.into_iter().cycle().take(panel.pixels()).collect();
        let map = InkMap::new(panel, inks).expect("as many inks as pixels");
        assert_eq!(Planes::pack(&map).unpack(), map, "width {width}");
    }
}

/// IMG-8: byte vectors of the plane format.
#[test]
fn plane_bytes_are_those_of_the_format() {
    let panel = Panel {
        width: 10,
        height: 1,
    };
    let packed = |ink| Planes::pack(&InkMap::filled(panel, ink));
    assert_eq!(
        (packed(Ink::Black).black_white(), packed(Ink::Black).red()),
        (&[0, 0][..], &[0, 0][..])
    );
    assert_eq!(
        (packed(Ink::White).black_white(), packed(Ink::White).red()),
        (&[0xff, 0xc0][..], &[0, 0][..])
    );
    assert_eq!(
        (packed(Ink::Red).black_white(), packed(Ink::Red).red()),
        (&[0, 0][..], &[0xff, 0xc0][..])
    );

    let checker = (0..10)
        .map(|x| if x % 2 == 0 { Ink::White } else { Ink::Red })
        .collect();
    let planes = Planes::pack(&InkMap::new(panel, checker).expect("ten inks"));
    assert_eq!(
        (planes.black_white(), planes.red()),
        (
            &[0b1010_1010, 0b1000_0000][..],
            &[0b0101_0101, 0b0100_0000][..]
        )
    );
}

#[test]
fn the_full_panel_takes_15000_bytes_a_plane_and_the_small_one_3500() {
    assert_eq!(Panel::FULL.plane_bytes(), 15_000);
    assert_eq!(Panel::SMALL.plane_bytes(), 3_500);
}

#[test]
fn where_both_planes_have_a_bit_red_wins() {
    let panel = Panel {
        width: 8,
        height: 1,
    };
    let planes =
        Planes::from_bytes(panel, vec![0b1100_0000], vec![0b1010_0000]).expect("one byte each");
    let inks = planes.unpack();
    assert_eq!(
        inks.inks()[..4],
        [Ink::Red, Ink::White, Ink::Red, Ink::Black]
    );
}

#[test]
fn planes_of_the_wrong_length_are_no_planes() {
    assert!(Planes::from_bytes(Panel::FULL, vec![0; 14_999], vec![0; 15_000]).is_none());
    assert!(InkMap::new(Panel::FULL, vec![Ink::White; 119_999]).is_none());
}
