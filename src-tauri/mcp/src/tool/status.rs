//! How a device stands, be it a clock or one of the room: both contracts have a tool of this name,
//! and where all tools are offered, this one answers for both.

use std::sync::Arc;

use regie_engine::rooms::Request;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::answer::{Told, told};
use super::call::Call;
use super::finding::{DeviceStatus, Status};
use super::room::{self, Answered, Asked};
use super::{ClockTool as _, Effect, Form, OF_ALL, Performing, Tool, annotations, read, schema};

const TITLE: &str = "Status of a device or the clock";

const ABOUT: &str = "Answers how a device stands. With device_id: asks that ESP32 device of the room now for its status (free memory, current scenario step, uptime, WiFi RSSI, sensor readings); answers {device_id, outcome, reply}, and failures are errors of the protocol. Without device_id: tells at once what is known of the e-ink clock, whether it is connected, its address and name, the slot whose picture it shows and when its time was set, without waking it; \"asleep\" is its normal state. list_devices tells which devices there are.";

/// Of a device of the room, or of a clock.
#[derive(Debug, Deserialize, JsonSchema)]
struct StatusOfAny {
    /// Target ESP32 device identifier. Without it: the clock.
    #[schemars(length(max = 64))]
    device_id: Option<String>,
    /// Address of the clock, such as AA:BB:CC:DD:EE:FF. Without it: the clock in use. Not together
    /// with device_id.
    mac: Option<String>,
}

pub(super) fn of_any_device() -> Tool {
    let arguments = schema::of_arguments::<StatusOfAny>("{}");
    let definition = rmcp::model::Tool::new(DeviceStatus::NAME, ABOUT, arguments)
        .with_title(TITLE)
        .with_raw_output_schema(Arc::new(schema::of_either::<Status, Answered>()))
        .with_annotations(annotations(TITLE, Effect::READS));
    Tool {
        name: DeviceStatus::NAME,
        effect: Effect::READS,
        toolsets: OF_ALL,
        spread: None,
        definition,
        form: Form::ByDevice,
        perform,
    }
}

fn perform<'a>(tool: &'a Tool, call: &'a Call, arguments: Map<String, Value>) -> Performing<'a> {
    Box::pin(async move {
        let named = room::device_named(&arguments);
        match (read::<StatusOfAny>(tool, arguments), named) {
            (Err(failure), None) => told::<Status>(tool.name, Err(failure)),
            (Err(failure), named) => room::refused(named, failure.into()),
            (Ok(StatusOfAny { device_id, mac }), named) => match device_id {
                None => of_clock(tool, call, mac).await,
                Some(id) if is_clock(call, &id) => of_clock(tool, call, Some(id)).await,
                Some(device) => {
                    let asked = match mac {
                        None => Ok(Asked {
                            device,
                            request: Request::Status,
                        }),
                        Some(_) => Err(room::Failure::of_argument(
                            "device_id and mac of device_status name two devices.",
                            "Give device_id for a device of the room, or mac for a clock.",
                        )),
                    };
                    room::carry_out(call, named, asked).await
                }
            },
        }
    })
}

async fn of_clock(tool: &Tool, call: &Call, mac: Option<String>) -> Told {
    told(tool.name, DeviceStatus { mac }.call(call).await)
}

/// Whether an identifier is the address of a known clock and of no device of the room: the list of
/// devices calls both an id.
fn is_clock(call: &Call, id: &str) -> bool {
    let room = call.engine.room_state();
    if room
        .borrow()
        .devices
        .iter()
        .any(|device| device.id.as_str() == id)
    {
        return false;
    }
    let state = call.engine.state();
    let clock = &state.borrow().clock;
    let chosen = clock.chosen.iter().map(|chosen| &chosen.address);
    let heard = clock.nearby.iter().map(|heard| &heard.address);
    chosen.chain(heard).any(|address| address == id)
}
