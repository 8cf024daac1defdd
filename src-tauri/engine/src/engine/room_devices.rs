//! Which devices the room has: those of the environment, of the settings, and those that last as
//! long as a simulation.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use regie_room::{
    Address, DeviceEntry, DeviceId, FoundDevice, Origin, Remark, RoomError, RoomState, Token,
};
use serde::{Deserialize, Serialize};

use super::room::OpenRoom;
use super::{Engine, lock};
use crate::error::EngineError;
use crate::fault::Fault;
use crate::given_devices::loudest;
use crate::room::{DeviceForm, Trusted};
use crate::secrets::{MAX_SECRET_BYTES, Secret, SecretsError};
use crate::settings::{DeviceSettings, Devices, Settings};

/// Most characters of a device's name or room: what a card shows on one line, and some.
const MAX_NAME: usize = 80;

/// The key that addresses are remembered under, at which devices were found since they were set.
const MOVED_KEY: &str = "room.moved";

/// Where a device was found, and what the settings said then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Moved {
    set: Option<Address>,
    found: Address,
}

pub(super) type Moves = BTreeMap<DeviceId, Moved>;

/// The name of a device's credential.
fn credential(device: &DeviceId) -> String {
    format!("device:{device}")
}

impl Engine {
    /// Takes a device into the room, or changes one. A token goes straight to where secrets are
    /// kept. What is added to simulated devices lasts as long as they do.
    ///
    /// # Errors
    /// [`EngineError::Room`] for what cannot be, [`EngineError::Secrets`] while the keyring is locked
    /// or refuses, [`EngineError::SettingsUnwritable`].
    pub async fn save_device(&self, form: DeviceForm) -> Result<(), EngineError> {
        let engine = self.clone();
        self.to_its_end(async move {
            let _turn = engine.shared.rooms.turn.lock().await;
            engine.save_in_turn(form).await
        })
        .await
    }

    async fn save_in_turn(&self, form: DeviceForm) -> Result<(), EngineError> {
        let open = self.open_now()?;
        let before = form.replaces.clone();
        self.check_free(&open, &form.id, before.as_ref())?;
        let found = form.found.as_ref().and_then(|key| self.found(key));
        let old = before.as_ref().and_then(|id| {
            self.shared
                .state
                .borrow()
                .settings
                .room
                .devices
                .get(id)
                .cloned()
        });
        let written = written(&form, found.as_ref(), old)?;
        self.check_gateway(&form)?;
        let token = form.token.as_deref().map(checked).transpose()?.flatten();
        if let Some(before) = before.as_ref().filter(|before| **before != form.id) {
            self.rename_device(&open, before, &form.id).await?;
        }
        if open.devices == Devices::Simulated {
            let mut passing = lock(&open.passing);
            let entry = entry(&form.id, &written, Origin::Simulated, None);
            let place = passing.iter_mut().find(|(device, _)| device.id == form.id);
            match place {
                Some((device, _)) => *device = entry,
                None => passing.push((entry, None)),
            }
        } else {
            let id = form.id.clone();
            self.write_room_settings(move |settings| {
                settings.room.devices.insert(id, written);
            })
            .await?;
        }
        self.show_devices(&open).await?;
        if let Some(token) = token {
            self.keep_device_token(&open, &form.id, Some(token)).await?;
        }
        Ok(())
    }

    /// Takes a device out of the room, with its token and its history. Devices that it relays to
    /// stay, without a way to them.
    ///
    /// # Errors
    /// [`EngineError::Room`] for one that is not there or comes from the environment, and those of
    /// [`Engine::save_device`].
    pub async fn remove_device(&self, device: &DeviceId) -> Result<(), EngineError> {
        let (engine, device) = (self.clone(), device.clone());
        self.to_its_end(async move {
            let _turn = engine.shared.rooms.turn.lock().await;
            let open = engine.open_now()?;
            engine.check_own(&open, &device)?;
            engine.keep_device_token(&open, &device, None).await?;
            let behind = |via: &mut Option<DeviceId>| {
                via.take_if(|via| *via == device);
            };
            let pass = |passing: &mut Vec<Trusted>| {
                passing.retain(|(entry, _)| entry.id != device);
                passing
                    .iter_mut()
                    .for_each(|(entry, _)| behind(&mut entry.via));
            };
            pass(&mut lock(&open.passing));
            if open.devices != Devices::Simulated {
                let gone = device.clone();
                engine
                    .write_room_settings(move |settings| {
                        settings.room.devices.remove(&gone);
                        for other in settings.room.devices.values_mut() {
                            other.via.take_if(|via| *via == gone);
                        }
                    })
                    .await?;
            }
            engine.show_devices(&open).await?;
            let store = &engine.shared.store;
            store
                .run(move |store| store.rename_samples(&device, None))
                .await
        })
        .await
    }

