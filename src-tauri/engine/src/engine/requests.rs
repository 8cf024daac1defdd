//! What can be asked of the clock: each becomes an operation.

use jiff::Timestamp;
use regie_clock::dialect::Terms;
use regie_clock::{Channel, Face, QuietHours, Raw, RawPolicy, Request, Task, Toggle, Zone};
use regie_imaging::{Options, Panel, Planes};

use super::errand::Errand;
use super::{Engine, checked};
use crate::convert;
use crate::desk::{Learned, Plan, Submitted};
use crate::error::EngineError;
use crate::memory::Shown;
use crate::mode::Mode;
use crate::order::Order;
use crate::state::{OperationKind, QuietHoursSet, Slot};

impl Engine {
    /// Keeps an open picture in a slot and shows it.
    ///
    /// # Errors
    /// [`EngineError::NoSuchSlot`], [`EngineError::PictureNotOpen`], [`EngineError::Imaging`].
    pub async fn show(
        &self,
        order: impl Into<Order>,
        picture: u32,
        options: Options,
        slot: u8,
    ) -> Result<Submitted, EngineError> {
        let slot = checked(slot)?;
        let errand = self.errand(order.into()).await?;
        let (name, rendering) = self.shared.studio.render(picture, options).await?;
        self.keep_and_show(errand, slot, name, rendering.planes)
            .await
    }

    /// Keeps planes in a slot and shows them.
    pub(super) async fn keep_and_show(
        &self,
        errand: Errand,
        slot: u8,
        name: String,
        planes: Planes,
    ) -> Result<Submitted, EngineError> {
        let held = Slot {
            slot,
            name,
            changed: Timestamp::now().to_string(),
        };
        let (row, stored) = (held.clone(), planes.clone());
        self.shared
            .store
            .run(move |store| store.fill_slot(&row, &stored))
            .await?;
        self.change(|state| {
            if let Some(place) = state.slots.get_mut(usize::from(slot)) {
                *place = Some(held.clone());
            }
            // It holds another picture now than the one that the clock may show of it.
            state.clock.shown_slot = state.clock.shown_slot.filter(|&shown| shown != slot);
        });
        self.submit_shown(errand, held, false, &planes).await
    }

    /// Shows what a slot holds.
    ///
    /// # Errors
    /// [`EngineError::NoSuchSlot`], [`EngineError::SlotEmpty`].
    pub async fn show_slot(
        &self,
        order: impl Into<Order>,
        slot: u8,
    ) -> Result<Submitted, EngineError> {
        let errand = self.errand(order.into()).await?;
        let planes = self.slot_planes(slot).await?;
        let held = self.held(slot).ok_or(EngineError::SlotEmpty { slot })?;
        self.submit_shown(errand, held, false, &planes).await
    }

    /// Changes what the clock shows. The picture of a slot that it is known to show already is not
    /// sent again.
    ///
    /// # Errors
    /// [`EngineError::NoSuchSlot`], [`EngineError::SlotEmpty`]; [`EngineError::ShownUnknown`] for
    /// [`Mode::Tricolor`] and [`Mode::Mono`] when the clock is not known to show a slot. A face
    /// whose code is not known fails as an operation.
    pub async fn set_mode(
        &self,
        order: impl Into<Order>,
        mode: Mode,
    ) -> Result<Submitted, EngineError> {
        let errand = self.errand(order.into()).await?;
        let shown = self.shown(&errand);
        let (slot, mono) = match mode {
            Mode::Face(face) => return self.submit_face(errand, face).await,
            Mode::Image(slot) => (checked(slot)?, false),
            Mode::Tricolor => (shown.ok_or(EngineError::ShownUnknown)?.0, false),
            Mode::Mono => (shown.ok_or(EngineError::ShownUnknown)?.0, true),
        };
        let planes = self.slot_planes(slot).await?;
        let held = self.held(slot).ok_or(EngineError::SlotEmpty { slot })?;
        if shown == Some((slot, mono)) {
            return self.submit_again(errand, held, mono, planes.panel()).await;
        }
        let planes = if mono { planes.mono() } else { planes };
        self.submit_shown(errand, held, mono, &planes).await
    }

    /// The slot that the clock is known to show, and whether in black and white only.
    fn shown(&self, errand: &Errand) -> Option<(u8, bool)> {
        let slot = errand
            .memory
            .shown_slot(&self.shared.state.borrow().slots)?;
        let mono = matches!(errand.memory.shown, Some(Shown::Slot { mono: true, .. }));
        Some((slot, mono))
    }

    /// What a slot holds.
    pub(super) fn held(&self, slot: u8) -> Option<Slot> {
        let state = self.shared.state.borrow();
        state.slots.get(usize::from(slot)).cloned().flatten()
    }

    /// Shows again what the clock holds already.
    async fn submit_again(
        &self,
        errand: Errand,
        held: Slot,
        mono: bool,
        panel: Panel,
    ) -> Result<Submitted, EngineError> {
        let zone = errand.memory.zone();
        self.submit(
            errand,
            Plan {
                kind: OperationKind::Show,
                detail: held.name.clone(),
                first: Task::SetFace(face_of(panel), zone),
                then: None,
                learned: Learned::Shows { held, mono },
            },
        )
        .await
    }

