use crate::Panel;

/// A picture of the panel's size in linear light, one plane a channel (0..=65535), row by row.
///
/// Channels lie apart so that the arithmetic on them vectorises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) panel: Panel,
    pub(crate) red: Vec<u16>,
    pub(crate) green: Vec<u16>,
    pub(crate) blue: Vec<u16>,
}

impl Frame {
    pub(crate) fn filled(panel: Panel, [red, green, blue]: [u16; 3]) -> Self {
        let plane = |value| vec![value; panel.pixels()];
        Self {
            panel,
            red: plane(red),
            green: plane(green),
            blue: plane(blue),
        }
    }

    pub(crate) fn planes_mut(&mut self) -> [&mut Vec<u16>; 3] {
        [&mut self.red, &mut self.green, &mut self.blue]
    }
}
