//! Compiles the permissions of the window and the Windows resources.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("src-tauri/app/capabilities/*.json");
    tauri_build::try_build(attributes)?;
    Ok(())
}
