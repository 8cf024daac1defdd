//! Codes of failures as the tools gave them.
//!
//! For callers of version 2026-07-28 and later, rmcp makes -32602 of each -32002, which it takes
//! for a code that earlier versions of the protocol had for a missing resource. In the room's
//! contract it says that a device does not accept its token.

use std::borrow::Cow;

use bytes::Bytes;
use rmcp::ErrorData;
use rmcp::model::{ErrorCode, ProtocolVersion};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, Service, ServiceRole};
use serde_json::Value;

use crate::tool::{AUTH_FAILED, AUTH_FAILED_CODE};

/// A service whose failures keep their codes.
pub(crate) struct OwnCodes<S>(pub(crate) S);

impl<S: Service<RoleServer>> Service<RoleServer> for OwnCodes<S> {
    async fn handle_request(
        &self,
        request: <RoleServer as ServiceRole>::PeerReq,
        context: RequestContext<RoleServer>,
    ) -> Result<<RoleServer as ServiceRole>::Resp, ErrorData> {
        let answered = self.0.handle_request(request, context).await;
        answered.map_err(|mut error| {
            if error.code == ErrorCode::INVALID_PARAMS && error.message.starts_with(AUTH_FAILED) {
                error.code = AUTH_FAILED_CODE;
            }
            error
        })
    }

    async fn handle_notification(
        &self,
        notification: <RoleServer as ServiceRole>::PeerNot,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> <RoleServer as ServiceRole>::Info {
        self.0.get_info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.0.supported_protocol_versions()
    }
}

/// An answer with its own code, where it had lost it.
pub(crate) fn restored(answer: &[u8]) -> Option<Bytes> {
    // Nearly all answers are none of these, and are not read for it.
    let needle = AUTH_FAILED.as_bytes();
    if !answer.windows(needle.len()).any(|part| part == needle) {
        return None;
    }
    let mut answer: Value = serde_json::from_slice(answer).ok()?;
    let error = answer.get_mut("error")?;
    let failed = error.get("message")?.as_str()?.starts_with(AUTH_FAILED);
    let code = error.get_mut("code")?;
    if !failed || *code != ErrorCode::INVALID_PARAMS.0 {
        return None;
    }
    *code = AUTH_FAILED_CODE.0.into();
    serde_json::to_vec(&answer).ok().map(Bytes::from)
}
