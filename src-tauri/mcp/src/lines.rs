//! Lines of a stream, none longer than a limit.

use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// The longest message, in bytes without its line end: the 16 MiB that the HTTP door takes, and
/// what JSON-RPC puts around them.
pub(crate) const LONGEST_MESSAGE: usize = 16 * 1024 * 1024 + 64 * 1024;

/// Bytes taken from a stream at once.
const BUFFER: usize = 64 * 1024;

/// Bytes kept of a line that is too long, from its begin and from its end: one of the two has the
/// number of the request.
const KEPT: usize = 1024;

/// A line as it was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A whole one, without its line end and never empty.
    Whole(Vec<u8>),
    /// One longer than the limit, of which only a little was kept.
    TooLong(Cut),
    /// There are no more.
    End,
}

/// How a line begins and ends: what is kept of one that is too long.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Cut {
    /// How it begins.
    pub(crate) head: Vec<u8>,
    /// How it ends.
    pub(crate) tail: Vec<u8>,
}

impl Cut {
    pub(crate) fn of(line: &[u8]) -> Self {
        let mut cut = Self {
            head: line.get(..KEPT).unwrap_or(line).to_vec(),
            tail: Vec::new(),
        };
        cut.grow(line);
        cut
    }

    fn grow(&mut self, more: &[u8]) {
        self.tail.extend_from_slice(last(more));
        let surplus = self.tail.len().saturating_sub(KEPT);
        self.tail.drain(..surplus);
    }
}

fn last(bytes: &[u8]) -> &[u8] {
    bytes
        .get(bytes.len().saturating_sub(KEPT)..)
        .unwrap_or(bytes)
}

/// Reads lines; those without content are skipped, and the last one needs no line end.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    limit: usize,
    line: Vec<u8>,
    cut: Option<Cut>,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(stream: R, limit: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(BUFFER, stream),
            limit,
            line: Vec::new(),
            cut: None,
        }
    }

    /// The stream with what was read ahead of it.
    pub(crate) fn into_reader(self) -> BufReader<R> {
        self.reader
    }

    /// The same stream with another limit.
    pub(crate) fn limited(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// The next line. What was read of it is kept when the future is dropped before its end.
    pub(crate) async fn next(&mut self) -> io::Result<Line> {
        loop {
            let available = self.reader.fill_buf().await?;
            let ended = available.is_empty();
            let newline = available.iter().position(|byte| *byte == b'\n');
            let part = available.get(..newline.unwrap_or(available.len()));
            let part = part.unwrap_or_default();
            match &mut self.cut {
                Some(cut) => cut.grow(part),
                None => {
                    self.line.extend_from_slice(part);
                    // A carriage return before the line end is no content.
                    if self.line.len() > self.limit.saturating_add(1) {
                        self.cut = Some(Cut::of(&self.line));
                        self.line = Vec::new();
                    }
                }
            }
            let consumed = newline.map_or(available.len(), |at| at + 1);
            self.reader.consume(consumed);
            if newline.is_none() && !ended {
                continue;
            }
            if let Some(cut) = self.cut.take() {
                return Ok(Line::TooLong(cut));
            }
            let mut line = std::mem::take(&mut self.line);
            if line.last() == Some(&b'\r') {
                line.pop();
            }
            if !line.trim_ascii().is_empty() {
                return Ok(if line.len() > self.limit {
                    Line::TooLong(Cut::of(&line))
                } else {
                    Line::Whole(line)
                });
            }
            if ended {
                return Ok(Line::End);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(text: &[u8], limit: usize) -> Vec<Line> {
        let mut lines = Lines::new(text, limit);
        let mut read = Vec::new();
        loop {
            match lines.next().await.unwrap() {
                Line::End => return read,
                line => read.push(line),
            }
        }
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn lines_end_with_or_without_a_carriage_return_and_the_last_needs_no_end() {
        assert_eq!(
            lines(b"one\r\ntwo\n\r\n\n  \nthree", 100).await,
            [whole("one"), whole("two"), whole("three")]
        );
        assert_eq!(lines(b"", 100).await, []);
    }

    #[tokio::test]
    async fn a_line_over_the_limit_costs_no_memory_and_spares_the_next() {
        let long = "x".repeat(BUFFER * 3);
        let text = format!("{{\"id\":1{long}\"id\":2}}\nfour\n12345\r\n123456\n");
        let read = lines(text.as_bytes(), 5).await;
        let Line::TooLong(cut) = &read[0] else {
            panic!("{read:?}");
        };
        assert!(cut.head.starts_with(b"{\"id\":1x"));
        assert!(cut.tail.ends_with(b"x\"id\":2}"));
        assert!(cut.head.len() <= KEPT && cut.tail.len() <= KEPT);
        assert_eq!(read[1..3], [whole("four"), whole("12345")]);
        assert!(matches!(read[3], Line::TooLong(_)));
    }

    #[tokio::test]
    async fn a_read_that_was_given_up_loses_nothing() {
        let (mut writer, reader) = tokio::io::duplex(64);
        let mut lines = Lines::new(reader, 100);
        tokio::io::AsyncWriteExt::write_all(&mut writer, b"half")
            .await
            .unwrap();
        tokio::select! {
            biased;
            _ = lines.next() => panic!("no line has ended"),
            () = tokio::task::yield_now() => {}
        }
        tokio::io::AsyncWriteExt::write_all(&mut writer, b" and half\n")
            .await
            .unwrap();
        assert_eq!(lines.next().await.unwrap(), whole("half and half"));
    }
}