    /// Gives a device a token, or takes it away.
    ///
    /// # Errors
    /// [`EngineError::Room`] for a device that is not there or has its token from the environment,
    /// [`EngineError::Secrets`] while the keyring is locked or refuses.
    pub async fn set_device_token(
        &self,
        device: &DeviceId,
        token: Option<String>,
    ) -> Result<(), EngineError> {
        let token = token.as_deref().map(checked).transpose()?.flatten();
        let (engine, device) = (self.clone(), device.clone());
        self.to_its_end(async move {
            let _turn = engine.shared.rooms.turn.lock().await;
            let open = engine.open_now()?;
            engine.check_own(&open, &device)?;
            engine.keep_device_token(&open, &device, token).await
        })
        .await
    }

    /// Does not show a found device again.
    ///
    /// # Errors
    /// [`EngineError::SettingsUnwritable`].
    pub async fn ignore_found(&self, key: &str) -> Result<(), EngineError> {
        let Some(found) = self.found(key) else {
            return Ok(());
        };
        let name = match found.instance {
            Some(instance) => instance.to_string(),
            None => found.address,
        };
        self.change_ignored(move |ignored| {
            if !ignored.contains(&name) {
                ignored.push(name);
            }
        })
        .await
    }

    /// Shows a found device again that was ignored, by the name that the settings have.
    ///
    /// # Errors
    /// [`EngineError::SettingsUnwritable`].
    pub async fn stop_ignoring(&self, name: &str) -> Result<(), EngineError> {
        self.change_ignored(|ignored| ignored.retain(|other| other != name))
            .await
    }

    async fn change_ignored(
        &self,
        change: impl FnOnce(&mut Vec<String>),
    ) -> Result<(), EngineError> {
        let _turn = self.shared.rooms.turn.lock().await;
        self.write_room_settings(|settings| change(&mut settings.room.ignored))
            .await?;
        if let Some(open) = self.shared.rooms.open() {
            self.ignore_in(&open).await;
        }
        Ok(())
    }

    pub(super) async fn ignore_in(&self, open: &OpenRoom) {
        let ignored = self.shared.state.borrow().settings.room.ignored.clone();
        if let Err(error) = open.room.set_ignored(ignored).await {
            tracing::warn!(%error, "found devices are not left out");
        }
    }

    fn open_now(&self) -> Result<OpenRoom, EngineError> {
        let open = self.shared.rooms.open();
        open.ok_or_else(|| RoomError::Closed.into())
    }

    fn found(&self, key: &str) -> Option<FoundDevice> {
        let state = self.shared.rooms.state.borrow();
        state.found.iter().find(|found| found.key == key).cloned()
    }

    /// Tells the room which devices there are now.
    async fn show_devices(&self, open: &OpenRoom) -> Result<(), EngineError> {
        let devices = self.room_devices(open.devices, &open.passing).await;
        let entries = devices.into_iter().map(|(entry, _)| entry).collect();
        Ok(open.room.set_devices(entries).await?)
    }

