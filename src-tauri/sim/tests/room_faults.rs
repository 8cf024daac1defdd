//! Faults that are ordered for simulated devices.

mod room_common;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use regie_sim::room::{DeviceConfig, DeviceFault, SimulatedDevice};
use room_common::{get, get_when_back, post};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

type Tested = Result<(), Box<dyn std::error::Error>>;

const NEXT: &str = r#"{"event_type":"manual","event_name":"MANUAL_ADVANCE"}"#;
const TRANSITION: &str = "/api/scenario/transition";
/// How long a device is away: long enough for a busy machine to see it.
const AWAY: Duration = Duration::from_secs(1);
const FIRST: Option<&str> = Some("STEP_U_SON_PROTO");
const SECOND: Option<&str> = Some("STEP_LA_DETECTOR");

async fn device() -> io::Result<SimulatedDevice> {
    SimulatedDevice::start(DeviceConfig::spec("zacus-main")).await
}

fn kind<T>(result: io::Result<T>) -> Option<io::ErrorKind> {
    result.err().map(|error| error.kind())
}

#[tokio::test]
async fn a_fault_comes_as_often_as_it_was_ordered_and_where() -> Tested {
    let device = device().await?;
    device.order_for("/api/led", DeviceFault::status(500, "broken"), 2);
    assert_eq!(get(&device, "/api/status").await?.status, 200);
    for status in [500, 500, 400] {
        assert_eq!(post(&device, "/api/led", "{}").await?.status, status);
    }
    device.order_times(DeviceFault::status(503, "busy"), u32::MAX);
    for _ in 0..3 {
        assert_eq!(get(&device, "/api/status").await?.status, 503);
    }
    device.mend();
    assert_eq!(get(&device, "/api/status").await?.status, 200);
    Ok(())
}

#[tokio::test]
async fn a_connection_is_reset_before_or_after_the_request_and_nothing_is_done() -> Tested {
    let device = device().await?;
    device.order(DeviceFault::Refuse);
    assert!(post(&device, TRANSITION, NEXT).await.is_err());
    assert!(device.log().is_empty());
    device.order(DeviceFault::Reset);
    let reset = post(&device, TRANSITION, NEXT).await;
    let told = kind(reset);
    // Windows has several errors for it.
    let windows = cfg!(windows) && told.is_some();
    assert!(
        told == Some(io::ErrorKind::ConnectionReset) || windows,
        "{told:?}"
    );
    assert_eq!(device.log().len(), 1);
    assert_eq!(device.log()[0].status, None);
    assert_eq!(device.state().step.as_deref(), FIRST);
    Ok(())
}

#[tokio::test]
async fn a_closed_device_refuses_connections_and_comes_back_at_its_address() -> Tested {
    let device = device().await?;
    device.close_for(AWAY).await;
    sleep(Duration::from_millis(50)).await;
    let refused = get(&device, "/api/status").await;
    assert_eq!(kind(refused), Some(io::ErrorKind::ConnectionRefused));
    let status = get_when_back(&device, "/api/status").await?.json();
    assert!(
        status["uptime"].as_u64() >= Some(3600),
        "it did not restart"
    );
    Ok(())
}

/// ESP-2.
#[tokio::test]
async fn a_slow_answer_is_of_something_done_at_once() -> Tested {
    let device = device().await?;
    device.order(DeviceFault::Slow(Duration::from_millis(300)));
    let begun = Instant::now();
    let early = timeout(Duration::from_millis(150), post(&device, TRANSITION, NEXT)).await;
    assert!(early.is_err());
    assert_eq!(device.state().step.as_deref(), SECOND);
    // The next one waits, since the device does one thing at a time.
    assert_eq!(get(&device, "/api/status").await?.status, 200);
    assert!(begun.elapsed() >= Duration::from_millis(300));
    Ok(())
}

