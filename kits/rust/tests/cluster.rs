//! Starts and ends, well and badly. What needs the command is skipped where there is none.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use coxswain_testing::{Cluster, find_executable};

/// With a command that stands in for coxswain: what starts, says and ends wrongly.
fn start_error(fake: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fakes").join(fake);
    let error = Cluster::builder().executable(path).start_timeout(Duration::from_millis(500)).start().unwrap_err();
    error.to_string()
}

#[test]
fn a_command_that_ends_is_an_error_with_its_log() {
    let error = start_error("ends.sh");
    assert_eq!(error, "coxswain ended before it was ready: exit status: 3; the end of its log:\nthe disk is full");
}

#[test]
fn a_command_that_prints_something_else_is_an_error() {
    let error = start_error("prints.sh");
    assert!(error.starts_with(r#"coxswain printed "hello\n" where a line of JSON belongs"#), "{error}");
}

#[test]
fn a_command_that_never_gets_ready_is_an_error() {
    let error = start_error("waits.sh");
    assert_eq!(error, "coxswain was not ready after 500ms; the end of its log:\nwaiting");
}

#[test]
fn a_command_that_is_not_there_is_an_error() {
    let error = Cluster::builder().executable("/nowhere/coxswain").start().unwrap_err().to_string();
    assert_eq!(error, "coxswain was not found: Builder::executable names /nowhere/coxswain, which is no file");
}

fn is_missing() -> bool {
    find_executable(None).inspect_err(|error| eprintln!("skipped: {error}")).is_err()
}

#[test]
fn stop_removes_what_was_written() {
    if is_missing() {
        return;
    }
    let cluster = Cluster::builder().arg("--apiserver-only").start().unwrap();
    assert!(cluster.server().starts_with("https://127.0.0.1:"));
    let kubeconfig = cluster.kubeconfig().to_owned();
    assert!(kubeconfig.is_file());
    cluster.stop().unwrap();
    assert!(!kubeconfig.exists());
}

#[test]
fn a_cluster_that_is_dropped_ends() {
    if is_missing() {
        return;
    }
    let cluster = Cluster::builder().arg("--apiserver-only").start().unwrap();
    let kubeconfig = cluster.kubeconfig().to_owned();
    drop(cluster);
    assert!(!kubeconfig.exists());
}

#[test]
fn a_server_that_has_died_is_an_error() {
    if is_missing() {
        return;
    }
    let cluster = Cluster::builder().arg("--apiserver-only").start().unwrap();
    assert!(Command::new("kill").args(["-KILL", &cluster.pid().to_string()]).status().unwrap().success());
    let error = cluster.stop().unwrap_err().to_string();
    // Whether it is gone already when it is to be stopped is for the system to say.
    assert!(error.starts_with("coxswain ") && error.contains(": signal: 9"), "{error}");
}