    /// Every device there is to be, with the tokens that need not be read.
    pub(super) async fn room_devices(
        &self,
        devices: Devices,
        passing: &Arc<Mutex<Vec<Trusted>>>,
    ) -> Vec<Trusted> {
        let passing = lock(passing).clone();
        if devices == Devices::Simulated {
            return passing;
        }
        let moves: Moves = self
            .shared
            .store
            .run(|store| store.recall(MOVED_KEY))
            .await
            .ok()
            .flatten()
            .unwrap_or_default();
        let mut all = passing;
        all.extend(self.shared.config.given_devices.devices.iter().cloned());
        let settings = self.shared.state.borrow().settings.room.devices.clone();
        for (id, settings) in &settings {
            if all.iter().any(|(entry, _)| entry.id == *id) {
                let fault = Fault::from(EngineError::from(RoomError::IdTaken { id: id.clone() }));
                self.warn_once(fault);
                continue;
            }
            let moved = moves.get(id).filter(|moved| moved.set == settings.address);
            let found = moved.map(|moved| moved.found.clone());
            all.push((entry(id, settings, Origin::Settings, found), None));
        }
        all
    }

    fn warn_once(&self, fault: Fault) {
        self.shared.state.send_if_modified(|state| {
            let new = !state.warnings.contains(&fault);
            if new {
                state.warnings.push(fault);
            }
            new
        });
    }

    /// Remembers where devices were found, for the next start.
    pub(super) async fn remember_moves(&self, state: &RoomState) {
        let settings = self.shared.state.borrow().settings.room.devices.clone();
        let moved = state.devices.iter().filter(|device| {
            let moved = |remark: &Remark| matches!(remark, Remark::Moved { .. });
            device.remarks.iter().any(moved)
        });
        let fresh: Moves = moved
            .filter_map(|device| {
                let set = settings.get(&device.id)?.address.clone();
                let found = device.address.as_ref()?.parse().ok()?;
                Some((device.id.clone(), Moved { set, found }))
            })
            .collect();
        if fresh.is_empty() || *lock(&self.shared.moves_written) == fresh {
            return;
        }
        let written = fresh.clone();
        let outcome = self.shared.store.run(move |store| {
            let mut moves: Moves = store.recall(MOVED_KEY)?.unwrap_or_default();
            moves.extend(fresh);
            store.remember(MOVED_KEY, Some(&moves))
        });
        match outcome.await {
            Ok(()) => *lock(&self.shared.moves_written) = written,
            Err(error) => tracing::warn!(%error, "it is not written where a device was found"),
        }
    }

    /// Reads the devices' tokens, in the background: a keyring may ask a person first.
    pub(super) fn read_device_tokens(&self, open: OpenRoom) {
        if open.devices == Devices::Simulated {
            return;
        }
        let engine = self.clone();
        let stopping = self.shared.stopping.clone();
        self.shared.rooms.reading.send_replace(true);
        self.shared.tasks.spawn(async move {
            tokio::select! {
                () = engine.read_tokens_into(&open) => {}
                () = stopping.cancelled() => {}
            }
            engine.shared.rooms.reading.send_replace(false);
        });
    }

    /// Reads the devices' tokens once more, where a keyring that was locked may be open now.
    pub(super) fn read_device_tokens_again(&self) {
        if !self.shared.rooms.unread.swap(false, Ordering::Relaxed) {
            return;
        }
        if let Some(open) = self.shared.rooms.open() {
            self.read_device_tokens(open);
        }
    }

    async fn read_tokens_into(&self, open: &OpenRoom) {
        let ids: Vec<DeviceId> = {
            let state = self.shared.state.borrow();
            state.settings.room.devices.keys().cloned().collect()
        };
        for id in ids {
            match self.shared.secrets.get(&credential(&id)).await {
                Ok(None) => {}
                Ok(Some(secret)) => {
                    let token = Token::from(secret.expose().to_owned());
                    if let Err(error) = open.room.set_token(&id, Some(token)).await {
                        tracing::debug!(%error, device = %id, "a token was not taken");
                    }
                }
                Err(SecretsError::Missing { .. } | SecretsError::MemoryOnly) => return,
                Err(error) => {
                    self.shared.rooms.unread.store(true, Ordering::Relaxed);
                    tracing::warn!(code = error.code(), %error, "devices' tokens cannot be read");
                    self.show_secrets(Some(&error));
                    return;
                }
            }
        }
    }

