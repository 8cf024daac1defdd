//! The command line's grammar; its help and errors come from here too.

mod listen_host;
mod room;

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use regie_engine::SLOTS;
use regie_imaging::{AdjustKey, Algorithm};
use regie_mcp::Toolset;

pub(crate) use self::listen_host::ListenHost;
pub(crate) use self::room::{RoomAction, RoomArguments};

/// Shows pictures on battery e-ink clocks over Bluetooth, and runs escape rooms. Without a command: the
/// window.
#[derive(Debug, Parser)]
#[command(name = "regie", version, about)]
pub struct Arguments {
    /// Use simulated devices instead of this machine's Bluetooth and network.
    #[arg(long, global = true)]
    pub demo: bool,
    /// With --demo: quick clocks, and some that always fail, to try other programs against.
    #[arg(long, global = true, hide = true, requires = "demo")]
    pub rehearsal: bool,
    /// Start in the tray, without showing the window.
    #[arg(long)]
    pub hidden: bool,
    /// Keep settings and data in this folder instead of the system's own.
    #[arg(long, global = true, value_name = "FOLDER")]
    pub data_dir: Option<PathBuf>,
    /// A picture to open in the window.
    #[arg(value_name = "PICTURE")]
    pub picture: Option<PathBuf>,
    /// What to do without a window.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What can be done without a window.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Render a picture as the clock would show it.
    Image(ImageArguments),
    /// Drive the clock.
    Clock(ClockArguments),
    /// Drive the devices of an escape room.
    Room(RoomArguments),
    /// Look for what of this machine keeps Regie from working; nothing is changed. 3 where there is
    /// something. For a clock there is `regie clock doctor`.
    Doctor(CheckupArguments),
    /// End the window or the server that runs, as Quit in its tray does. 0 when none runs any more.
    Quit,
    /// Forget everything: settings, history, pictures in slots, and tokens in the system's keyring.
    Erase(EraseArguments),
    /// Let AI agents use the clock and the room (MCP): one client that starts this program, or many over HTTP.
    Mcp(McpArguments),
}

/// `regie doctor`.
#[derive(Debug, Args)]
pub struct CheckupArguments {
    /// Answer as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `regie erase`.
#[derive(Debug, Args)]
pub struct EraseArguments {
    /// Do it; otherwise it is only said what would go.
    #[arg(long)]
    pub yes: bool,
}

/// A picture and how it is to be prepared.
#[derive(Debug, Args)]
pub struct PictureArguments {
    /// The picture: JPEG, PNG, GIF, WebP, BMP, TIFF or SVG.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Dithering method, one of those listed below.
    #[arg(long, value_name = "METHOD", default_value = "atkinson")]
    pub algo: String,
    /// An adjustment such as brightness=20, fit=contain or rotate=90; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub adjust: Vec<String>,
    /// full (400x300) or small (280x100).
    #[arg(long, value_name = "SIZE", value_parser = ["full", "small"])]
    pub size: Option<String>,
    /// Black and white only.
    #[arg(long)]
    pub mono: bool,
}

/// What the picture options can be, from the definitions that read them.
fn picture_help() -> String {
    use std::fmt::Write as _;

    let mut help = String::from("Methods (--algo):\n");
    for algorithm in Algorithm::ALL {
        // Writing to a string does not fail.
        let _written = writeln!(help, "  {:16}{}", algorithm.name(), algorithm.title());
    }
    help.push_str("\nAdjustments (--adjust KEY=VALUE):\n");
    for key in AdjustKey::ALL {
        let _written = writeln!(help, "  {:16}{}", key.name(), key.range());
    }
    help
}

/// `regie image`.
#[derive(Debug, Args)]
#[command(after_help = picture_help())]
pub struct ImageArguments {
    /// The picture and its preparation.
    #[command(flatten)]
    pub picture: PictureArguments,
    /// Write what the clock would show as a PNG.
    #[arg(long, value_name = "PNG")]
    pub preview: Option<PathBuf>,
    /// Write the planes that would be sent: black-and-white, then red.
    #[arg(long, value_name = "BIN")]
    pub planes: Option<PathBuf>,
    /// Draw the preview in the panel's real inks instead of pure colours.
    #[arg(long)]
    pub real_inks: bool,
    /// Answer as one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// What `regie mcp` takes from its environment.
const MCP_HELP: &str = "\
Environment:
  REGIE_SECRETS_FILE  Keep tokens in this file instead of the system's keyring, as where there is
                      none; it is made where it does not exist
  PPCLOCK_MCP_TOKEN   A token that is accepted too, such as one that two programs share
  MASCARADE_API_KEY   The same, for a mascarade server
  MCP_HARDWARE_PORT   The port for HTTP, unless --port says another";

/// Where tokens are, for those who make the first one.
const TOKEN_HELP: &str = "\
Tokens are kept in the system's keyring. Where there is none, as on a machine with only a console,
name a file in REGIE_SECRETS_FILE, each time Regie is started; it is made where there is none.

Examples:
  regie mcp token --new kitchen
  REGIE_SECRETS_FILE=/home/ana/regie-tokens regie mcp token --new kitchen";

/// `regie mcp`.
#[derive(Debug, Args)]
#[command(after_help = MCP_HELP)]
pub struct McpArguments {
    /// How agents talk.
    #[arg(long, value_name = "HOW", default_value = "stdio", value_enum)]
    pub transport: Transport,
    /// With http: the address to listen on, such as 0.0.0.0 for the whole network, which needs a
    /// token; localhost (127.0.0.1 and ::1) by default.
    #[arg(long, value_name = "ADDRESS")]
    pub host: Option<ListenHost>,
    /// With http: the port; otherwise that of MCP_HARDWARE_PORT, else of the settings (8790 by
    /// default). 0 takes one that is free.
    #[arg(long)]
    pub port: Option<u16>,
    /// The clock for calls that name none; otherwise the remembered one, else the first one heard.
    #[arg(long, visible_alias = "clock", value_name = "ADDRESS")]
    pub mac: Option<String>,
    /// How long an unused link is kept, 300 unless the settings say otherwise; 0 lets go after each
    /// operation. Means nothing while another Regie (window or server) has the clock.
    #[arg(long, value_name = "SECONDS")]
    pub idle_timeout: Option<u32>,
    /// Which tools to offer: all, clock or room.
    #[arg(long, value_name = "WHICH", default_value_t)]
    pub tools: Toolset,
    /// What to do instead.
    #[command(subcommand)]
    pub command: Option<McpCommand>,
}

/// How agents talk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Transport {
    /// One agent, on the standard streams of this program.
    Stdio,
    /// Any number, over HTTP with a token.
    Http,
}

impl McpArguments {
    /// The first of the options that only serving has a use for, where `token` is asked for
    /// instead.
    pub(crate) fn useless(&self) -> Option<&'static str> {
        self.command.as_ref()?;
        [
            ("--transport", self.transport != Transport::Stdio),
            ("--host", self.host.is_some()),
            ("--port", self.port.is_some()),
            ("--mac", self.mac.is_some()),
            ("--idle-timeout", self.idle_timeout.is_some()),
            ("--tools", self.tools != Toolset::All),
        ]
        .into_iter()
        .find_map(|(option, given)| given.then_some(option))
    }
}