#[tokio::test]
async fn bodies_come_slowly_cut_or_far_too_long() -> Tested {
    let device = device().await?;
    let whole = get(&device, "/api/status").await?.body;
    device.order(DeviceFault::SlowBody(Duration::from_millis(200)));
    let begun = Instant::now();
    assert_eq!(get(&device, "/api/status").await?.body.len(), whole.len());
    assert!(begun.elapsed() >= Duration::from_millis(200));

    device.order(DeviceFault::CutBody(10));
    let cut = get(&device, "/api/status").await?;
    assert_eq!(cut.body, whole[..10]);
    assert!(
        cut.head
            .contains(&format!("Content-Length: {}", whole.len()))
    );

    device.order(DeviceFault::HugeBody);
    let mut stream = TcpStream::connect(device.address()).await?;
    let request = "GET /api/status HTTP/1.1\r\nAuthorization: Bearer spec-token\r\n\r\n";
    stream.write_all(request.as_bytes()).await?;
    let mut some = vec![0; 4_000_000];
    stream.read_exact(&mut some).await?;
    assert!(String::from_utf8_lossy(&some[..200]).contains("Content-Length: 100000000"));
    drop(stream);
    assert_eq!(get(&device, "/api/status").await?.status, 200, "it goes on");
    Ok(())
}

#[tokio::test]
async fn answers_are_web_pages_statuses_or_no_text() -> Tested {
    let device = device().await?;
    device.order(DeviceFault::WrongType);
    let page = get(&device, "/api/status").await?;
    assert_eq!(page.status, 200);
    assert!(page.head.contains("text/html") && page.text().starts_with("<!DOCTYPE"));

    device.order(DeviceFault::Status {
        status: 429,
        body: "slow down".to_owned(),
        retry_after: Some(2),
    });
    let answer = post(&device, TRANSITION, NEXT).await?;
    assert_eq!((answer.status, answer.text().as_str()), (429, "slow down"));
    assert!(answer.head.contains("Retry-After: 2"));
    assert_eq!(device.state().step.as_deref(), FIRST);

    device.order(DeviceFault::InvalidUtf8);
    let answer = get(&device, "/api/status").await?;
    assert!(std::str::from_utf8(&answer.body).is_err());
    let lossy: serde_json::Value = serde_json::from_str(&answer.text())?;
    assert_eq!(lossy["step"], "STEP_U_SON_PROTO");
    Ok(())
}

#[tokio::test]
async fn a_device_restarts_in_the_midst_of_a_request_with_it_done_or_not() -> Tested {
    for applied in [false, true] {
        let device = device().await?;
        let led = r#"{"zone":"all","color":"red","pattern":"solid","bright":9}"#;
        device.order(DeviceFault::Reboot {
            applied,
            down: AWAY,
        });
        assert!(post(&device, "/api/led", led).await.is_err());
        assert_eq!(device.state().led_changes.len(), usize::from(applied));
        let refused = get(&device, "/api/status").await;
        assert_eq!(kind(refused), Some(io::ErrorKind::ConnectionRefused));
        let status = get_when_back(&device, "/api/status").await?.json();
        assert!(status["uptime"].as_u64() < Some(60), "{status}");
        assert_eq!(device.state().restarts, 1);
        assert_eq!(device.state().led.rgb, [0; 3]);
    }
    Ok(())
}

#[tokio::test]
async fn a_request_that_is_done_may_never_be_answered() -> Tested {
    let device = device().await?;
    device.order(DeviceFault::AppliedButSilent);
    let answer = timeout(Duration::from_millis(100), post(&device, TRANSITION, NEXT)).await;
    assert!(answer.is_err());
    assert_eq!(device.state().step.as_deref(), SECOND);
    // It is free again as soon as the client has given up.
    let status = timeout(Duration::from_secs(2), get(&device, "/api/status")).await??;
    assert_eq!(status.json()["step"], "STEP_LA_DETECTOR");
    Ok(())
}

/// ESP-3, ESP-4.
#[tokio::test]
async fn a_stale_picture_is_the_one_before() -> Tested {
    let device = device().await?;
    let path = "/api/camera?res=QQVGA&q=20";
    let first = get(&device, path).await?.body;
    device.order(DeviceFault::StaleFrame);
    assert_eq!(get(&device, path).await?.body, first);
    assert_ne!(get(&device, path).await?.body, first);
    Ok(())
}