    /// Keeps a device's token, or forgets it, and tells the room.
    async fn keep_device_token(
        &self,
        open: &OpenRoom,
        device: &DeviceId,
        token: Option<String>,
    ) -> Result<(), EngineError> {
        let shown = token.clone().map(Token::from);
        if open.devices == Devices::Simulated {
            let mut passing = lock(&open.passing);
            if let Some((_, kept)) = passing.iter_mut().find(|(entry, _)| entry.id == *device) {
                kept.clone_from(&shown);
            }
        } else {
            self.write_device_token(device, token).await?;
        }
        Ok(open.room.set_token(device, shown).await?)
    }

    async fn write_device_token(
        &self,
        device: &DeviceId,
        token: Option<String>,
    ) -> Result<(), EngineError> {
        let credential = credential(device);
        let Some(token) = token else {
            return match self.shared.secrets.delete(&credential).await {
                // There is nothing to forget where nothing is kept.
                Err(SecretsError::Missing { .. } | SecretsError::MemoryOnly) => Ok(()),
                done => Ok(done?),
            };
        };
        let kept = self
            .shared
            .secrets
            .set(&credential, &Secret::from(token))
            .await;
        match &kept {
            Ok(crate::secrets::Kept::Now(why)) => self.show_secrets(Some(why)),
            Ok(crate::secrets::Kept::Lasting) => self.show_secrets(None),
            Err(error) => self.show_secrets(Some(error)),
        }
        kept?;
        Ok(())
    }

    /// Gives what is kept under a device's identifier to its new one.
    async fn rename_device(
        &self,
        open: &OpenRoom,
        before: &DeviceId,
        after: &DeviceId,
    ) -> Result<(), EngineError> {
        self.check_own(open, before)?;
        if open.devices == Devices::Simulated {
            for (entry, _) in lock(&open.passing).iter_mut() {
                if entry.id == *before {
                    entry.id = after.clone();
                }
            }
            return Ok(());
        }
        match self.shared.secrets.get(&credential(before)).await {
            Ok(Some(secret)) => {
                self.write_device_token(after, Some(secret.expose().to_owned()))
                    .await?;
                self.write_device_token(before, None).await?;
            }
            Ok(None) | Err(SecretsError::Missing { .. } | SecretsError::MemoryOnly) => {}
            Err(error) => return Err(error.into()),
        }
        let (from, to) = (before.clone(), after.clone());
        self.shared
            .store
            .run(move |store| store.rename_samples(&from, Some(&to)))
            .await?;
        let (from, to) = (before.clone(), after.clone());
        self.write_room_settings(move |settings| {
            let devices = &mut settings.room.devices;
            if let Some(device) = devices.remove(&from) {
                devices.insert(to.clone(), device);
            }
            for device in devices.values_mut() {
                if device.via.as_ref() == Some(&from) {
                    device.via = Some(to.clone());
                }
            }
        })
        .await?;
        self.show_devices(open).await?;
        // The lane of the new name has never had the token of the old one.
        if let Ok(Some(secret)) = self.shared.secrets.get(&credential(after)).await {
            let token = Token::from(secret.expose().to_owned());
            open.room.set_token(after, Some(token)).await?;
        }
        Ok(())
    }

    async fn write_room_settings(
        &self,
        change: impl FnOnce(&mut Settings),
    ) -> Result<(), EngineError> {
        let _turn = self.shared.saving.lock().await;
        let mut settings = self.shared.state.borrow().settings.clone();
        change(&mut settings);
        self.change(|state| state.settings = settings.clone());
        self.write_settings(settings).await
    }

    fn check_free(
        &self,
        open: &OpenRoom,
        id: &DeviceId,
        before: Option<&DeviceId>,
    ) -> Result<(), EngineError> {
        let taken = before != Some(id) && self.ids(open).contains(id);
        match taken {
            true => Err(RoomError::IdTaken { id: id.clone() }.into()),
            false => Ok(()),
        }
    }

