//! A Kubernetes control plane for tests: the API server, its controllers, a scheduler and simulated nodes in one process that starts
//! in under a second and ends with the tests.
//!
//! ```no_run
//! # fn main() -> Result<(), coxswain_testing::Error> {
//! let cluster = coxswain_testing::Cluster::start()?;
//! println!("KUBECONFIG={}", cluster.kubeconfig().display());
//! # Ok(())
//! # }
//! ```
//!
//! With the feature `kube`, `Cluster::client` gives a client of the crate `kube`.

mod cluster;
mod error;
mod executable;
#[cfg(feature = "kube")]
mod kube;
mod log;
mod process;

pub use cluster::{Builder, Cluster};
pub use error::Error;
pub use executable::{EXECUTABLE_VARIABLE, find_executable};
