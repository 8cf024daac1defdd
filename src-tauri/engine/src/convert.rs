//! From the clock's own types to what the doors show.

use std::collections::BTreeMap;

use regie_clock::session::Doubt;
use regie_clock::{
    Advertisement, ClockError, Dialect, Face, LinkState, Picture, PictureSize, Request, Toggle,
};
use regie_imaging::{Panel, Planes};

use crate::error::EngineError;
use crate::fault::Fault;
use crate::state::{LinkView, NearbyClock, Outcome, Progress, Report, Unsupported};

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
    NearbyClock {
        address: heard.address.to_string(),
        name: heard.name.clone(),
        rssi: heard.rssi,
        simulated: heard.simulated,
    }
}

/// What the dialect has no code for, asked of the dialect itself.
pub(crate) fn unsupported(dialect: &dyn Dialect) -> Unsupported {
    let lacks = |request| {
        let limits = regie_clock::dialect::Limits::of_mtu(u16::MAX);
        matches!(
            dialect.script(&request, limits),
            Err(ClockError::CodeUnknown { .. })
        )
    };
    Unsupported {
        faces: Face::ALL
            .into_iter()
            .filter(|&face| lacks(Request::SetFace(face)))
            .collect(),
        toggles: Toggle::ALL
            .into_iter()
            .filter(|&toggle| lacks(Request::Toggle(toggle)))
            .collect(),
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
