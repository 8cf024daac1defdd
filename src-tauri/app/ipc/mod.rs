//! What the window can ask: each command is one call of the engine.

mod agents;
mod room;

use std::path::PathBuf;

use percent_encoding::percent_decode_str;
use regie_engine::{
    Composition, CountdownPlan, CountdownStyle, Door, Engine, EngineError, Face, Fault, Frame,
    JournalEntry, Lesson, Options, PictureInfo, Settings, TemplateInfo, Toggle,
};
use tauri::State;
use tauri::ipc::{InvokeBody, Request, Response};

use crate::devices::{Devices, screen_frame};
use crate::handed_over::HandedOver;
use crate::{login, system_settings};

/// Entries of the journal that one call may ask for.
const MAX_JOURNAL: u32 = 1_000;

/// The commands, for the builder of the app.
pub(crate) fn handler() -> impl Fn(tauri::ipc::Invoke) -> bool + Send + Sync + 'static {
    tauri::generate_handler![
        state,
        handed_over,
        open_path,
        open_bytes,
        render,
        original,
        thumbnails,
        slot_picture,
        simulated_screen,
        show,
        show_slot,
        templates,
        compose,
        show_composition,
        countdown,
        countdown_off,
        countdown_line,
        calendar_text,
        host_calendar,
        teach,
        try_lesson,
        cancel,
        dismiss,
        set_time,
        set_face,
        toggle,
        quiet_hours,
        clear,
        starts_at_login,
        start_at_login,
        system_settings,
        open_system_settings,
        scan,
        choose_clock,
        zones,
        save_settings,
        journal,
        agents::agents,
        agents::switch_server,
        agents::make_token,
        agents::reveal_token,
        agents::replace_token,
        agents::rename_token,
        agents::revoke_token,
        agents::client_configurations,
        agents::client_configuration,
        room::room,
        room::ask_device,
        room::save_device,
        room::remove_device,
        room::set_device_token,
        room::ignore_found,
        room::stop_ignoring,
        room::look_at_device,
        room::try_device_now,
        room::device_history
    ]
}

type Answer<T> = Result<T, Fault>;

#[tauri::command]
fn state(engine: State<'_, Engine>) -> regie_engine::AppState {
    engine.state().borrow().clone()
}

/// The picture that Regie was started with, once.
#[tauri::command]
fn handed_over(pictures: State<'_, HandedOver>) -> Option<PathBuf> {
    pictures.take()
}

#[tauri::command]
async fn open_path(engine: State<'_, Engine>, path: PathBuf) -> Answer<PictureInfo> {
    Ok(engine.open_path(&path).await?)
}

/// The picture is the raw body; its name comes percent-encoded in the header `name`.
#[tauri::command]
async fn open_bytes(engine: State<'_, Engine>, request: Request<'_>) -> Answer<PictureInfo> {
    let name = request
        .headers()
        .get("name")
        .and_then(|name| name.to_str().ok())
        .map(|name| percent_decode_str(name).decode_utf8_lossy().into_owned())
        .unwrap_or_default();
    let bytes = match request.body() {
        InvokeBody::Raw(bytes) => bytes.clone(),
        InvokeBody::Json(_) => Vec::new(),
    };
    Ok(engine.open_bytes(name, bytes).await?)
}

#[tauri::command]
async fn render(engine: State<'_, Engine>, picture: u32, options: Options) -> Answer<Response> {
    Ok(frame(engine.render(picture, options).await?))
}

#[tauri::command]
async fn original(engine: State<'_, Engine>, picture: u32, options: Options) -> Answer<Response> {
    Ok(frame(&engine.original(picture, options).await?))
}

#[tauri::command]
async fn thumbnails(engine: State<'_, Engine>, picture: u32, options: Options) -> Answer<Response> {
    Ok(frame(engine.thumbnails(picture, options).await?))
}

#[tauri::command]
async fn slot_picture(engine: State<'_, Engine>, slot: u8) -> Answer<Response> {
    Ok(frame(&engine.slot_planes(slot).await?))
}

#[tauri::command]
async fn simulated_screen(
    engine: State<'_, Engine>,
    devices: State<'_, Devices>,
) -> Answer<Response> {
    let screen = devices
        .simulated_screen(engine.state().borrow().clock.chosen.as_ref())
        .ok_or(EngineError::NotSimulated)?;
    Ok(frame(screen_frame(&screen)))
}

#[tauri::command]
async fn show(engine: State<'_, Engine>, picture: u32, options: Options, slot: u8) -> Answer<u32> {
    Ok(engine.show(Door::Window, picture, options, slot).await?.id)
}

#[tauri::command]
async fn show_slot(engine: State<'_, Engine>, slot: u8) -> Answer<u32> {
    Ok(engine.show_slot(Door::Window, slot).await?.id)
}

