//! Ready-made configurations for the programs that agents live in.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Value, json};

/// What stands in a configuration where the secret of a token belongs.
pub const TOKEN_PLACEHOLDER: &str = "<token>";

/// The name under which Regie appears in a client.
const SERVER: &str = "regie";

/// A program that can be told about Regie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum Client {
    /// Claude Desktop; its file takes programs to start, no addresses (CFG-1).
    ClaudeDesktop,
    /// Claude Code.
    ClaudeCode,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// The registry of a mascarade server.
    Mascarade,
}

/// How the text of a configuration is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub enum ConfigurationLanguage {
    /// JSON.
    Json,
    /// A line for a shell.
    Shell,
    /// Python.
    Python,
}

/// What a person copies into a client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(export))]
pub struct ClientConfiguration {
    /// Which client.
    pub client: Client,
    /// Its name.
    pub title: &'static str,
    /// How it will talk.
    pub transport: crate::Transport,
    /// The file the text goes into; `None`: it is no file.
    pub file: Option<String>,
    /// How the text is written.
    pub language: ConfigurationLanguage,
    /// The text, with [`TOKEN_PLACEHOLDER`] in place of a secret.
    pub text: String,
}

/// How Regie is reached, for a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The program.
    pub program: PathBuf,
    /// What it must be started with before `mcp`, such as another data folder.
    pub arguments: Vec<String>,
    /// The address of `/mcp`.
    pub address: String,
    /// The folder in which programs keep a person's settings: `%APPDATA%`, `~/.config` or
    /// `~/Library/Application Support`.
    pub settings_folder: PathBuf,
    /// The person's home folder.
    pub home: PathBuf,
    /// The folder of Claude Desktop's settings when it came from the Microsoft Store, which keeps
    /// them elsewhere (CFG-2).
    pub claude_store_folder: Option<PathBuf>,
}

impl Client {
    /// Every client, in the order in which they are offered.
    pub const ALL: [Self; 5] = [
        Self::ClaudeDesktop,
        Self::ClaudeCode,
        Self::Cursor,
        Self::VsCode,
        Self::Mascarade,
    ];

    /// Its name.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Mascarade => "mascarade",
        }
    }

    /// What is copied into it.
    pub fn configuration(self, installed: &Installed) -> ClientConfiguration {
        let (transport, language) = match self {
            Self::ClaudeDesktop => (crate::Transport::Stdio, ConfigurationLanguage::Json),
            Self::ClaudeCode => (crate::Transport::Http, ConfigurationLanguage::Shell),
            Self::Cursor | Self::VsCode => (crate::Transport::Http, ConfigurationLanguage::Json),
            Self::Mascarade => (crate::Transport::Http, ConfigurationLanguage::Python),
        };
        ClientConfiguration {
            client: self,
            title: self.title(),
            transport,
            file: self.file(installed).map(|file| file.display().to_string()),
            language,
            text: self.text(installed),
        }
    }

    fn file(self, installed: &Installed) -> Option<PathBuf> {
        match self {
            Self::ClaudeDesktop => {
                let usual = installed.settings_folder.join("Claude");
                let folder = installed.claude_store_folder.clone().unwrap_or(usual);
                Some(folder.join("claude_desktop_config.json"))
            }
            Self::Cursor => Some(installed.home.join(".cursor").join("mcp.json")),
            Self::VsCode => {
                let user = installed.settings_folder.join("Code").join("User");
                Some(user.join("mcp.json"))
            }
            Self::ClaudeCode | Self::Mascarade => None,
        }
    }

    fn text(self, installed: &Installed) -> String {
        let address = &installed.address;
        let bearer = format!("Bearer {TOKEN_PLACEHOLDER}");
        match self {
            Self::ClaudeDesktop => {
                let arguments = installed.arguments.iter().map(String::as_str);
                let arguments: Vec<&str> = arguments.chain(["mcp"]).collect();
                let server = json!({ "command": installed.program, "args": arguments });
                pretty(&json!({ "mcpServers": { SERVER: server } }))
            }
            Self::ClaudeCode => format!(
                "claude mcp add --scope user --transport http {SERVER} {address} --header \"Authorization: {bearer}\""
            ),
            Self::Cursor => {
                let server = json!({ "url": address, "headers": { "Authorization": bearer } });
                pretty(&json!({ "mcpServers": { SERVER: server } }))
            }
            Self::VsCode => {
                let headers = json!({ "Authorization": bearer });
                let server = json!({ "type": "http", "url": address, "headers": headers });
                pretty(&json!({ "servers": { SERVER: server } }))
            }
            // The hardware specification, 3.3.
            Self::Mascarade => format!(
                "{{\n    \"name\": \"zacus-hardware\",\n    \"description\": \"ESP32-S3 escape room hardware control\",\n    \"transport\": \"http\",\n    \"url\": \"{address}\",\n    \"auth\": {{\"type\": \"bearer\", \"token_env\": \"MASCARADE_API_KEY\"}},\n    \"enabled_env\": \"ZACUS_MCP_ENABLED\",\n}}\n# in mascarade's environment: MASCARADE_API_KEY={TOKEN_PLACEHOLDER}"
            ),
        }
    }
}

/// A value made here can always be written.
fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(program: &str) -> Installed {
        Installed {
            program: program.into(),
            arguments: vec!["--data-dir".into(), "/srv/my clocks".into()],
            address: "http://127.0.0.1:8790/mcp".into(),
            settings_folder: "/home/ana/.config".into(),
            home: "/home/ana".into(),
            claude_store_folder: None,
        }
    }

    #[test]
    fn claude_desktop_starts_the_program_itself_wherever_it_is_cfg_1_cfg_3() {
        for program in [r"C:\Program Files\Regie\regie.exe", "/opt/regie ü/regie"] {
            let made = Client::ClaudeDesktop.configuration(&installed(program));
            let json: Value = serde_json::from_str(&made.text).unwrap();
            let server = &json["mcpServers"]["regie"];
            assert_eq!(server["command"], program);
            assert_eq!(
                server["args"],
                json!(["--data-dir", "/srv/my clocks", "mcp"])
            );
            assert!(server.get("url").is_none(), "its file skips addresses");
            assert!(!made.text.contains(TOKEN_PLACEHOLDER));
        }
    }

    #[test]
    fn every_other_client_is_given_the_address_and_a_place_for_the_token() {
        for client in Client::ALL {
            let made = client.configuration(&installed("/usr/bin/regie"));
            if client == Client::ClaudeDesktop {
                continue;
            }
            assert!(
                made.text.contains("http://127.0.0.1:8790/mcp"),
                "{client:?}"
            );
            assert_eq!(
                made.text.matches(TOKEN_PLACEHOLDER).count(),
                1,
                "{client:?}"
            );
            if made.language == ConfigurationLanguage::Json {
                let json: Value = serde_json::from_str(&made.text).unwrap();
                assert!(json.is_object());
            }
        }
    }

    #[test]
    fn the_store_version_of_claude_desktop_is_found_where_it_reads_cfg_2() {
        let store = Installed {
            claude_store_folder: Some("/packages/Claude".into()),
            ..installed("regie")
        };
        let file = |installed: &Installed| Client::ClaudeDesktop.configuration(installed).file;
        assert_eq!(
            file(&store).unwrap(),
            PathBuf::from("/packages/Claude")
                .join("claude_desktop_config.json")
                .display()
                .to_string()
        );
        assert!(file(&installed("regie")).unwrap().contains(".config"));
    }
}