/// What `regie mcp` does besides serving.
#[derive(Debug, Subcommand)]
pub enum McpCommand {
    /// List the tokens that let agents in over HTTP, or change them.
    #[command(after_help = TOKEN_HELP)]
    Token(TokenArguments),
}

/// `regie mcp token`.
#[derive(Debug, Args)]
#[group(multiple = false)]
pub struct TokenArguments {
    /// List them, without their secrets; what is done when nothing else is asked for.
    #[arg(long)]
    pub list: bool,
    /// Make one, named after the agent that gets it, and print its secret.
    #[arg(long, value_name = "NAME")]
    pub new: Option<String>,
    /// Print the secret of one.
    #[arg(long, value_name = "NAME")]
    pub show: Option<String>,
    /// Give one another secret, and print that; the one before is refused from then on.
    #[arg(long, value_name = "NAME")]
    pub replace: Option<String>,
    /// Take one away; it is refused from then on.
    #[arg(long, value_name = "NAME")]
    pub revoke: Option<String>,
}

/// One of the clock's slots.
fn slot() -> impl TypedValueParser<Value = u8> {
    clap::value_parser!(u8).range(..i64::from(SLOTS))
}

/// A page of words.
#[derive(Debug, Args)]
pub struct PageArguments {
    /// Slot to keep it in, 0 to 3.
    #[arg(long, default_value_t = 0, value_parser = slot())]
    pub slot: u8,
    /// Only write what the clock would show, as a PNG.
    #[arg(long, value_name = "PNG")]
    pub preview: Option<PathBuf>,
}

/// The templates and what can be filled in, from their definitions.
fn template_help() -> String {
    use std::fmt::Write as _;

    let mut help = String::from("Templates:\n");
    for template in regie_engine::templates() {
        // Writing to a string does not fail.
        let _written = writeln!(help, "  {:10}{}", template.name, template.about);
        let _written = writeln!(help, "            {}", template.example);
    }
    help
}

/// `regie clock`.
#[derive(Debug, Args)]
pub struct ClockArguments {
    /// The clock's address; otherwise the remembered one, else the first one heard.
    #[arg(long, visible_alias = "clock", global = true, value_name = "ADDRESS")]
    pub mac: Option<String>,
    /// Answer as one JSON object.
    #[arg(long, global = true)]
    pub json: bool,
    /// With --demo: write the simulated clock's screen as a PNG at the end.
    #[arg(long, global = true, value_name = "PNG")]
    pub screen: Option<PathBuf>,
    /// What to do.
    #[command(subcommand)]
    pub action: ClockAction,
}

