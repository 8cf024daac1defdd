//! Answers that this door gives itself: JSON-RPC errors, whatever the HTTP status.

use axum::body::Body;
use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::body::BODY_LIMIT;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// The JSON-RPC codes this door uses itself.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INTERNAL_ERROR: i32 = -32603;

/// Why a request goes no further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It was sent to a name this server is not known by.
    ForeignHost,
    /// A page of another site sent it.
    ForeignOrigin,
    /// It shows no token.
    NoToken,
    /// It shows one that is not known.
    BadToken,
    /// Too many bad tokens wait for their answer already.
    TooManyBadTokens {
        /// When to try again, in seconds.
        retry_after: u64,
    },
    /// Its body is larger than [`BODY_LIMIT`].
    TooLarge,
    /// Its body did not arrive in time.
    TooSlow,
    /// Others' bodies took all the memory there is for them.
    NoRoom {
        /// When to try again, in seconds.
        retry_after: u64,
    },
    /// Its body broke off.
    Broken,
    /// Its body is compressed.
    Encoded,
    /// Its body is no JSON.
    NotJson(String),
    /// Its body is JSON and no request.
    NotARequest(String),
    /// Nothing is at this path.
    NoSuchPath,
    /// The path takes another method.
    WrongMethod {
        /// The methods it takes.
        allow: &'static str,
    },
    /// The server was switched off before the answer was there.
    SwitchedOff,
    /// The protocol layer refused it in its own words.
    Protocol {
        /// The status it chose.
        status: StatusCode,
        /// What it said.
        detail: String,
    },
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::ForeignHost | Self::ForeignOrigin => StatusCode::FORBIDDEN,
            Self::NoToken | Self::BadToken => StatusCode::UNAUTHORIZED,
            Self::TooManyBadTokens { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Broken | Self::NotJson(_) | Self::NotARequest(_) => StatusCode::BAD_REQUEST,
            Self::Encoded => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::NoSuchPath => StatusCode::NOT_FOUND,
            Self::WrongMethod { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::NoRoom { .. } | Self::SwitchedOff => StatusCode::SERVICE_UNAVAILABLE,
            // The body was said to be JSON of the right type: what does not fit is the request.
            Self::Protocol { status, .. } if *status == StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                StatusCode::BAD_REQUEST
            }
            Self::Protocol { status, .. } => *status,
        }
    }

    fn code(&self) -> i32 {
        match self {
            Self::NotJson(_) => PARSE_ERROR,
            Self::NoSuchPath | Self::WrongMethod { .. } => METHOD_NOT_FOUND,
            Self::NoRoom { .. } | Self::SwitchedOff => INTERNAL_ERROR,
            Self::Protocol { status, .. } if status.is_server_error() => INTERNAL_ERROR,
            _ => INVALID_REQUEST,
        }
    }

    fn message(&self) -> String {
        match self {
            Self::ForeignHost => "This server is not known by the name in Host.".into(),
            Self::ForeignOrigin => "Requests from pages of other sites are refused.".into(),
            Self::NoToken => "A token is needed.".into(),
            Self::BadToken => "This token is not known.".into(),
            Self::TooManyBadTokens { .. } => "Too many unknown tokens were shown.".into(),
            Self::TooLarge => {
                format!(
                    "The request is larger than {} MiB.",
                    BODY_LIMIT / (1024 * 1024)
                )
            }
            Self::TooSlow => "The request did not arrive in time.".into(),
            Self::NoRoom { .. } => "Too many large requests are under way; nothing was done.".into(),
            Self::Broken => "The request broke off.".into(),
            Self::Encoded => "The request is compressed.".into(),
            Self::NotJson(detail) => format!("Parse error: {detail}"),
            Self::NotARequest(detail) => format!("Invalid request: {detail}"),
            Self::NoSuchPath => "Nothing is at this path.".into(),
            Self::WrongMethod { allow } => format!("This path takes {allow}."),
            Self::SwitchedOff => {
                "The server was switched off before the answer was there; it is unknown whether the call was applied.".into()
            }
            Self::Protocol { detail, .. } => detail.clone(),
        }
    }

    fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::ForeignHost => {
                "Use the address that Regie shows in its Agents view, or that regie mcp --transport http told, with its port. From another computer, let agents on this network reach Regie first."
            }
            Self::ForeignOrigin => "Call from a program, or from a page of this very server.",
            Self::NoToken => {
                "Send the header \"Authorization: Bearer TOKEN\" with a token of Regie's Agents view, or of regie mcp token --new NAME."
            }
            Self::BadToken => {
                "Copy a token from Regie's Agents view again, or make a new one there or with regie mcp token --new NAME."
            }
            Self::TooManyBadTokens { .. } => {
                "Stop the program that shows an unknown token, or give it a new one."
            }
            Self::TooLarge => {
                "Send the picture's path instead of its content, or a smaller picture: the panel has 400 x 300 pixels."
            }
            Self::NoRoom { .. } => {
                "Send it again later, or send pictures' paths instead of their content."
            }
            Self::TooSlow | Self::Broken => "Send it again.",
            Self::Encoded => "Send the body as it is, without Content-Encoding.",
            Self::NotJson(_) | Self::NotARequest(_) => {
                "Send one JSON-RPC 2.0 request as UTF-8 JSON."
            }
            Self::NoSuchPath => "The tools are at POST /mcp; the clock's alone at POST /mcp/clock.",
            Self::WrongMethod { .. } => {
                "Answers come with the request: there is no stream of its own and no session to end."
            }
            Self::SwitchedOff => "Switch the server on in Regie's Agents view.",
            Self::Protocol { .. } => return None,
        })
    }

    /// The JSON-RPC error for the request `id`; `None`: the request's id is not known.
    pub(super) fn body(&self, id: Option<&RawValue>) -> Bytes {
        let mut error = json!({"code": self.code(), "message": self.message()});
        if let Some(hint) = self.hint() {
            error["data"] = json!({"hint": hint});
        }
        let id = id
            .and_then(|id| serde_json::from_str::<Value>(id.get()).ok())
            .unwrap_or_default();
        json!({"jsonrpc": "2.0", "id": id, "error": error})
            .to_string()
            .into()
    }

    /// The whole answer.
    pub(super) fn response(&self, id: Option<&RawValue>) -> Response<Body> {
        let mut response = json_response(self.status(), self.body(id));
        if let Some((name, value)) = self.header() {
            response.headers_mut().insert(name, value);
        }
        response
    }

    fn header(&self) -> Option<(HeaderName, HeaderValue)> {
        match self {
            Self::NoToken => Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
            Self::BadToken => Some((
                WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer error=\"invalid_token\""),
            )),
            Self::TooManyBadTokens { retry_after } | Self::NoRoom { retry_after } => {
                Some((RETRY_AFTER, HeaderValue::from(*retry_after)))
            }
            Self::WrongMethod { allow } => Some((ALLOW, HeaderValue::from_static(allow))),
            _ => None,
        }
    }
}

/// An answer that is JSON.
pub(super) fn json_response(status: StatusCode, body: Bytes) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// The answer to what needs none.
pub(super) fn accepted() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}
