//! What btleplug leaves to be asked of Windows. Checked against the sources of btleplug 0.13.5 and
//! Microsoft's Windows Runtime reference (namespaces `Windows.Devices.Bluetooth`,
//! `Windows.Devices.Radios`).

use btleplug::api::BDAddr;
use windows::Devices::Bluetooth::GenericAttributeProfile::{GattCommunicationStatus, GattSession};
use windows::Devices::Bluetooth::{BluetoothAdapter, BluetoothCacheMode, BluetoothLEDevice};
use windows::Devices::Enumeration::DeviceInformation;
use windows::Devices::Radios::RadioState;
use windows::Security::Authorization::AppCapabilityAccess::{
    AppCapability, AppCapabilityAccessStatus,
};
use windows::core::h;

use crate::link::Unavailable;

/// Whether btleplug reads services as the system has stored them, instead of from the device.
pub(in crate::bluetooth) const SERVICES_ARE_STORED: bool = true;

/// Whether there is an adapter and its radio is on. btleplug tells neither a missing radio nor one
/// that a hardware switch or a policy has disabled from one whose state is not known (BLE-8).
pub(in crate::bluetooth) async fn available() -> btleplug::Result<Option<Unavailable>> {
    let selector = BluetoothAdapter::GetDeviceSelector()?;
    let adapters = DeviceInformation::FindAllAsyncAqsFilter(&selector)?.await?;
    if adapters.Size()? == 0 {
        return Ok(Some(Unavailable::NoAdapter));
    }
    let adapter = BluetoothAdapter::GetDefaultAsync()?.await?;
    // A radio that cannot be had is no proof that it is off: 32-bit programs on 64-bit Windows
    // never get it (BLE-12).
    let state = match adapter.GetRadioAsync()?.await {
        Ok(radio) => radio.State()?,
        Err(error) => {
            tracing::debug!(?error, "Windows does not hand out the radio");
            return Ok(None);
        }
    };
    let off = state == RadioState::Off || state == RadioState::Disabled;
    Ok(off.then_some(Unavailable::RadioOff))
}

/// Whether a person has forbidden Bluetooth to this program in Windows' privacy settings; none
/// where Windows does not say, as for most programs outside its store.
pub(in crate::bluetooth) fn forbidden() -> Option<bool> {
    let access = AppCapability::Create(h!("bluetooth"))
        .and_then(|capability| capability.CheckAccess())
        .ok()?;
    if access == AppCapabilityAccessStatus::DeniedByUser {
        Some(true)
    } else if access == AppCapabilityAccessStatus::Allowed {
        Some(false)
    } else {
        None
    }
}

/// The name that Windows knows a device by; a connected device does not advertise one.
pub(in crate::bluetooth) async fn name_of(address: BDAddr) -> Option<String> {
    let device = device(address).await.ok()?;
    let name = device.0.Name().ok()?.to_string();
    (!name.is_empty()).then_some(name)
}

/// Asks a device itself for its services, past what Windows has stored about it. btleplug does so
/// only when it makes the connection, so not for a device that was connected already; afterwards it
/// reads what is stored (BLE-11).
pub(in crate::bluetooth) async fn read_anew(address: BDAddr) -> btleplug::Result<()> {
    let device = device(address).await?;
    let answer = device
        .0
        .GetGattServicesWithCacheModeAsync(BluetoothCacheMode::Uncached)?
        .await?;
    let status = answer.Status()?;
    for service in answer.Services()? {
        // Each open service would keep the link (BLE-4).
        if let Err(error) = service.Close() {
            tracing::debug!(?error, "a service did not close");
        }
    }
    if status == GattCommunicationStatus::Success {
        Ok(())
    } else {
        let text = format!("{status:?} on reading the services");
        Err(btleplug::Error::Other(text.into()))
    }
}

/// A device's object, closed when it goes: one that stays open keeps the link (BLE-4).
struct Device(BluetoothLEDevice);

async fn device(address: BDAddr) -> btleplug::Result<Device> {
    let found = BluetoothLEDevice::FromBluetoothAddressAsync(address.into())?.await?;
    Ok(Device(found))
}

impl Drop for Device {
    fn drop(&mut self) {
        if let Err(error) = self.0.Close() {
            tracing::debug!(?error, "a device did not close");
        }
    }
}

/// Asks Windows to keep a link for as long as this lives, also while nothing is sent; without it,
/// Windows may let an idle link go and report the least MTU until it is made anew (BLE-7).
pub(in crate::bluetooth) struct Kept {
    session: GattSession,
}

impl Kept {
    /// Keeps the link to a device that is connected; none where Windows does not, which is no
    /// failure.
    pub(in crate::bluetooth) async fn hold(address: BDAddr) -> Option<Self> {
        match Self::try_hold(address).await {
            Ok(kept) => Some(kept),
            Err(error) => {
                tracing::debug!(%error, "Windows is not asked to keep the link");
                None
            }
        }
    }

    async fn try_hold(address: BDAddr) -> btleplug::Result<Self> {
        let device = device(address).await?;
        let opening = GattSession::FromDeviceIdAsync(&device.0.BluetoothDeviceId()?)?;
        let kept = Self {
            session: opening.await?,
        };
        kept.session.SetMaintainConnection(true)?;
        Ok(kept)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        let ended = self
            .session
            .SetMaintainConnection(false)
            .and_then(|()| self.session.Close());
        if let Err(error) = ended {
            tracing::debug!(?error, "a session did not close");
        }
    }
}
