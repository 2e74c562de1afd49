use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::Error;
use crate::log::Log;

/// How long the server may take to end in order.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);
/// Between two looks at whether it has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The line that the command prints once it serves.
#[derive(Debug, Deserialize)]
pub(crate) struct Ready {
    pub server: String,
    pub kubeconfig: PathBuf,
    pub pid: u32,
    pub version: String,
}

/// The command. It ends when its standard input does, and so with this process.
pub(crate) struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    log: Log,
}

impl Process {
    pub(crate) fn start(executable: &Path, args: &[String], timeout: Duration) -> Result<(Self, Ready), Error> {
        let mut child = Command::new(executable)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| Error::new(format!("{} cannot be started: {error}", executable.display())))?;
        let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else { unreachable!("both are piped") };
        let mut process = Self { stdin: child.stdin.take(), log: Log::of(stderr), child };
        match process.ready(stdout, timeout) {
            Ok(ready) => Ok((process, ready)),
            Err(error) => {
                process.kill();
                Err(error.with_log(process.log.whole_text()))
            }
        }
    }

    fn ready(&mut self, stdout: ChildStdout, timeout: Duration) -> Result<Ready, Error> {
        let (send, receive) = mpsc::channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut line = String::new();
            let read = reader.read_line(&mut line).map(|_| line);
            if send.send(read).is_ok() {
                // Whatever else might come is read, so that nobody waits for it to be.
                let _ = reader.read_to_end(&mut Vec::new());
            }
        });
        match receive.recv_timeout(timeout) {
            Ok(Ok(line)) if !line.is_empty() => serde_json::from_str(&line)
                .map_err(|error| Error::new(format!("coxswain printed {line:?} where a line of JSON belongs: {error}"))),
            Ok(Err(error)) => Err(Error::new(format!("what coxswain printed could not be read: {error}"))),
            Ok(Ok(_)) | Err(RecvTimeoutError::Disconnected) => Err(match self.wait(STOP_TIMEOUT) {
                Some(status) => Error::new(format!("coxswain ended before it was ready: {status}")),
                None => Error::new("coxswain closed its output before it was ready"),
            }),
            Err(RecvTimeoutError::Timeout) => Err(Error::new(format!("coxswain was not ready after {timeout:?}"))),
        }
    }

    pub(crate) fn log(&self) -> String {
        self.log.text()
    }

    pub(crate) fn stop(&mut self) -> Result<(), Error> {
        let what = match self.wait(Duration::ZERO) {
            Some(status) => format!("coxswain had ended before it was stopped: {status}"),
            None => {
                self.stdin = None;
                match self.wait(STOP_TIMEOUT) {
                    Some(status) if status.success() => return Ok(()),
                    Some(status) => format!("coxswain did not end in order: {status}"),
                    None => {
                        self.kill();
                        format!("coxswain did not end within {STOP_TIMEOUT:?} and was killed")
                    }
                }
            }
        };
        Err(Error::new(what).with_log(self.log.whole_text()))
    }

    /// None: it goes on.
    fn wait(&mut self, timeout: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + timeout;
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if Instant::now() < until => thread::sleep(POLL_INTERVAL),
                Ok(None) | Err(_) => return None,
            }
        }
    }

    fn kill(&mut self) {
        self.stdin = None;
        // It may have ended meanwhile, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
