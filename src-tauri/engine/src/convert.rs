//! From the clock's own types to what the doors show.

use std::collections::BTreeMap;

use regie_clock::dialect::Terms;
use regie_clock::session::Doubt;
use regie_clock::{
    Advertisement, ClockError, ClockTime, Dialects, Face, Family, LinkState, Picture, PictureSize,
    QuietHours, Request, Toggle, Zone,
};
use regie_imaging::{Panel, Planes};

use crate::error::EngineError;
use crate::fault::Fault;
use crate::state::{Lack, LinkView, NearbyClock, Outcome, Progress, Report, Unsupported};

/// Seconds a three-colour panel of this family takes to redraw, at most.
pub(crate) const REFRESH_SECONDS: u32 = 25;

pub(crate) fn link(state: &LinkState) -> LinkView {
    match state {
        LinkState::Unavailable { reason } => LinkView::Unavailable {
            fault: ClockError::BluetoothUnavailable { reason: *reason }.into(),
        },
        LinkState::Asleep | LinkState::Closed => LinkView::Asleep,
        LinkState::Listening {
            elapsed_seconds,
            limit_seconds,
        } => LinkView::Listening {
            seconds_left: limit_seconds.saturating_sub(*elapsed_seconds),
        },
        LinkState::Connecting { .. } | LinkState::Discovering { .. } => LinkView::Connecting,
        LinkState::Connected { .. } => LinkView::Connected,
        LinkState::Sending { .. } => LinkView::Sending,
        LinkState::Refreshing {
            elapsed_seconds, ..
        } => LinkView::Refreshing {
            seconds_left: REFRESH_SECONDS.saturating_sub(*elapsed_seconds),
        },
    }
}

pub(crate) fn progress(progress: &regie_clock::Progress) -> Progress {
    Progress {
        stage: progress.stage,
        packets_done: progress.packets_done,
        packets_total: progress.packets_total,
        bytes_per_second: progress.bytes_per_second,
        seconds_left: progress.seconds_left,
    }
}

pub(crate) fn report(report: &regie_clock::Report) -> Report {
    Report {
        bytes: report.bytes,
        packets: report.packets,
        packets_resent: report.packets_resent,
        reconnects: report.reconnects,
        duration_ms: report.duration_ms,
    }
}

pub(crate) fn outcome(outcome: &regie_clock::Outcome) -> Outcome {
    let report = report(outcome.report());
    match outcome {
        regie_clock::Outcome::Done(_) => Outcome::Done { report },
        regie_clock::Outcome::Failed { error, .. } => Outcome::Failed {
            fault: error.clone().into(),
            report,
        },
        regie_clock::Outcome::Unknown { reason, .. } => Outcome::Unknown {
            fault: doubt(*reason),
            report,
        },
        regie_clock::Outcome::Cancelled { .. } => Outcome::Cancelled { report },
    }
}

fn doubt(reason: Doubt) -> Fault {
    Fault {
        code: reason.code().into(),
        agent_code: "DEVICE_DISCONNECTED".into(),
        message: reason.to_string(),
        hint: reason.hint().into(),
        params: BTreeMap::new(),
    }
}

pub(crate) fn nearby(heard: &Advertisement) -> NearbyClock {
    let address = heard.address.to_string();
    let name = match heard.name.as_str() {
        // The remembered clock, before its name has come.
        "" => address.clone(),
        name => name.to_owned(),
    };
    NearbyClock {
        address,
        name,
        rssi: heard.rssi,
        simulated: heard.simulated,
    }
}

/// What a family of clocks cannot do, asked of its dialect itself.
pub(crate) fn unsupported(dialects: &Dialects, family: Family) -> Unsupported {
    let dialect = dialects.of(family);
    let mut reason = None;
    let mut lacks = |request: Option<Request>| {
        let terms = Terms::of_mtu(u16::MAX);
        let lack = match request.map(|request| dialect.script(&request, terms)) {
            Some(Err(ClockError::CodeUnknown { .. })) => Lack::Code,
            Some(Err(ClockError::NotSupported { .. })) => Lack::Firmware,
            _ => return false,
        };
        reason.get_or_insert(lack);
        true
    };
    // Any time will do that exists in every zone: a face is refused for what it is.
    const SOME_TIME: i64 = 1_000_000_000;
    let some_time = ClockTime::at(SOME_TIME, &Zone::system()).ok();
    let faces = Face::ALL
        .into_iter()
        .filter(|&face| lacks(some_time.map(|time| Request::SetFace(face, time))))
        .collect();
    let toggles = Toggle::ALL
        .into_iter()
        .filter(|&toggle| lacks(Some(Request::Toggle(toggle))))
        .collect();
    let quiet_hours = lacks(QuietHours::new(false, 0, 0).ok().map(Request::QuietHours));
    let countdown = lacks(Some(Request::CountdownOff));
    Unsupported {
        faces,
        toggles,
        quiet_hours,
        countdown,
        reason,
    }
}

/// A picture for the clock.
///
/// # Errors
/// [`EngineError::PanelUnknown`] for planes of a size that the clock does not take.
pub(crate) fn picture(planes: &Planes) -> Result<Picture, EngineError> {
    let panel = planes.panel();
    let size = if panel == Panel::FULL {
        PictureSize::Full
    } else if panel == Panel::SMALL {
        PictureSize::Small
    } else {
        return Err(EngineError::PanelUnknown {
            width: panel.width,
            height: panel.height,
        });
    };
    let (black_white, red) = (planes.black_white().to_vec(), planes.red().to_vec());
    Ok(Picture::new(size, black_white, red)?)
}
