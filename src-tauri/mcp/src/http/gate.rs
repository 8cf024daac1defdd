//! The engine's tokens as what lets callers in.

use std::sync::Arc;

use regie_engine::Engine;

use super::bearer::Gatekeeper;

impl Gatekeeper for Engine {
    fn recognise(&self, token: &str) -> Option<Arc<str>> {
        Engine::recognise(self, token).map(|token| token.name.into())
    }

    fn has_tokens(&self) -> bool {
        !self.state().borrow().tokens.is_empty()
    }
}
