use crate::{ImagingError, Ink, Inks, Planes};

/// A PNG (indexed, 2 bits a pixel) of what the panel will show, drawn from the packed planes alone.
///
/// # Errors
/// [`ImagingError::Encode`] for a panel without pixels.
pub fn preview_png(planes: &Planes, inks: &Inks) -> Result<Vec<u8>, ImagingError> {
    let map = planes.unpack();
    let panel = map.panel();
    let mut packed = Vec::with_capacity(panel.pixels().div_ceil(4));
    for row in map.rows() {
        for four in row.chunks(4) {
            let byte = four.iter().enumerate().fold(0_u8, |byte, (place, &ink)| {
                byte | ((ink as u8) << (6 - 2 * place))
            });
            packed.push(byte);
        }
    }
    let palette = [inks.black, inks.white, inks.red].concat();
    let refused = |error: png::EncodingError| ImagingError::Encode {
        detail: error.to_string(),
    };

    let mut bytes = Vec::new();
    let mut encoder =
        png::Encoder::new(&mut bytes, u32::from(panel.width), u32::from(panel.height));
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Two);
    encoder.set_palette(palette);
    encoder.set_compression(png::Compression::Fast);
    // Neighbouring rows of a dithered picture have nothing in common: a filter only costs.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().map_err(refused)?;
    writer.write_image_data(&packed).map_err(refused)?;
    writer.finish().map_err(refused)?;
    Ok(bytes)
}

/// The same picture as raw pixels: 4 bytes each (red, green, blue, 255), row by row.
#[must_use]
pub fn preview_rgba(planes: &Planes, inks: &Inks) -> Vec<u8> {
    let opaque = |ink: Ink| {
        let [r, g, b] = inks.colour(ink);
        [r, g, b, 255]
    };
    let colours = [opaque(Ink::Black), opaque(Ink::White), opaque(Ink::Red)];
    planes
        .unpack()
        .inks()
        .iter()
        .flat_map(|&ink| colours[ink as usize])
        .collect()
}
