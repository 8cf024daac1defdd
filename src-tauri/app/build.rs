//! Compiles the permissions of the window and the Windows resources.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let windows = tauri_build::WindowsAttributes::new()
        .app_manifest(include_str!("../../packaging/windows/regie.manifest"));
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("src-tauri/app/capabilities/*.json")
        .windows_attributes(windows);
    tauri_build::try_build(attributes)?;
    Ok(())
}
