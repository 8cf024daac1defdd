//! The threads that Bluetooth runs on.
//!
//! Some systems never deliver Bluetooth callbacks to a thread that also drives a window, so all of
//! it has threads of its own, whoever calls.

use std::future::Future;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::sync::CancellationToken;

use crate::ClockError;

/// One for the work, one for what the system reports meanwhile.
const THREADS: usize = 2;

#[derive(Debug)]
pub(super) struct BluetoothRuntime {
    /// Taken only by `drop`.
    runtime: Option<Runtime>,
    handle: Handle,
}

impl BluetoothRuntime {
    pub(super) fn start() -> Result<Self, ClockError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("bluetooth")
            .enable_all()
            .build()
            .map_err(|error| ClockError::Bluetooth {
                detail: error.to_string(),
            })?;
        let handle = runtime.handle().clone();
        Ok(Self {
            runtime: Some(runtime),
            handle,
        })
    }

    pub(super) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// Runs a task to its end on the Bluetooth threads. When the caller stops waiting, the task's
    /// token is cancelled and the task cleans up on its own: dropping a future of the system's
    /// Bluetooth cancels nothing.
    pub(super) async fn run<T, Task>(
        &self,
        task: impl FnOnce(CancellationToken) -> Task,
    ) -> Result<T, ClockError>
    where
        T: Send + 'static,
        Task: Future<Output = Result<T, ClockError>> + Send + 'static,
    {
        let abandoned = CancellationToken::new();
        let running = self.handle.spawn(task(abandoned.clone()));
        let _abandon = abandoned.drop_guard();
        running.await.unwrap_or_else(|error| {
            Err(ClockError::Bluetooth {
                detail: format!("a Bluetooth task broke off: {error}"),
            })
        })
    }
}

impl Drop for BluetoothRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // The last owner may be an asynchronous task, where waiting is not allowed.
            runtime.shutdown_background();
        }
    }
}
