//! The dithering methods, as arguments name them.

use regie_engine::Algorithm;
use schemars::{Schema, SchemaGenerator, json_schema};

/// The method where none is named.
pub(super) fn atkinson() -> String {
    Algorithm::Atkinson.name().into()
}

pub(super) fn algorithms(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "enum": Algorithm::ALL.map(Algorithm::name) })
}
