use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::process::{Process, Ready};
use crate::{Error, find_executable};

const START_TIMEOUT: Duration = Duration::from_secs(60);

/// A Kubernetes control plane in a process of its own, ready for requests.
///
/// Nothing of it is kept: its state is in memory, its kubeconfig in a temporary folder that the server removes. It ends with `stop`,
/// when it is dropped, and with this process, even if that is killed. A `static` one is never dropped, and ends with the process.
pub struct Cluster {
    process: Process,
    ready: Ready,
    stopped: bool,
}

impl Cluster {
    /// A whole cluster: controllers, a scheduler and one simulated node.
    pub fn start() -> Result<Self, Error> {
        Self::builder().start()
    }

    /// To choose what is started.
    pub fn builder() -> Builder {
        Builder { executable: None, args: Vec::new(), start_timeout: START_TIMEOUT }
    }

    /// The administrator's kubeconfig. It is gone once the cluster has ended.
    pub fn kubeconfig(&self) -> &Path {
        &self.ready.kubeconfig
    }

    /// The URL, `https://127.0.0.1:PORT`.
    pub fn server(&self) -> &str {
        &self.ready.server
    }

    /// The process of the server.
    pub fn pid(&self) -> u32 {
        self.ready.pid
    }

    /// The version of coxswain.
    pub fn version(&self) -> &str {
        &self.ready.version
    }

    /// The end of what the server has logged so far.
    pub fn log(&self) -> String {
        self.process.log()
    }

    /// Ends it and waits until it has removed what it wrote. An error says that it had ended before, or did not end in order.
    pub fn stop(mut self) -> Result<(), Error> {
        self.stopped = true;
        self.process.stop()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if self.stopped {
            return;
        }
        if let Err(error) = self.process.stop() {
            eprintln!("{error}");
        }
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Cluster").field("server", &self.ready.server).field("pid", &self.ready.pid).finish_non_exhaustive()
    }
}

/// Says what is started.
#[derive(Clone, Debug)]
pub struct Builder {
    executable: Option<PathBuf>,
    args: Vec<String>,
    start_timeout: Duration,
}

impl Builder {
    /// The command; see [`find_executable`].
    pub fn executable(mut self, path: impl Into<PathBuf>) -> Self {
        self.executable = Some(path.into());
        self
    }

    /// A further option of the command: `--apiserver-only` for an API server without controllers, `--nodes=3` for more nodes. Pods run on
    /// simulated nodes unless an option says otherwise.
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// How long the start may take; a minute by default.
    pub fn start_timeout(mut self, timeout: Duration) -> Self {
        self.start_timeout = timeout;
        self
    }

    /// Returns when the server answers.
    pub fn start(self) -> Result<Cluster, Error> {
        let executable = find_executable(self.executable.as_deref())?;
        let (process, ready) = Process::start(&executable, &self.all_args(), self.start_timeout)?;
        Ok(Cluster { process, ready, stopped: false })
    }

    fn all_args(&self) -> Vec<String> {
        let mut all: Vec<String> = ["--ephemeral", "--port=0", "--output=json", "--stop-on-stdin-close"].map(String::from).into();
        // By itself coxswain takes what runs containers on this machine, if anything does: tests should not depend on that.
        let is_choice = |arg: &String| ["--runtime", "--apiserver-only", "--no-node"].contains(&arg.split('=').next().unwrap_or_default());
        if !self.args.iter().any(is_choice) {
            all.push("--runtime=simulated".into());
        }
        all.extend_from_slice(&self.args);
        all
    }
}
