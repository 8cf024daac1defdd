//! Each test in a process of its own: the system bus is chosen by a variable of the environment,
//! and what is left behind can be counted.

use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use regie_fake_bluez::PrivateBus;

/// Where Bluetooth looks for the system bus.
const BUS: &str = "DBUS_SYSTEM_BUS_ADDRESS";
/// Tells the process that carries a test out from the one that starts it.
const INSIDE: &str = "REGIE_FAKE_BLUEZ_TEST";
/// The longest a test may take. The longest takes 20 s on an idle machine.
const LIMIT: Duration = Duration::from_secs(100);
/// What a test says when its body has run: a filter that matches no test succeeds, too.
const RAN: &str = "the body of this test has run";
/// How often a process is looked at.
const POLL: Duration = Duration::from_millis(20);

/// Panics of background tasks, which fail nothing by themselves.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Runs the body of a test on a private bus in a process of its own, within a bound. The body is
/// an async closure of the test function itself, by whose name it is found again. Fails when a
/// background task has panicked meanwhile.
pub(crate) fn isolated<Body>(body: Body)
where
    Body: AsyncFnOnce(&str),
{
    match std::env::var(INSIDE) {
        Ok(bus) => inside(body, &bus),
        Err(_) => outside(&name_of::<Body>()),
    }
}

/// The path of the test function that a closure belongs to, without the crate.
fn name_of<Body>() -> String {
    let path = std::any::type_name::<Body>().trim_end_matches("::{{closure}}");
    path.split_once("::").expect("a path").1.to_owned()
}

fn outside(name: &str) {
    let bus = PrivateBus::start().expect("a private bus");
    let process = Command::new(std::env::current_exe().expect("the test program"))
        .args([name, "--exact", "--nocapture", "--test-threads=1"])
        .env(BUS, bus.address())
        .env(INSIDE, bus.address())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a process");
    let mut process = Leashed(process);
    let said = [
        read(process.0.stdout.take().expect("its output")),
        read(process.0.stderr.take().expect("its errors")),
    ];
    let end = Instant::now() + LIMIT;
    let status = loop {
        if let Some(status) = process.0.try_wait().expect("its state") {
            break Some(status);
        }
        if Instant::now() > end {
            break None;
        }
        std::thread::sleep(POLL);
    };
    drop(process);
    let said = said.map(|reader| reader.join().expect("what it said"));
    println!("{}\n{}", said[0], said[1]);
    let status = status.unwrap_or_else(|| panic!("no end within {LIMIT:?}"));
    assert!(status.success(), "{name} failed: {status}");
    assert!(said[0].contains(RAN), "{name} did not run");
}

fn read(mut from: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("what it says");
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// A process that ends with its handle.
struct Leashed(Child);

impl Drop for Leashed {
    fn drop(&mut self) {
        // It has ended already, most of the time.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn inside<Body>(body: Body, bus: &str)
where
    Body: AsyncFnOnce(&str),
{
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.lock().unwrap().push(panic.to_string());
        before(panic);
    }));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    // Before the process is ended from outside, so that what it said so far is seen.
    let limit = LIMIT * 9 / 10;
    let done = runtime.block_on(async { tokio::time::timeout(limit, body(bus)).await });
    drop(runtime);
    assert!(done.is_ok(), "no end within {limit:?}");
    let panics = PANICS.lock().unwrap();
    assert!(panics.is_empty(), "background tasks panicked: {panics:#?}");
    println!("{RAN}");
}
