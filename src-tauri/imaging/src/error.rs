use thiserror::Error;

/// Why a picture or an option was refused. The sentence says what happened, [`hint`](Self::hint)
/// what to do next.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ImagingError {
    /// No bytes at all.
    #[error("The file is empty.")]
    Empty,
    /// The bytes are something else than a picture.
    #[error("This is not a picture but {found}.")]
    NotAPicture {
        /// What they look like, with its article.
        found: &'static str,
    },
    /// A picture of a kind that is not read here.
    #[error("{format} pictures cannot be read here.")]
    UnsupportedFormat {
        /// The format's name.
        format: &'static str,
    },
    /// A variant of a known format that its decoder does not know.
    #[error("This kind of {format} picture cannot be read here: {detail}.")]
    UnsupportedFeature {
        /// The format's name.
        format: &'static str,
        /// The decoder's words.
        detail: String,
    },
    /// The end of the file is missing.
    #[error("The {format} picture is truncated: its end is missing.")]
    Truncated {
        /// The format's name.
        format: &'static str,
    },
    /// The file contradicts its format.
    #[error("The {format} picture is damaged: {detail}.")]
    Damaged {
        /// The format's name.
        format: &'static str,
        /// The decoder's words.
        detail: String,
    },
    /// Width or height is zero.
    #[error("The picture has no pixels.")]
    NoPixels,
    /// The file is larger than [`Limits::max_bytes`](crate::Limits::max_bytes).
    #[error("The file has {megabytes} MB; at most {limit} MB are read.")]
    FileTooLarge {
        /// Its size, in units of 2^20 bytes, rounded up.
        megabytes: u64,
        /// The limit, in the same unit.
        limit: u64,
    },
    /// The header announces more pixels than [`Limits::max_pixels`](crate::Limits::max_pixels).
    #[error("The picture has {width} x {height} pixels; at most {limit} megapixels are read.")]
    TooManyPixels {
        /// Announced width.
        width: u32,
        /// Announced height.
        height: u32,
        /// The limit in megapixels.
        limit: u64,
    },
    /// Decoding would need more memory than [`Limits::max_memory`](crate::Limits::max_memory).
    #[error("Reading this picture would take more than {limit} MB of memory.")]
    TooMuchMemory {
        /// The limit, in units of 2^20 bytes.
        limit: u64,
    },
    /// An SVG asks for more work than is good for it.
    #[error("The SVG drawing is too complex: {detail}.")]
    TooComplex {
        /// What there is too much of.
        detail: &'static str,
    },
    /// There is no file of that name.
    #[error("There is no file {path}.")]
    NotFound {
        /// The path as given.
        path: String,
    },
    /// The path names a folder.
    #[error("{path} is a folder, not a picture.")]
    IsAFolder {
        /// The path as given.
        path: String,
    },
    /// The path names a device, a pipe or a socket.
    #[error("{path} is not an ordinary file.")]
    NotAFile {
        /// The path as given.
        path: String,
    },
    /// The system does not let this program read the file.
    #[error("There is no permission to read {path}.")]
    NoPermission {
        /// The path as given.
        path: String,
    },
    /// Reading failed for another reason.
    #[error("{path} could not be read: {detail}.")]
    Unreadable {
        /// The path as given.
        path: String,
        /// The system's words.
        detail: String,
    },
    /// The source is an address on a network.
    #[error("Pictures are not fetched from the network.")]
    UrlRefused,
    /// A data URI or base64 text that does not decode.
    #[error("The base64 text of the picture is broken: {detail}.")]
    BadBase64 {
        /// Where it broke.
        detail: String,
    },
    /// An option with a value outside its range.
    #[error("{key} cannot be {value}; allowed: {range}.")]
    InvalidOption {
        /// The option.
        key: &'static str,
        /// The value as given.
        value: String,
        /// What is allowed.
        range: String,
    },
    /// An option that does not exist.
    #[error("There is no option {key}; did you mean {nearest}?")]
    UnknownOption {
        /// The name as given.
        key: String,
        /// The known name that is most like it.
        nearest: &'static str,
        /// All known names.
        known: String,
    },
    /// Writing a PNG failed.
    #[error("The preview could not be written: {detail}.")]
    Encode {
        /// The encoder's words.
        detail: String,
    },
    /// A template that does not exist.
    #[error("There is no template {name}; did you mean {nearest}?")]
    UnknownTemplate {
        /// The name as given.
        name: String,
        /// The known name that is most like it.
        nearest: &'static str,
        /// All known names.
        known: String,
    },
    /// A field of a payload with a value that it cannot have.
    #[error("{field} cannot be {value}; allowed: {allowed}.")]
    InvalidField {
        /// Where it is, as `days[1].high`.
        field: String,
        /// The value as given, shortened.
        value: String,
        /// What is allowed, in words.
        allowed: String,
    },
    /// A field that must be there.
    #[error("{field} is missing; wanted: {allowed}.")]
    MissingField {
        /// Where it should be.
        field: String,
        /// What is allowed, in words.
        allowed: String,
    },
    /// A field that a payload does not have.
    #[error("There is no field {field}; did you mean {nearest}?")]
    UnknownField {
        /// Where it is.
        field: String,
        /// The known name that is most like it.
        nearest: &'static str,
        /// All names known there.
        known: String,
    },
    /// More text than the panel has room for.
    #[error("The text of {field} does not fit on the panel, even in small type.")]
    TextTooLong {
        /// The field of the payload.
        field: String,
    },
    /// Nothing that could be drawn is left of a text.
    #[error("No font on this computer can draw {characters}.")]
    CharactersMissing {
        /// The characters, apart.
        characters: String,
    },
    /// A line of cells takes another number of characters.
    #[error("The line has {cells} characters; there is room for 1 to {limit}.")]
    CellCount {
        /// Characters given.
        cells: usize,
        /// Most characters.
        limit: usize,
    },
    /// A font made the text engine break down.
    #[error("The text could not be set in type.")]
    TypeFailed,
    /// A decoder broke down instead of answering.
    #[error("The decoder for {format} gave up on this picture.")]
    DecoderFailed {
        /// The format's name.
        format: &'static str,
    },
}

