//! A fake BlueZ with one simulated clock, to run the program against: it prints the address of its
//! private bus and ends when its input does.

#[cfg(target_os = "linux")]
fn main() -> Result<(), linux::Failure> {
    linux::run()
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::io::Write;
    use std::sync::Arc;
    use std::time::Duration;

    use clap::{Parser, ValueEnum};
    use regie_clock::{ClockTime, Zone};
    use regie_fake_bluez::{BusFault, BusTiming, BusWriteFault, FakeBluez, PrivateBus, mac_of};
    use regie_sim::{ClockSpec, Fault, SimulatedAdapter, SimulatedClock, Timing};

    pub(super) type Failure = Box<dyn std::error::Error>;

    /// A fake BlueZ with one simulated clock. Run `regie` with the DBUS_SYSTEM_BUS_ADDRESS that it
    /// prints; it ends when its input does.
    #[derive(Debug, Parser)]
    struct Arguments {
        /// A fault to be shown; may be given several times.
        #[arg(long = "fault", value_enum)]
        faults: Vec<Named>,
        /// How often each fault is shown.
        #[arg(long, default_value_t = 1)]
        times: u32,
        /// The longest to run, in seconds.
        #[arg(long, default_value_t = 3600)]
        seconds: u64,
        /// As fast as it can be, rather than at a pace to watch.
        #[arg(long)]
        instant: bool,
    }

    /// What can be ordered.
    #[derive(Debug, Clone, Copy, ValueEnum)]
    enum Named {
        NoAdapter,
        RadioOff,
        NoService,
        ConnectFails,
        ConnectHangs,
        ConnectSaysYesOnly,
        DeviceVanishes,
        HeldByAnotherProgram,
        ServicesNeverResolve,
        ServicesIncomplete,
        NotifyRefused,
        NotificationsDoubled,
        WriteRefused,
        WriteUnanswered,
        LeastMtu,
        Crowd,
    }

    /// Devices around in a busy place, and how often one of them advertises.
    const CROWD: (u16, Duration) = (200, Duration::from_millis(5));

    pub(super) fn run() -> Result<(), Failure> {
        let arguments = Arguments::parse();
        let bus = PrivateBus::start()?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let done = runtime.block_on(serve(&arguments, bus.address()));
        // A thread may still wait for the end of the input.
        runtime.shutdown_background();
        done
    }

    async fn serve(arguments: &Arguments, bus: &str) -> Result<(), Failure> {
        let (timing, pace) = if arguments.instant {
            (Timing::instant(), BusTiming::instant())
        } else {
            (Timing::demo(), BusTiming::realistic())
        };
        let clock = SimulatedClock::new(ClockSpec {
            timing,
            local_epoch: ClockTime::now(&Zone::system())?.shifted_epoch(),
            ..ClockSpec::default()
        });
        let around = SimulatedAdapter::new(vec![clock.clone()]);
        let fake = FakeBluez::start(bus, Arc::new(around), pace).await?;
        for fault in &arguments.faults {
            order(*fault, arguments.times, &fake, &clock).await?;
        }
        let mut output = std::io::stdout();
        writeln!(output, "DBUS_SYSTEM_BUS_ADDRESS={bus}")?;
        writeln!(output, "CLOCK={}", mac_of(&clock.address()))?;
        output.flush()?;
        let input = tokio::task::spawn_blocking(|| {
            // What comes does not matter, nor does how it ends.
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        });
        let limit = Duration::from_secs(arguments.seconds);
        // One or the other ends it.
        let _ = tokio::time::timeout(limit, input).await;
        Ok(())
    }

    async fn order(
        fault: Named,
        times: u32,
        fake: &FakeBluez,
        clock: &SimulatedClock,
    ) -> Result<(), Failure> {
        let write = |how| BusFault::Write { after: 20, how };
        let fault = match fault {
            Named::NoAdapter => return Ok(fake.remove_adapter().await?),
            Named::RadioOff => return Ok(fake.set_powered(false).await?),
            Named::NoService => return Ok(fake.stop_service().await?),
            Named::HeldByAnotherProgram => return Ok(fake.hold(&clock.address()).await?),
            Named::LeastMtu => {
                clock.order_times(Fault::Mtu(23), times);
                return Ok(());
            }
            Named::Crowd => {
                fake.set_crowd(CROWD.0, CROWD.1);
                return Ok(());
            }
            Named::ConnectFails => BusFault::ConnectFails,
            Named::ConnectHangs => BusFault::ConnectHangs,
            Named::ConnectSaysYesOnly => BusFault::ConnectSaysYesOnly,
            Named::DeviceVanishes => BusFault::DeviceVanishes,
            Named::ServicesNeverResolve => BusFault::ServicesNeverResolve,
            Named::ServicesIncomplete => BusFault::ServicesIncomplete,
            Named::NotifyRefused => BusFault::NotifyRefused,
            Named::NotificationsDoubled => BusFault::NotificationsDoubled,
            Named::WriteRefused => write(BusWriteFault::AttError(0x80)),
            Named::WriteUnanswered => write(BusWriteFault::Unanswered),
        };
        fake.order_times(fault, times);
        Ok(())
    }
}
