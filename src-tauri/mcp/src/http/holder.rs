//! Who listens on a port, where the system tells without being asked for more rights.

/// The program that listens on `port`, with its process number.
#[cfg(target_os = "linux")]
pub(super) fn of(port: u16) -> Option<String> {
    linux::holder(port)
}

/// The program that listens on `port`: not to be told here.
#[cfg(not(target_os = "linux"))]
pub(super) fn of(_port: u16) -> Option<String> {
    None
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs;
    use std::path::Path;

    /// The state of a listening socket in `/proc/net/tcp`.
    const LISTENING: &str = "0A";

    /// Processes looked at.
    const PROCESSES: usize = 4_096;

    pub(super) fn holder(port: u16) -> Option<String> {
        let sockets: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
            .into_iter()
            .filter_map(|table| fs::read_to_string(table).ok())
            .flat_map(|table| listening(&table, port))
            .collect();
        fs::read_dir("/proc")
            .ok()?
            .filter_map(Result::ok)
            .filter(|process| {
                process
                    .file_name()
                    .to_string_lossy()
                    .bytes()
                    .all(|byte| byte.is_ascii_digit())
            })
            .take(PROCESSES)
            .find(|process| holds(&process.path(), &sockets))
            .and_then(|process| {
                let name = fs::read_to_string(process.path().join("comm")).ok()?;
                Some(format!(
                    "{} (process {})",
                    name.trim(),
                    process.file_name().to_string_lossy()
                ))
            })
    }

    /// The names of the sockets that listen on `port`, as links in `/proc/*/fd` spell them.
    pub(super) fn listening(table: &str, port: u16) -> Vec<String> {
        let end = format!(":{port:04X}");
        table
            .lines()
            .filter_map(|line| {
                let mut fields = line.split_whitespace();
                let local = fields.nth(1)?;
                let state = fields.nth(1)?;
                let inode = fields.nth(5)?;
                (local.ends_with(&end) && state == LISTENING && inode != "0")
                    .then(|| format!("socket:[{inode}]"))
            })
            .collect()
    }

    fn holds(process: &Path, sockets: &[String]) -> bool {
        fs::read_dir(process.join("fd")).is_ok_and(|links| {
            links
                .filter_map(Result::ok)
                .filter_map(|link| fs::read_link(link.path()).ok())
                .any(|target| {
                    target
                        .to_str()
                        .is_some_and(|target| sockets.iter().any(|socket| socket == target))
                })
        })
    }

    #[cfg(test)]
    mod tests {
        use std::net::TcpListener;

        #[test]
        fn the_holder_of_a_port_is_named() {
            // PORT-5.
            let Ok(socket) = TcpListener::bind(("127.0.0.1", 0)) else {
                return;
            };
            let port = socket.local_addr().map_or(0, |address| address.port());
            let holder = super::holder(port).unwrap_or_default();
            assert!(
                holder.contains(&std::process::id().to_string()),
                "{holder:?}"
            );
        }

        #[test]
        fn a_line_of_the_table_names_its_socket() {
            let line = "   0: 0100007F:2256 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 424242 1 0000000000000000 100 0 0 10 0";
            assert_eq!(super::listening(line, 8790), ["socket:[424242]"]);
            assert!(super::listening(line, 8791).is_empty());
        }
    }
}