impl ImagingError {
    /// A stable name for programs and translations.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NotAPicture { .. } => "not-a-picture",
            Self::UnsupportedFormat { .. } => "unsupported-format",
            Self::UnsupportedFeature { .. } => "unsupported-feature",
            Self::Truncated { .. } => "truncated",
            Self::Damaged { .. } => "damaged",
            Self::NoPixels => "no-pixels",
            Self::FileTooLarge { .. } => "file-too-large",
            Self::TooManyPixels { .. } => "too-many-pixels",
            Self::TooMuchMemory { .. } => "too-much-memory",
            Self::TooComplex { .. } => "too-complex",
            Self::NotFound { .. } => "not-found",
            Self::IsAFolder { .. } => "is-a-folder",
            Self::NotAFile { .. } => "not-a-file",
            Self::NoPermission { .. } => "no-permission",
            Self::Unreadable { .. } => "unreadable",
            Self::UrlRefused => "url-refused",
            Self::BadBase64 { .. } => "bad-base64",
            Self::InvalidOption { .. } => "invalid-option",
            Self::UnknownOption { .. } => "unknown-option",
            Self::Encode { .. } => "encode",
            Self::DecoderFailed { .. } => "decoder-failed",
            Self::UnknownTemplate { .. } => "unknown-template",
            Self::InvalidField { .. } => "invalid-field",
            Self::MissingField { .. } => "missing-field",
            Self::UnknownField { .. } => "unknown-field",
            Self::TextTooLong { .. } => "text-too-long",
            Self::CharactersMissing { .. } => "characters-missing",
            Self::CellCount { .. } => "cell-count",
            Self::TypeFailed => "type-failed",
        }
    }

    /// What to do next, as one English sentence.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Empty => "Copy or download the file again.",
            Self::NotAPicture { .. } | Self::IsAFolder { .. } | Self::NotAFile { .. } => {
                "Choose a JPEG, PNG, GIF, WebP, BMP, TIFF or SVG file."
            }
            Self::UnsupportedFormat { .. } | Self::UnsupportedFeature { .. } => {
                "Save it as JPEG or PNG with the program that made it, and choose that file."
            }
            Self::Truncated { .. } | Self::Damaged { .. } | Self::DecoderFailed { .. } => {
                "Copy or download it again, or open it in another program and save it anew."
            }
            Self::NoPixels => "Choose another picture.",
            Self::FileTooLarge { .. } | Self::TooManyPixels { .. } | Self::TooMuchMemory { .. } => {
                "Save a smaller copy: 1600 pixels wide is more than the panel can show."
            }
            Self::TooComplex { .. } => "Export the drawing as PNG and choose that file.",
            Self::NotFound { .. } => "Check the spelling of the path.",
            Self::NoPermission { .. } => {
                "Give your user the right to read it, or copy it to your own folder."
            }
            Self::Unreadable { .. } => {
                "Check that the drive is connected, or copy the file to this computer."
            }
            Self::UrlRefused => {
                "Download the picture and give its path, or send its bytes as base64."
            }
            Self::BadBase64 { .. } => {
                "Long arguments get cut on the way: give the path of a file instead."
            }
            Self::InvalidOption { .. } => "Give a value within the range.",
            Self::UnknownOption { .. }
            | Self::UnknownTemplate { .. }
            | Self::UnknownField { .. } => "Use one of the known names.",
            Self::InvalidField { .. } | Self::MissingField { .. } => {
                "Fill in the field as the template's form says."
            }
            Self::TextTooLong { .. } | Self::CellCount { .. } => "Shorten the text.",
            Self::CharactersMissing { .. } => {
                "Write it in other characters, or install a font that has these."
            }
            Self::TypeFailed => "Write it in other characters, or remove fonts installed lately.",
            Self::Encode { .. } => "Try again with another picture.",
        }
    }

    /// The values a translated sentence needs, by name.
    #[must_use]
    pub fn params(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::Empty | Self::NoPixels | Self::UrlRefused | Self::TypeFailed => Vec::new(),
            Self::NotAPicture { found } => vec![("found", (*found).into())],
            Self::UnsupportedFormat { format }
            | Self::Truncated { format }
            | Self::DecoderFailed { format } => {
                vec![("format", (*format).into())]
            }
            Self::UnsupportedFeature { format, detail } | Self::Damaged { format, detail } => {
                vec![("format", (*format).into()), ("detail", detail.clone())]
            }
            Self::FileTooLarge { megabytes, limit } => {
                vec![
                    ("megabytes", megabytes.to_string()),
                    ("limit", limit.to_string()),
                ]
            }
            Self::TooManyPixels {
                width,
                height,
                limit,
            } => {
                vec![
                    ("width", width.to_string()),
                    ("height", height.to_string()),
                    ("limit", limit.to_string()),
                ]
            }
            Self::TooMuchMemory { limit } => vec![("limit", limit.to_string())],
            Self::TooComplex { detail } => vec![("detail", (*detail).into())],
            Self::NotFound { path }
            | Self::IsAFolder { path }
            | Self::NotAFile { path }
            | Self::NoPermission { path } => vec![("path", path.clone())],
            Self::Unreadable { path, detail } => {
                vec![("path", path.clone()), ("detail", detail.clone())]
            }
            Self::BadBase64 { detail } | Self::Encode { detail } => {
                vec![("detail", detail.clone())]
            }
            Self::InvalidOption { key, value, range } => {
                vec![
                    ("key", (*key).into()),
                    ("value", value.clone()),
                    ("range", range.clone()),
                ]
            }
            Self::UnknownTemplate {
                name,
                nearest,
                known,
            } => {
                vec![
                    ("name", name.clone()),
                    ("nearest", (*nearest).into()),
                    ("known", known.clone()),
                ]
            }
            Self::InvalidField {
                field,
                value,
                allowed,
            } => {
                vec![
                    ("field", field.clone()),
                    ("value", value.clone()),
                    ("allowed", allowed.clone()),
                ]
            }
            Self::MissingField { field, allowed } => {
                vec![("field", field.clone()), ("allowed", allowed.clone())]
            }
            Self::UnknownField {
                field,
                nearest,
                known,
            } => {
                vec![
                    ("field", field.clone()),
                    ("nearest", (*nearest).into()),
                    ("known", known.clone()),
                ]
            }
            Self::TextTooLong { field } => vec![("field", field.clone())],
            Self::CharactersMissing { characters } => vec![("characters", characters.clone())],
            Self::CellCount { cells, limit } => {
                vec![("cells", cells.to_string()), ("limit", limit.to_string())]
            }
            Self::UnknownOption {
                key,
                nearest,
                known,
            } => {
                vec![
                    ("key", key.clone()),
                    ("nearest", (*nearest).into()),
                    ("known", known.clone()),
                ]
            }
        }
    }
}