#[tauri::command]
fn templates() -> Vec<TemplateInfo> {
    regie_engine::templates()
}

#[tauri::command]
async fn compose(engine: State<'_, Engine>, composition: Composition) -> Answer<Response> {
    Ok(frame(engine.compose(composition).await?))
}

#[tauri::command]
async fn show_composition(
    engine: State<'_, Engine>,
    composition: Composition,
    slot: u8,
) -> Answer<u32> {
    let submitted = engine.show_composition(Door::Window, composition, slot);
    Ok(submitted.await?.id)
}

#[tauri::command]
async fn countdown(engine: State<'_, Engine>, plan: CountdownPlan) -> Answer<u32> {
    Ok(engine.countdown(Door::Window, plan).await?.id)
}

#[tauri::command]
async fn countdown_off(engine: State<'_, Engine>) -> Answer<u32> {
    Ok(engine.countdown_off(Door::Window).await?.id)
}

#[tauri::command]
async fn countdown_line(
    engine: State<'_, Engine>,
    style: CountdownStyle,
    text: String,
) -> Answer<Response> {
    Ok(frame(engine.countdown_line(style, text).await?))
}

#[tauri::command]
async fn calendar_text(engine: State<'_, Engine>, text: String) -> Answer<u32> {
    Ok(engine.calendar_text(Door::Window, &text).await?.id)
}

#[tauri::command]
async fn host_calendar(engine: State<'_, Engine>, text: Option<String>) -> Answer<u32> {
    Ok(engine.host_calendar(Door::Window, text).await?.id)
}

#[tauri::command]
async fn teach(engine: State<'_, Engine>, lesson: Lesson) -> Answer<()> {
    Ok(engine.teach(lesson).await?)
}

#[tauri::command]
async fn try_lesson(engine: State<'_, Engine>, lesson: Lesson) -> Answer<u32> {
    Ok(engine.try_lesson(Door::Window, &lesson).await?.id)
}

#[tauri::command]
fn cancel(engine: State<'_, Engine>, operation: u32) {
    engine.cancel(operation);
}

#[tauri::command]
fn dismiss(engine: State<'_, Engine>, operation: u32) {
    engine.dismiss(operation);
}

#[tauri::command]
async fn set_time(engine: State<'_, Engine>, zone: Option<String>) -> Answer<u32> {
    Ok(engine.set_time(Door::Window, zone.as_deref()).await?.id)
}

#[tauri::command]
async fn set_face(engine: State<'_, Engine>, face: Face) -> Answer<u32> {
    Ok(engine.set_face(Door::Window, face).await?.id)
}

#[tauri::command]
async fn toggle(engine: State<'_, Engine>, toggle: Toggle) -> Answer<u32> {
    Ok(engine.toggle(Door::Window, toggle).await?.id)
}

#[tauri::command]
async fn quiet_hours(
    engine: State<'_, Engine>,
    on: bool,
    start_hour: u8,
    end_hour: u8,
) -> Answer<u32> {
    let submitted = engine
        .quiet_hours(Door::Window, on, start_hour, end_hour)
        .await?;
    Ok(submitted.id)
}

#[tauri::command]
async fn clear(engine: State<'_, Engine>) -> Answer<u32> {
    Ok(engine.clear(Door::Window).await?.id)
}

#[tauri::command]
fn system_settings() -> Vec<&'static str> {
    system_settings::reachable()
}

#[tauri::command]
async fn starts_at_login() -> Option<bool> {
    login::starts()
}

#[tauri::command]
async fn start_at_login(on: bool) -> Answer<()> {
    login::start(on)
}

#[tauri::command]
async fn open_system_settings(code: String) -> Answer<()> {
    system_settings::open(&code)
}

#[tauri::command]
async fn scan(engine: State<'_, Engine>) -> Answer<()> {
    Ok(engine.scan().await?)
}

#[tauri::command]
async fn choose_clock(engine: State<'_, Engine>, address: Option<String>) -> Answer<()> {
    Ok(engine.choose_clock(address.as_deref()).await?)
}

#[tauri::command]
fn zones() -> Vec<String> {
    regie_engine::zones()
}

#[tauri::command]
async fn save_settings(engine: State<'_, Engine>, settings: Settings) -> Answer<()> {
    Ok(engine.save_settings(settings).await?)
}

#[tauri::command]
async fn journal(engine: State<'_, Engine>, limit: u32) -> Answer<Vec<JournalEntry>> {
    Ok(engine.journal(limit.min(MAX_JOURNAL)).await?)
}

fn frame(frame: impl Into<Frame>) -> Response {
    Response::new(frame.into().to_bytes())
}