#[tokio::test]
async fn without_wifi_nothing_is_answered_and_nothing_done_later() -> Tested {
    let device = device().await?;
    device.drop_wifi(AWAY).await;
    sleep(Duration::from_millis(50)).await;
    let lost = timeout(Duration::from_millis(100), post(&device, TRANSITION, NEXT)).await;
    assert!(lost.is_err());
    let status = get_when_back(&device, "/api/status").await?.json();
    assert_eq!(status["step"], "STEP_U_SON_PROTO");
    assert!(
        status["uptime"].as_u64() >= Some(3600),
        "it did not restart"
    );
    assert!(device.log().iter().all(|entry| entry.path == "/api/status"));
    Ok(())
}

/// ESP-1.
#[tokio::test]
async fn few_connections_fit_and_they_are_served_one_after_the_other() -> Tested {
    let device = device().await?;
    device.order(DeviceFault::Slow(Duration::from_secs(2)));
    let first = get(&device, "/api/status");
    let others = async {
        sleep(Duration::from_millis(50)).await;
        let mut open = Vec::new();
        for _ in 0..6 {
            open.push(TcpStream::connect(device.address()).await?);
            sleep(Duration::from_millis(5)).await;
        }
        let mut reset = 0;
        for stream in &mut open {
            let read = timeout(Duration::from_millis(100), stream.read(&mut [0; 1])).await;
            // Windows may tell of it as of an end.
            let ended = cfg!(windows) && matches!(read, Ok(Ok(0)));
            let is_reset = ended || matches!(read, Ok(Err(_)));
            reset += usize::from(is_reset);
        }
        Ok::<_, io::Error>(reset)
    };
    let (first, reset) = tokio::join!(first, others);
    assert_eq!(first?.status, 200);
    assert_eq!(reset?, 2);
    assert_eq!(device.state().most_connections, 5);
    Ok(())
}

#[tokio::test]
async fn a_device_moves_to_another_address_and_is_gone_from_the_old_one() -> Tested {
    let device = device().await?;
    let before = device.address();
    let elsewhere = if cfg!(target_os = "linux") {
        Ipv4Addr::new(127, 0, 0, 99)
    } else {
        Ipv4Addr::LOCALHOST
    };
    let after = device.move_to(SocketAddr::from((elsewhere, 0))).await?;
    assert_ne!(before, after);
    assert_eq!(device.address(), after);
    assert_eq!(
        kind(TcpStream::connect(before).await),
        Some(io::ErrorKind::ConnectionRefused)
    );
    assert_eq!(get(&device, "/api/status").await?.status, 200);
    Ok(())
}

#[tokio::test]
async fn a_device_that_is_dropped_or_stopped_listens_no_more() -> Tested {
    let dropped = device().await?;
    let address = dropped.address();
    drop(dropped);
    sleep(Duration::from_millis(50)).await;
    assert_eq!(
        kind(TcpStream::connect(address).await),
        Some(io::ErrorKind::ConnectionRefused)
    );
    let stopped = device().await?;
    let address = stopped.address();
    stopped.stop().await;
    assert_eq!(
        kind(TcpStream::connect(address).await),
        Some(io::ErrorKind::ConnectionRefused)
    );
    Ok(())
}

#[tokio::test]
async fn nonsense_is_not_answered_and_does_no_harm() -> Tested {
    let device = device().await?;
    for nonsense in [
        "\r\n\r\n".to_owned(),
        "GET\r\n\r\n".to_owned(),
        "POST /api/led HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n".to_owned(),
        "POST /api/led HTTP/1.1\r\nContent-Length: -1\r\n\r\n".to_owned(),
        format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(20_000)),
    ] {
        let mut stream = TcpStream::connect(device.address()).await?;
        // The device may have closed before all of it was sent.
        let _ = stream.write_all(nonsense.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = timeout(Duration::from_secs(2), stream.read_to_end(&mut answer)).await?;
        assert!(answer.is_empty(), "{:?}", String::from_utf8_lossy(&answer));
    }
    assert_eq!(get(&device, "/api/status").await?.status, 200);
    Ok(())
}
