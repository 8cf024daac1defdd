//! The calls under way that a notice can cancel: the notice comes in a request of its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio_util::sync::CancellationToken;

/// Calls that can be found at once; beyond it a call runs on when its caller changes its mind.
const FINDABLE: usize = 512;

/// Who calls, as far as that tells one request 1 from another.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Speaker {
    /// The token's name, so that no token cancels another's calls.
    pub(super) token: Arc<str>,
    /// The label of its session, where it brings one.
    pub(super) session: Option<Arc<str>>,
}

type Key = (Speaker, RequestId);

/// The calls under way; clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls(Arc<Mutex<HashMap<Key, CancellationToken>>>);

/// A call under way, until the last clone of it is gone.
#[derive(Clone, Debug)]
pub(super) struct UnderWay {
    _entry: Arc<Entry>,
}

#[derive(Debug)]
struct Entry {
    calls: Calls,
    key: Key,
    token: CancellationToken,
}

impl Calls {
    /// Notes a call, which `token` cancels.
    pub(super) fn begin(
        &self,
        speaker: Speaker,
        id: RequestId,
        token: CancellationToken,
    ) -> Option<UnderWay> {
        let key = (speaker, id);
        let mut calls = self.lock();
        if calls.len() >= FINDABLE {
            return None;
        }
        // Callers that number every request 1 share one place: the latest is the one meant.
        calls.insert(key.clone(), token.clone());
        drop(calls);
        Some(UnderWay {
            _entry: Arc::new(Entry {
                calls: self.clone(),
                key,
                token,
            }),
        })
    }

    /// Cancels that call of that speaker, where it is under way.
    pub(super) fn cancel(&self, speaker: Speaker, id: RequestId) {
        if let Some(token) = self.lock().get(&(speaker, id)) {
            token.cancel();
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Entries are put in and taken out whole: a poisoned lock holds good ones.
    fn lock(&self) -> MutexGuard<'_, HashMap<Key, CancellationToken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut calls = self.calls.lock();
        // Another call may have taken the place since.
        if calls.get(&self.key) == Some(&self.token) {
            calls.remove(&self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn speaker(token: &str, session: Option<&str>) -> Speaker {
        Speaker {
            token: token.into(),
            session: session.map(Into::into),
        }
    }

    #[test]
    fn a_notice_reaches_the_call_of_its_own_session_and_no_other() {
        let calls = Calls::default();
        let (mine, other) = (CancellationToken::new(), CancellationToken::new());
        let _mine = calls.begin(speaker("a", Some("1")), RequestId::Number(1), mine.clone());
        let _other = calls.begin(speaker("b", Some("1")), RequestId::Number(1), other.clone());
        calls.cancel(speaker("a", None), RequestId::Number(1));
        calls.cancel(speaker("a", Some("1")), RequestId::Number(2));
        assert!(!mine.is_cancelled());
        calls.cancel(speaker("a", Some("1")), RequestId::Number(1));
        assert!(mine.is_cancelled() && !other.is_cancelled());
    }

    #[test]
    fn an_ended_call_leaves_nothing_and_takes_no_later_one_with_it() {
        let calls = Calls::default();
        let begin = || {
            calls.begin(
                speaker("a", None),
                RequestId::Number(1),
                CancellationToken::new(),
            )
        };
        let first = begin();
        let second = begin();
        drop(first);
        assert_eq!(calls.len(), 1);
        drop(second);
        assert_eq!(calls.len(), 0);
    }

    #[test]
    fn calls_that_can_be_found_are_bounded() {
        let calls = Calls::default();
        let kept: Vec<_> = (0..1_000)
            .filter_map(|id| {
                calls.begin(
                    speaker("a", None),
                    RequestId::Number(id),
                    CancellationToken::new(),
                )
            })
            .collect();
        assert_eq!((kept.len(), calls.len()), (FINDABLE, FINDABLE));
    }
}
