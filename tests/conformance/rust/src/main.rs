//! Drives a server as operators written in Rust do. Prints one line for each check and exits with 1 when one fails.
//!
//! Usage: kube-conformance KUBECONFIG

mod apply;
mod controller;
mod custom;
mod custom_controller;
mod deletes;
mod dynamic;
mod effects;
mod events;
mod lists;
mod reflectors;
mod scene;
mod subresources;
mod typed;
mod watches;
mod writes;

use std::process::ExitCode;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use kube::config::{Config, KubeConfigOptions, Kubeconfig};
use scene::{Outcome, Scene};

type Check = (&'static str, fn(Scene) -> BoxFuture<'static, Outcome>);

macro_rules! checks {
    ($($name:literal: $run:path,)*) => { [$(($name, |scene| $run(scene).boxed())),*] };
}

const CHECKS: &[Check] = &checks! {
    "version": dynamic::version,
    "group by group and aggregated discovery agree": dynamic::discovery,
    "every kind that discovery names can be listed": dynamic::lists_every_kind,
    "objects of kinds found by discovery": dynamic::objects,
    "create, get, replace, list": writes::round_trip,
    "refusals are statuses with reason and code": writes::refusals,
    "a stale replace conflicts, and a retry wins": writes::conflict,
    "retries on conflict count exactly": writes::contention,
    "entries commit and conflict": writes::entries,
    "merge, strategic and JSON patches": writes::patches,
    "strict and lax field validation": writes::validation,
    "dry runs write nothing": writes::dry_run,
    "pages are one snapshot": lists::pages,
    "selectors": lists::selectors,
    "metadata only": lists::metadata,
    "a watch resumes where it was left": watches::resume,
    "a watch from an expired revision gets 410": watches::expired,
    "a watch starts with what is there": watches::initial_events,
    "watch selectors turn changes into additions and deletions": watches::selector_transitions,
    "the watcher lists, then watches across timeouts": reflectors::list_watch,
    "the watcher streams its list, then watches across timeouts": reflectors::streaming_list,
    "the watcher follows metadata only": reflectors::metadata,
    "a reflector's store is what the server has": reflectors::store,
    "await_condition sees creation, change and deletion": reflectors::conditions,
    "apply: create, change, remove, repeat": apply::lifecycle,
    "apply: conflict, force, shared and given up": apply::conflicts,
    "apply: typed deployments and list keys": apply::typed,
    "apply: status and scale have their own managers": apply::subresources,
    "status patch and replace leave the spec alone": subresources::status,
    "scale get, patch, replace": subresources::scale,
    "ephemeral containers and resize": subresources::pods,
    "deletes return what they did, with preconditions": deletes::preconditions,
    "finalizers hold deletion": deletes::finalizers,
    "collections are deleted by selector": deletes::collection,
    "typed pods, deployments, leases and secrets": typed::kinds,
    "leases: whoever is late loses": typed::leadership,
    "eviction obeys the budget": effects::eviction,
    "service account tokens": effects::tokens,
    "approval of a certificate": effects::approval,
    "cordon, uncordon, restart": effects::nodes_and_restarts,
    "the event recorder creates and counts": events::recorder,
    "a controller converges": controller::converges,
};

/// These change what discovery returns, so they wait for the checks that read it.
const CUSTOM: &[Check] = &checks! {
    "a derived definition is applied, established, discovered": custom::defines,
    "custom resources: defaults, pruning, conflict, selectors, versions": custom::round_trip,
    "custom resources: refusals by schema and rules": custom::refusals,
    "custom resources: watches by field": custom::watches,
    "custom resources: apply": custom::applies,
    "custom resources: status and scale": custom::subresources,
    "custom resources: a controller converges": custom_controller::converges,
    "custom resources: a definition goes after its objects": custom::removal,
};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let path = std::env::args().nth(1).expect("usage: kube-conformance KUBECONFIG");
    let kubeconfig = Kubeconfig::read_from(path).expect("a kubeconfig");
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await.expect("a usable kubeconfig");
    let mut results = Vec::new();
    for checks in [CHECKS, CUSTOM] {
        let first = results.len();
        results.extend(join_all(checks.iter().enumerate().map(|(i, check)| outcome(config.clone(), first + i, check))).await);
    }
    for (name, failure) in &results {
        match failure {
            None => println!("ok {name}"),
            Some(failure) => println!("FAIL {name}: {}", failure.replace('\n', " ")),
        }
    }
    if results.iter().all(|(_, failure)| failure.is_none()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs a check as a task of its own, in a namespace of its own, so that a panic or a hang ends only itself.
async fn outcome(config: Config, index: usize, (name, run): &Check) -> (&'static str, Option<String>) {
    let run = *run;
    let task = tokio::spawn(async move { run(Scene::create(config, &format!("rust-{index}")).await?).await });
    let abort = task.abort_handle();
    let failure = match tokio::time::timeout(Duration::from_secs(40), task).await {
        Ok(Ok(Ok(()))) => None,
        Ok(Ok(Err(error))) => Some(error.to_string()),
        Ok(Err(panicked)) => Some(scene::panic_message(panicked)),
        Err(_) => Some("no end after 40 seconds".into()),
    };
    abort.abort();
    (name, failure)
}