    /// Whether the gateway is there and needs none itself, and whether the device may need one: the
    /// settings must hold nothing that the room does not take.
    fn check_gateway(&self, form: &DeviceForm) -> Result<(), EngineError> {
        let state = self.shared.rooms.state.borrow();
        let Some(gateway) = &form.via else {
            return Ok(());
        };
        let old = form.replaces.as_ref();
        let direct = state
            .devices
            .iter()
            .any(|device| device.id == *gateway && device.via.is_none());
        let relays = |id: &DeviceId| {
            let mut vias = state
                .devices
                .iter()
                .filter_map(|device| device.via.as_ref());
            vias.any(|via| via == id)
        };
        if !direct || *gateway == form.id || old == Some(gateway) || old.is_some_and(relays) {
            let gateway = gateway.clone();
            return Err(RoomError::GatewayInvalid { gateway }.into());
        }
        Ok(())
    }

    /// Whether a device can be changed here: it is there, and not of the environment.
    fn check_own(&self, open: &OpenRoom, id: &DeviceId) -> Result<(), EngineError> {
        let given = &self.shared.config.given_devices.devices;
        if open.devices != Devices::Simulated && given.iter().any(|(entry, _)| entry.id == *id) {
            return Err(EngineError::GivenDevice { id: id.clone() });
        }
        let known = self.ids(open);
        if known.contains(id) {
            return Ok(());
        }
        Err(RoomError::DeviceUnknown {
            id: id.to_string(),
            known,
        }
        .into())
    }

    fn ids(&self, open: &OpenRoom) -> Vec<DeviceId> {
        let mut ids: Vec<_> = lock(&open.passing)
            .iter()
            .map(|(entry, _)| entry.id.clone())
            .collect();
        if open.devices != Devices::Simulated {
            let given = &self.shared.config.given_devices.devices;
            ids.extend(given.iter().map(|(entry, _)| entry.id.clone()));
            let state = self.shared.state.borrow();
            ids.extend(state.settings.room.devices.keys().cloned());
        }
        ids
    }
}

/// A token that can be sent and kept; `None` where there is none in it.
fn checked(token: &str) -> Result<Option<String>, EngineError> {
    let token = token.trim();
    if token.len() > MAX_SECRET_BYTES {
        let bytes = token.len();
        return Err(SecretsError::TooLarge { bytes }.into());
    }
    if token.chars().any(char::is_control) {
        let (what, most) = ("token", MAX_SECRET_BYTES);
        return Err(RoomError::TextInvalid { what, most }.into());
    }
    Ok(Some(token.to_owned()).filter(|token| !token.is_empty()))
}

/// A form as the settings have it.
fn written(
    form: &DeviceForm,
    found: Option<&FoundDevice>,
    old: Option<DeviceSettings>,
) -> Result<DeviceSettings, EngineError> {
    let text = |what: &'static str, text: &str| {
        let text = text.trim();
        match text.chars().count() > MAX_NAME || text.chars().any(char::is_control) {
            true => Err(RoomError::TextInvalid {
                what,
                most: MAX_NAME,
            }),
            false => Ok(text.to_owned()),
        }
    };
    let room = text("room", &form.room)?;
    let address = match (&form.address, found) {
        (Some(address), _) => Some(address.clone()),
        (None, Some(found)) => Some(found.address.parse()?),
        (None, None) => None,
    };
    let was_found_as = old.and_then(|old| old.found_as);
    Ok(DeviceSettings {
        name: text("name", &form.name)?,
        room: Some(room).filter(|room| !room.is_empty()),
        address,
        found_as: found
            .and_then(|found| found.instance.clone())
            .or(was_found_as),
        via: form.via.clone(),
        volume_limit: Some(form.volume_limit).filter(|limit| *limit != loudest()),
    })
}

fn entry(
    id: &DeviceId,
    settings: &DeviceSettings,
    origin: Origin,
    moved: Option<Address>,
) -> DeviceEntry {
    DeviceEntry {
        id: id.clone(),
        name: match settings.name.trim() {
            "" => id.to_string(),
            name => name.to_owned(),
        },
        room: settings.room.clone(),
        address: moved.or_else(|| settings.address.clone()),
        found_as: settings.found_as.clone(),
        via: settings.via.clone(),
        volume_limit: settings.volume_limit.unwrap_or_else(loudest),
        origin,
    }
}
