//! The panels that pictures are made for, and a picture as their memory has it.

use crate::picture::{Picture, Plane};

/// A 400x300 panel with a memory of one bit a pixel and plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Panel {
    /// Black and white; one plane.
    BlackWhite,
    /// Black, white and red; two planes.
    BlackWhiteRed,
}

/// A plane on its way: which memory it goes to, and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PanelPlane {
    pub(super) memory: Plane,
    pub(super) bytes: Vec<u8>,
}

impl Panel {
    /// The panel of a model (`EPD/EPD_driver.h`); none for those of another size, or of four
    /// colours with two bits a pixel.
    pub(super) fn of_model(model: u8) -> Option<Self> {
        match model {
            // UC8176 and SSD1619 with two colours.
            0x01 | 0x04 => Some(Self::BlackWhite),
            // SSD1619 and UC8176 with three colours.
            0x02 | 0x03 => Some(Self::BlackWhiteRed),
            _ => None,
        }
    }

    /// In the first plane, 1 is white. In the second, 0 is red, the opposite of [`Plane::Red`].
    /// Red is black beneath, and stays so on a panel without red.
    pub(super) fn planes(self, picture: &Picture) -> Vec<PanelPlane> {
        let red = picture.plane(Plane::Red);
        let black_white = picture
            .plane(Plane::BlackWhite)
            .iter()
            .zip(red)
            .map(|(white, red)| white & !red)
            .collect();
        let mut planes = vec![PanelPlane {
            memory: Plane::BlackWhite,
            bytes: black_white,
        }];
        if self == Self::BlackWhiteRed {
            planes.push(PanelPlane {
                memory: Plane::Red,
                bytes: red.iter().map(|red| !red).collect(),
            });
        }
        planes
    }
}
