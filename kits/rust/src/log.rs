use std::io::{ErrorKind, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// How much of the log is kept: some hundred lines.
const KEPT_BYTES: usize = 32 << 10;

/// The end of what somebody writes, read in a thread of its own.
pub(crate) struct Log {
    kept: Arc<Mutex<Vec<u8>>>,
    reader: Option<JoinHandle<()>>,
}

impl Log {
    pub(crate) fn of(mut source: impl Read + Send + 'static) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let end = Arc::clone(&kept);
        let reader = thread::spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                match source.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(length) => keep(&mut end.lock().unwrap_or_else(PoisonError::into_inner), &buffer[..length]),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => return,
                }
            }
        });
        Self { kept, reader: Some(reader) }
    }

    /// It begins with a whole line where something was dropped before it.
    pub(crate) fn text(&self) -> String {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        let text = if kept.len() < KEPT_BYTES { &text } else { text.split_once('\n').map_or("", |(_, rest)| rest) };
        text.trim().to_owned()
    }

    /// Everything, once whoever writes has ended.
    pub(crate) fn whole_text(&mut self) -> String {
        if let Some(reader) = self.reader.take() {
            // A thread that has panicked has kept what it had read.
            let _ = reader.join();
        }
        self.text()
    }
}

fn keep(kept: &mut Vec<u8>, more: &[u8]) {
    kept.extend_from_slice(more);
    let surplus = kept.len().saturating_sub(KEPT_BYTES);
    kept.drain(..surplus);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_from_a_whole_line_on() {
        let mut log = Log::of(std::io::Cursor::new("123456789\n".repeat(10_000)));
        let text = log.whole_text();
        assert!(text.starts_with("123456789\n"), "{}", &text[..20]);
        assert!(text.len() > KEPT_BYTES - 20);
    }
}