    async fn submit_shown(
        &self,
        errand: Errand,
        held: Slot,
        mono: bool,
        planes: &Planes,
    ) -> Result<Submitted, EngineError> {
        let (face, zone) = (face_of(planes.panel()), errand.memory.zone());
        self.submit(
            errand,
            Plan {
                kind: OperationKind::Show,
                detail: held.name.clone(),
                first: Request::Picture(convert::picture(planes)?).into(),
                then: Some(Task::SetFace(face, zone)),
                learned: Learned::Shows { held, mono },
            },
        )
        .await
    }

    /// Sets the clock to the time of a zone: an IANA name or an offset; `None` is this
    /// computer's, wherever that travels. While Regie runs, the clock is set again by itself when
    /// the offset of its zone changes.
    ///
    /// # Errors
    /// [`EngineError::Clock`] for a zone that is none.
    pub async fn set_time(
        &self,
        order: impl Into<Order>,
        zone: Option<&str>,
    ) -> Result<Submitted, EngineError> {
        let follows_host = zone.is_none();
        let zone = match zone {
            Some(zone) => zone.parse()?,
            None => Zone::known_system()?,
        };
        let errand = self.errand(order.into()).await?;
        self.submit(
            errand,
            Plan {
                kind: OperationKind::SetTime,
                detail: zone.to_string(),
                first: Task::SetTime(zone.clone()),
                then: None,
                learned: Learned::Time { zone, follows_host },
            },
        )
        .await
    }

    /// Changes the face.
    ///
    /// # Errors
    /// [`EngineError::Store`], [`EngineError::Closing`]; a face whose code is not known fails as
    /// an operation.
    pub async fn set_face(
        &self,
        order: impl Into<Order>,
        face: Face,
    ) -> Result<Submitted, EngineError> {
        let errand = self.errand(order.into()).await?;
        self.submit_face(errand, face).await
    }

    async fn submit_face(&self, errand: Errand, face: Face) -> Result<Submitted, EngineError> {
        let zone = errand.memory.zone();
        self.submit(
            errand,
            Plan {
                kind: OperationKind::Face,
                detail: face.to_string(),
                first: Task::SetFace(face, zone),
                then: None,
                learned: Learned::Face(face),
            },
        )
        .await
    }

    /// Flips a setting.
    ///
    /// # Errors
    /// As [`Engine::set_face`].
    pub async fn toggle(
        &self,
        order: impl Into<Order>,
        toggle: Toggle,
    ) -> Result<Submitted, EngineError> {
        let errand = self.errand(order.into()).await?;
        self.submit(
            errand,
            Plan {
                kind: OperationKind::Toggle,
                detail: toggle.to_string(),
                first: Request::Toggle(toggle).into(),
                then: None,
                learned: Learned::Nothing,
            },
        )
        .await
    }

    /// Sets the hours in which the screen rests.
    ///
    /// # Errors
    /// [`EngineError::Clock`] for an hour that is none.
    pub async fn quiet_hours(
        &self,
        order: impl Into<Order>,
        on: bool,
        start_hour: u8,
        end_hour: u8,
    ) -> Result<Submitted, EngineError> {
        let hours = QuietHours::new(on, start_hour, end_hour)?;
        let detail = if on {
            format!("{start_hour}:00-{end_hour}:00")
        } else {
            "off".into()
        };
        let errand = self.errand(order.into()).await?;
        self.submit(
            errand,
            Plan {
                kind: OperationKind::QuietHours,
                detail,
                first: Request::QuietHours(hours).into(),
                then: None,
                learned: Learned::QuietHours(QuietHoursSet {
                    on,
                    start_hour,
                    end_hour,
                }),
            },
        )
        .await
    }

    /// Makes the screen white.
    ///
    /// # Errors
    /// As [`Engine::set_face`].
    pub async fn clear(&self, order: impl Into<Order>) -> Result<Submitted, EngineError> {
        let errand = self.errand(order.into()).await?;
        let zone = errand.memory.zone();
        self.submit(
            errand,
            Plan {
                kind: OperationKind::Clear,
                detail: String::new(),
                first: Request::Clear.into(),
                then: Some(Task::SetFace(Face::Picture, zone)),
                learned: Learned::ShowsNoSlot,
            },
        )
        .await
    }

    /// Sends bytes as they are, save those that can harm the clock.
    ///
    /// # Errors
    /// [`EngineError::Clock`] for bytes that are refused.
    pub async fn raw(
        &self,
        order: impl Into<Order>,
        channel: Channel,
        bytes: Vec<u8>,
    ) -> Result<Submitted, EngineError> {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        let raw = Request::Raw(Raw::new(channel, bytes, RawPolicy::Guarded)?);
        // The session asks again, of the clock that is connected then.
        let errand = self.errand(order.into()).await?;
        let terms = Terms::of_mtu(u16::MAX);
        let family = errand.memory.family();
        self.dialects().of(family).script(&raw, terms)?;
        self.submit(
            errand,
            Plan {
                kind: OperationKind::Raw,
                detail: format!("{channel} {hex}"),
                first: raw.into(),
                then: None,
                learned: Learned::ShowsNoSlot,
            },
        )
        .await
    }

    /// Asks an operation to end; one that is not known has ended already.
    pub fn cancel(&self, operation: u32) {
        self.desk().cancel(operation);
    }

    /// Forgets an operation that ended.
    pub fn dismiss(&self, operation: u32) {
        self.desk().dismiss(operation);
        self.show_current();
    }
}

/// The face that shows a picture of that size. The small one is the calendar's; in the other modes
/// the clock would draw over it.
fn face_of(panel: Panel) -> Face {
    if panel == Panel::SMALL {
        Face::Calendar1
    } else {
        Face::Picture
    }
}
