//! The threads that Bluetooth runs on.
//!
//! Some systems never deliver Bluetooth callbacks to a thread that also drives a window, so all of
//! it has threads of its own, whoever calls.

use std::future::Future;
use std::sync::mpsc;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio_util::sync::CancellationToken;

use super::apartment;
use crate::ClockError;

/// One for the work, one for what the system reports meanwhile.
const THREADS: usize = 2;
/// For the threads to say that they are ready; they have nothing else to do.
const READY: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct BluetoothRuntime {
    /// Taken only by `drop`.
    runtime: Option<Runtime>,
    handle: Handle,
}

impl BluetoothRuntime {
    /// Starts the threads and waits until each is fit for Bluetooth.
    ///
    /// # Errors
    /// [`ClockError::Bluetooth`] when threads cannot be started or do not get the apartment that
    /// Bluetooth needs.
    pub(super) fn start() -> Result<Self, ClockError> {
        Self::start_with(apartment::enter)
    }

    fn start_with(prepare: fn() -> Result<(), String>) -> Result<Self, ClockError> {
        let failed = |detail: String| ClockError::Bluetooth { detail };
        // Room for the reports of the workers: those of threads that come later have no reader.
        let (report, reports) = mpsc::sync_channel(THREADS);
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("bluetooth")
            .on_thread_start(move || {
                // A full channel means that the workers have reported already.
                let _ = report.try_send(prepare());
            })
            .enable_all()
            .build()
            .map_err(|error| failed(error.to_string()))?;
        let started = Self {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        };
        for _ in 0..THREADS {
            reports
                .recv_timeout(READY)
                .map_err(|_| failed("its threads did not start".to_owned()))?
                .map_err(|why| failed(format!("its threads cannot receive callbacks: {why}")))?;
        }
        Ok(started)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ble_3_threads_that_could_not_receive_callbacks_are_refused_at_the_start() {
        let single_threaded =
            || Err("the thread is in a single-threaded apartment; RPC_E_CHANGED_MODE".to_owned());
        let error = BluetoothRuntime::start_with(single_threaded).unwrap_err();
        assert_eq!(error.code(), "bluetooth-error");
        assert!(error.to_string().contains("single-threaded"), "{error}");
        // As they are here, they are fit.
        BluetoothRuntime::start().unwrap();
    }

    #[tokio::test]
    async fn ble_3_bluetooth_runs_on_threads_of_its_own_whoever_calls() {
        let runtime = BluetoothRuntime::start().unwrap();
        let caller = std::thread::current().id();
        let there = runtime
            .run(|_| async { Ok(std::thread::current()) })
            .await
            .unwrap();
        assert_ne!(there.id(), caller);
        assert_eq!(there.name(), Some("bluetooth"));
    }
}
