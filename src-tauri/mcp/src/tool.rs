//! The agents' tools: one definition for each, from which its schema, its validation, its page in
//! the manual and its call into the engine come.

mod answer;
mod arguments;
mod call;
mod dithering;
mod finding;
mod nearest;
mod pictures;
mod progress;
mod room;
mod schema;
mod setting;
mod status;
mod words;

use std::pin::Pin;
use std::sync::{Arc, LazyLock};

use rmcp::model::ToolAnnotations;
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub(crate) use self::answer::{Failure, Told};
use self::answer::{Reply, refused, told};
pub(crate) use self::call::Call;
pub(crate) use self::nearest::nearest;
pub(crate) use self::progress::Reporter;
pub(crate) use self::room::{AUTH_FAILED, AUTH_FAILED_CODE};
use crate::toolset::Toolset;

/// The clock's own tools, where they are asked for alone and among all.
const OF_THE_CLOCK: &[Toolset] = &[Toolset::Clock, Toolset::All];

/// The tools of the room, where they are asked for alone and among all.
const OF_THE_ROOM: &[Toolset] = &[Toolset::Room, Toolset::All];

/// Tools that only the whole set has.
const OF_ALL: &[Toolset] = &[Toolset::All];

/// What calling a tool does to the world; callers decide on it whether to ask first and whether to
/// try again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effect {
    /// It changes nothing.
    pub(crate) reads_only: bool,
    /// It may replace something that cannot be had back.
    destroys: bool,
    /// Twice comes to the same as once.
    repeatable: bool,
}

impl Effect {
    const READS: Self = Self {
        reads_only: true,
        destroys: false,
        repeatable: true,
    };
    const SETS: Self = Self {
        reads_only: false,
        destroys: false,
        repeatable: true,
    };
    const FLIPS: Self = Self {
        reads_only: false,
        destroys: false,
        repeatable: false,
    };
    const REPLACES: Self = Self {
        reads_only: false,
        destroys: true,
        repeatable: true,
    };
    const ANYTHING: Self = Self {
        reads_only: false,
        destroys: true,
        repeatable: false,
    };
}

/// A tool of the clock; the type is that of its arguments.
trait ClockTool: DeserializeOwned + JsonSchema + Send + 'static {
    /// What it answers.
    type Data: Serialize + JsonSchema + Send;

    const NAME: &'static str;
    const TITLE: &'static str;
    /// What it does, when to use it and what it answers, for a model.
    const ABOUT: &'static str;
    const EFFECT: Effect;
    const TOOLSETS: &'static [Toolset] = OF_THE_CLOCK;
    /// The argument whose own may be given beside it.
    const SPREAD: Option<&'static str> = None;
    /// Arguments of a typical call, as JSON.
    const EXAMPLE: &'static str;

    fn call(self, call: &Call) -> impl Future<Output = Result<Reply<Self::Data>, Failure>> + Send;
}

/// A tool of the room; the type is that of its arguments. Its words, ranges and defaults are those
/// of the room's contract.
trait RoomTool: DeserializeOwned + JsonSchema + Send + 'static {
    const NAME: &'static str;
    const TITLE: &'static str;
    const ABOUT: &'static str;
    const EFFECT: Effect;
    const TOOLSETS: &'static [Toolset] = OF_THE_ROOM;
    /// Arguments of a typical call, as JSON.
    const EXAMPLE: &'static str;

    /// The device and what is asked of it.
    fn asked(self) -> Result<room::Asked, room::Failure>;
}

type Performing<'a> = Pin<Box<dyn Future<Output = Told> + Send + 'a>>;

/// In which form a tool tells that it did not do what it was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// As a result: the contract of the clock's tools.
    Result,
    /// As an error of the protocol: the contract of the room's tools.
    Protocol,
    /// As the room's tools where the call names a device of the room, else as the clock's.
    ByDevice,
}

/// A tool as it is offered.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) effect: Effect,
    toolsets: &'static [Toolset],
    spread: Option<&'static str>,
    /// As it is listed.
    pub(crate) definition: rmcp::model::Tool,
    form: Form,
    perform: for<'a> fn(&'a Tool, &'a Call, Map<String, Value>) -> Performing<'a>,
}

/// Every tool, by name.
static TABLE: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let mut tools = vec![
        Tool::of_clock::<finding::ScanDevices>(),
        Tool::of_clock::<finding::DeviceStatus>(),
        Tool::of_clock::<finding::ListDevices>(),
        Tool::of_clock::<setting::SetTime>(),
        Tool::of_clock::<setting::SetMode>(),
        Tool::of_clock::<setting::FlipToggle>(),
        Tool::of_clock::<setting::SetSleep>(),
        Tool::of_clock::<setting::ClearScreen>(),
        Tool::of_clock::<setting::RawSend>(),
        Tool::of_clock::<pictures::UploadImage>(),
        Tool::of_clock::<pictures::PreviewImage>(),
        Tool::of_clock::<words::RenderTemplate>(),
        Tool::of_clock::<words::ListTemplates>(),
        Tool::of_clock::<words::StartCountdown>(),
        Tool::of_clock::<words::CountdownOff>(),
        Tool::of_clock::<words::CalendarText>(),
        Tool::of_room::<room::PuzzleSetState>(),
        Tool::of_room::<room::AudioPlay>(),
        Tool::of_room::<room::LedSet>(),
        Tool::of_room::<room::CameraCapture>(),
        Tool::of_room::<room::ScenarioAdvance>(),
        Tool::of_room::<room::RoomDeviceStatus>(),
        status::of_any_device(),
    ];
    tools.sort_by_key(|tool| tool.name);
    tools
});

