//! A method call from the bus, and the answers it can get.

use zbus::Message;
use zbus::zvariant::DynamicType;

use crate::objects::Object;

/// A call under way.
pub(crate) struct Call {
    message: Message,
    connection: zbus::Connection,
}

/// An error as the bus carries it.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    name: &'static str,
    text: String,
}

impl Refusal {
    pub(crate) fn failed(text: &str) -> Self {
        Self::named("org.bluez.Error.Failed", text)
    }

    pub(crate) fn att(error: u8) -> Self {
        Self::failed(&format!("Operation failed with ATT error: 0x{error:02x}"))
    }

    /// The answer to the write under way when the link goes.
    pub(crate) fn link_lost() -> Self {
        Self::att(0x0e)
    }

    pub(crate) fn not_connected() -> Self {
        Self::failed("Not connected")
    }

    pub(crate) fn named(name: &'static str, text: &str) -> Self {
        Self {
            name,
            text: text.to_owned(),
        }
    }
}

impl Call {
    pub(crate) fn new(message: Message, connection: zbus::Connection) -> Self {
        Self {
            message,
            connection,
        }
    }

    /// Interface and member.
    pub(crate) fn method(&self) -> (String, String) {
        let header = self.message.header();
        let text = |part: Option<String>| part.unwrap_or_default();
        (
            text(header.interface().map(ToString::to_string)),
            text(header.member().map(ToString::to_string)),
        )
    }

    pub(crate) fn path(&self) -> String {
        self.message
            .header()
            .path()
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    pub(crate) fn object(&self) -> Option<Object> {
        Object::parse(&self.path())
    }

    pub(crate) fn sender(&self) -> String {
        self.message
            .header()
            .sender()
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    /// The arguments, if they are such.
    pub(crate) fn arguments<T>(&self) -> Result<T, Refusal>
    where
        T: for<'d> serde::Deserialize<'d> + zbus::zvariant::Type,
    {
        let body = self.message.body();
        body.deserialize()
            .map_err(|error| Refusal::named("org.bluez.Error.InvalidArguments", &error.to_string()))
    }

    pub(crate) async fn answer<B>(&self, answer: Result<B, Refusal>)
    where
        B: serde::Serialize + DynamicType,
    {
        let header = self.message.header();
        // A client that has gone hears nothing.
        let _ = match answer {
            Ok(body) => self.connection.reply(&header, &body).await,
            Err(Refusal { name, text }) => self.connection.reply_error(&header, name, &text).await,
        };
    }

    /// As libdbus says it of an object that is not there.
    pub(crate) fn unknown_object(&self) -> Refusal {
        self.unknown("org.freedesktop.DBus.Error.UnknownObject")
    }

    pub(crate) fn unknown_method(&self) -> Refusal {
        self.unknown("org.freedesktop.DBus.Error.UnknownMethod")
    }

    fn unknown(&self, name: &'static str) -> Refusal {
        let (interface, member) = self.method();
        let body = self.message.body();
        let signature = body.signature().to_string_no_parens();
        let text = format!(
            "Method \"{member}\" with signature \"{signature}\" on interface \"{interface}\" doesn't exist\n"
        );
        Refusal::named(name, &text)
    }
}