/// What can be asked of the clock.
#[derive(Debug, Subcommand)]
pub enum ClockAction {
    /// List the clocks that can be heard.
    Scan {
        /// How long to listen, 1 to 90; a clock wakes every 30 to 60.
        #[arg(long, value_name = "SECONDS", default_value_t = 5,
              value_parser = clap::value_parser!(u32).range(1..=90))]
        timeout: u32,
    },
    /// Say what is known of the clock.
    Status,
    /// Show a picture.
    #[command(after_help = picture_help())]
    Show {
        /// The picture and its preparation.
        #[command(flatten)]
        picture: PictureArguments,
        /// Slot to keep the picture in, 0 to 3.
        #[arg(long, default_value_t = 0, value_parser = slot())]
        slot: u8,
    },
    /// Set the clock's time.
    SetTime {
        /// IANA name (Europe/Paris) or offset (5.5, +05:45); this computer's zone by default.
        #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
        tz: Option<String>,
    },
    /// Change what the clock shows: clock1, clock2, clock3, calendar1, calendar2, calendar3; image0
    /// to image3 for a kept picture; mono or tricolor for the picture shown, without and with red.
    Mode {
        /// The mode.
        mode: String,
    },
    /// Flip a setting: invert, rotate180, clock_color, font or hour_format.
    Toggle {
        /// The setting.
        name: String,
    },
    /// Set the hours in which the screen rests.
    Sleep {
        /// on or off.
        #[arg(value_parser = ["on", "off"])]
        state: String,
        /// First hour, 0 to 23.
        #[arg(default_value_t = 23)]
        start_hour: u8,
        /// Hour at which they end, 0 to 23.
        #[arg(default_value_t = 6)]
        end_hour: u8,
    },
    /// Count the days down to a date.
    Countdown {
        /// The day, YYYY-MM-DD.
        date: String,
        /// On the clock face or on the calendar.
        #[arg(long, default_value = "clock", value_parser = ["clock", "calendar"])]
        mode: String,
        /// Words before it: at most 8 characters on the clock face, 4 on the calendar.
        #[arg(long, value_name = "WORDS")]
        text: Option<String>,
    },
    /// End the countdown.
    CountdownOff,
    /// Show a text of one's own, as large as it fits.
    Text {
        /// The words; \n begins a new line.
        text: String,
        /// Ink of the letters.
        #[arg(long, default_value = "black", value_parser = ["black", "white", "red"])]
        ink: String,
        /// What they stand on.
        #[arg(long, default_value = "white", value_parser = ["black", "white", "red"])]
        paper: String,
        /// Where lines start.
        #[arg(long, default_value = "centre", value_parser = ["start", "centre", "end"])]
        align: String,
        /// Ordinary strokes instead of strong ones.
        #[arg(long)]
        thin: bool,
        /// Largest type size in pixels, 12 to 200.
        #[arg(long, value_parser = clap::value_parser!(u16).range(12..=200))]
        size: Option<u16>,
        /// Where to keep it, and whether only to look at it.
        #[command(flatten)]
        page: PageArguments,
    },
    /// Show a template filled in.
    #[command(after_help = template_help())]
    Template {
        /// The template, one of those listed below.
        name: String,
        /// What it shows: JSON, a plain file of at most 256 KB with JSON in it, or - for the
        /// standard input; its example by default.
        #[arg(long, value_name = "JSON")]
        payload: Option<String>,
        /// Black and white only.
        #[arg(long)]
        mono: bool,
        /// Where to keep it, and whether only to look at it.
        #[command(flatten)]
        page: PageArguments,
    },
    /// Put a short text into the calendar and show that.
    CalendarText {
        /// The text.
        text: String,
    },
    /// Show a calendar that this computer draws; the window, while it runs, draws it again when
    /// the day changes.
    Calendar {
        /// Words over it; \n begins a new line.
        #[arg(long, value_name = "WORDS")]
        text: Option<String>,
    },
    /// Make the screen white.
    Clear,
    /// Look for what keeps a clock from working, from this machine's Bluetooth to the clock's
    /// answer. Changes nothing that the clock shows. Exit code 3 when something does not work.
    Doctor {
        /// How long to listen for the clock at most, 1 to 180; a clock wakes every 30 to 60.
        #[arg(long, value_name = "SECONDS", default_value_t = 65,
              value_parser = clap::value_parser!(u32).range(1..=180))]
        timeout: u32,
        /// Write a report to attach to a bug, with addresses shortened.
        #[arg(long, value_name = "FILE")]
        report: Option<PathBuf>,
    },
    /// Send bytes as they are; those that can harm the clock are refused.
    Raw {
        /// Bytes in hexadecimal.
        hex: String,
        /// main (pictures) or alt (commands).
        #[arg(long, default_value = "alt", value_parser = ["main", "alt"])]
        channel: String,
    },
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::Arguments;

    #[test]
    fn the_grammar_is_consistent() {
        Arguments::command().debug_assert();
    }
}