impl Tool {
    fn of_clock<T: ClockTool>() -> Self {
        let definition =
            rmcp::model::Tool::new(T::NAME, T::ABOUT, schema::of_arguments::<T>(T::EXAMPLE))
                .with_title(T::TITLE)
                .with_raw_output_schema(Arc::new(schema::of_answer::<T::Data>()))
                .with_annotations(annotations(T::TITLE, T::EFFECT));
        Self {
            name: T::NAME,
            effect: T::EFFECT,
            toolsets: T::TOOLSETS,
            spread: T::SPREAD,
            definition,
            form: Form::Result,
            perform: perform_on_clock::<T>,
        }
    }

    fn of_room<T: RoomTool>() -> Self {
        let definition =
            rmcp::model::Tool::new(T::NAME, T::ABOUT, schema::of_arguments::<T>(T::EXAMPLE))
                .with_title(T::TITLE)
                .with_raw_output_schema(Arc::new(schema::of_data::<room::Answered>()))
                .with_annotations(annotations(T::TITLE, T::EFFECT));
        Self {
            name: T::NAME,
            effect: T::EFFECT,
            toolsets: T::TOOLSETS,
            spread: None,
            definition,
            form: Form::Protocol,
            perform: perform_in_room::<T>,
        }
    }

    /// The tools of a set, by name.
    pub(crate) fn of(toolset: Toolset) -> impl Iterator<Item = &'static Self> {
        TABLE
            .iter()
            .filter(move |tool| tool.toolsets.contains(&toolset))
    }

    /// The tool of that name in a set.
    pub(crate) fn named(name: &str, toolset: Toolset) -> Option<&'static Self> {
        Self::of(toolset).find(|tool| tool.name == name)
    }

    /// Carries a call out.
    pub(crate) async fn perform(&self, call: &Call, arguments: Map<String, Value>) -> Told {
        (self.perform)(self, call, arguments).await
    }

    /// What a call that is not carried out is answered.
    pub(crate) fn refuse(&self, arguments: &Map<String, Value>, failure: Failure) -> Told {
        let device = room::device_named(arguments);
        let is_rooms = match self.form {
            Form::Result => false,
            Form::Protocol => true,
            Form::ByDevice => device.is_some(),
        };
        if is_rooms {
            room::refused(device, failure.into())
        } else {
            refused(self.name, failure)
        }
    }

    /// Whether a call is the game master's override, which waits behind nothing.
    pub(crate) fn is_override(&self, arguments: &Map<String, Value>) -> bool {
        self.name == <room::ScenarioAdvance as RoomTool>::NAME && room::is_override(arguments)
    }
}

fn annotations(title: &str, effect: Effect) -> ToolAnnotations {
    ToolAnnotations::with_title(title)
        .read_only(effect.reads_only)
        .destructive(effect.destroys)
        .idempotent(effect.repeatable)
        // The devices and the pictures at hand are all there is.
        .open_world(false)
}

fn perform_on_clock<'a, T: ClockTool>(
    tool: &'a Tool,
    call: &'a Call,
    arguments: Map<String, Value>,
) -> Performing<'a> {
    Box::pin(async move {
        let outcome = match read::<T>(tool, arguments) {
            Ok(arguments) => arguments.call(call).await,
            Err(failure) => Err(failure),
        };
        told(tool.name, outcome)
    })
}

fn perform_in_room<'a, T: RoomTool>(
    tool: &'a Tool,
    call: &'a Call,
    arguments: Map<String, Value>,
) -> Performing<'a> {
    Box::pin(async move {
        let device = room::device_named(&arguments);
        let asked = match read::<T>(tool, arguments) {
            Ok(arguments) => arguments.asked(),
            Err(failure) => Err(failure.into()),
        };
        room::carry_out(call, device, asked).await
    })
}

fn read<T: DeserializeOwned>(tool: &Tool, arguments: Map<String, Value>) -> Result<T, Failure> {
    let schema = &tool.definition.input_schema;
    let fitted = arguments::fit(tool.name, schema, tool.spread, arguments)?;
    serde_json::from_value(Value::Object(fitted)).map_err(|error| {
        Failure::of_argument(
            format!("The arguments of {} cannot be read: {error}.", tool.name),
            "Look at the tool's input schema.",
        )
    })
}
