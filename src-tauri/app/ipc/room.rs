//! What the window can ask about the room.

use regie_engine::rooms::{Address, DeviceId, FoundDevice, Request, RoomState, Sample};
use regie_engine::{DeviceAnswer, DeviceForm, Door, Engine};
use tauri::State;

use super::Answer;

#[tauri::command]
pub(super) fn room(engine: State<'_, Engine>) -> RoomState {
    engine.room_state().borrow().clone()
}

#[tauri::command]
pub(super) async fn ask_device(
    engine: State<'_, Engine>,
    device: String,
    request: Request,
) -> Answer<DeviceAnswer> {
    Ok(engine
        .ask_device(Door::Window, &device, request)
        .await?
        .into())
}

#[tauri::command]
pub(super) async fn save_device(engine: State<'_, Engine>, form: DeviceForm) -> Answer<()> {
    Ok(engine.save_device(form).await?)
}

#[tauri::command]
pub(super) async fn remove_device(engine: State<'_, Engine>, device: DeviceId) -> Answer<()> {
    Ok(engine.remove_device(&device).await?)
}

#[tauri::command]
pub(super) async fn set_device_token(
    engine: State<'_, Engine>,
    device: DeviceId,
    token: Option<String>,
) -> Answer<()> {
    Ok(engine.set_device_token(&device, token).await?)
}

#[tauri::command]
pub(super) async fn ignore_found(engine: State<'_, Engine>, key: String) -> Answer<()> {
    Ok(engine.ignore_found(&key).await?)
}

#[tauri::command]
pub(super) async fn stop_ignoring(engine: State<'_, Engine>, name: String) -> Answer<()> {
    Ok(engine.stop_ignoring(&name).await?)
}

#[tauri::command]
pub(super) async fn look_at_device(
    engine: State<'_, Engine>,
    address: String,
) -> Answer<FoundDevice> {
    let address: Address = address.parse().map_err(regie_engine::EngineError::from)?;
    Ok(engine.look_at_device(address).await?)
}

#[tauri::command]
pub(super) fn try_device_now(engine: State<'_, Engine>, device: DeviceId) -> Answer<()> {
    Ok(engine.try_device_now(&device)?)
}

#[tauri::command]
pub(super) async fn device_history(
    engine: State<'_, Engine>,
    device: DeviceId,
    since: u64,
) -> Answer<Vec<Sample>> {
    Ok(engine.device_history(&device, since).await?)
}
