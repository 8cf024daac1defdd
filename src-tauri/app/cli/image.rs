//! `regie image`: a picture as the clock would show it.

use regie_imaging::{
    Adjust, Inks, Limits, Options, Palette, Picture, Pipeline, Rendered, preview_png,
};
use serde_json::json;

use super::output_file::OutputFile;
use super::{Answer, Failure};
use crate::arguments::{ImageArguments, PictureArguments};

const TOOL: &str = "image";

pub(super) fn run(arguments: &ImageArguments) -> Result<(), Failure> {
    let answer = render(arguments).map_err(|failure| failure.told(TOOL, arguments.json))?;
    answer
        .print(arguments.json)
        .map_err(|failure| failure.told(TOOL, arguments.json))
}

fn render(arguments: &ImageArguments) -> Result<Answer, Failure> {
    let options = options(&arguments.picture)?;
    let preview = OutputFile::wanted(arguments.preview.as_deref())?;
    let plane_file = OutputFile::wanted(arguments.planes.as_deref())?;
    let unwritten = preview.is_none() && plane_file.is_none();
    let picture = Picture::open(&arguments.picture.file, &Limits::default())?;
    let mut pipeline = Pipeline::new(picture);
    let Rendered { planes, notes } = pipeline.render(&options)?;
    if let Some(file) = preview {
        let inks = if arguments.real_inks {
            Inks::PANEL
        } else {
            Inks::IDEAL
        };
        file.write(&preview_png(&planes, &inks)?)?;
    }
    if let Some(file) = plane_file {
        file.write(&[planes.black_white(), planes.red()].concat())?;
    }
    let panel = planes.panel();
    let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
    let mut text = format!(
        "{}x{} pixels, {} bytes black and white, {} bytes red",
        panel.width,
        panel.height,
        planes.black_white().len(),
        planes.red().len(),
    );
    for note in &notes {
        text.push_str("\n  ");
        text.push_str(note);
    }
    if unwritten {
        text.push_str(
            "\nNothing was written: --preview FILE writes a picture of it, --planes FILE its bits.",
        );
    }
    Ok(Answer {
        ok: true,
        tool: TOOL,
        text,
        unwritten: None,
        data: json!({
            "width": panel.width,
            "height": panel.height,
            "bytes_bw": planes.black_white().len(),
            "bytes_red": planes.red().len(),
            "notes": notes,
        }),
    })
}

/// The options that the arguments ask for.
pub(super) fn options(arguments: &PictureArguments) -> Result<Options, Failure> {
    let pairs = arguments
        .adjust
        .iter()
        .map(|pair| {
            pair.split_once('=').ok_or_else(|| {
                Failure::argument(
                    format!("\"{pair}\" is not an adjustment."),
                    "Write KEY=VALUE, such as --adjust brightness=20.",
                )
            })
        })
        .chain(arguments.size.as_deref().map(|size| Ok(("size", size))))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Options {
        algorithm: arguments.algo.parse()?,
        palette: if arguments.mono {
            Palette::BlackWhite
        } else {
            Palette::BlackWhiteRed
        },
        adjust: Adjust::from_pairs(pairs)?,
    })
}
