//! Watches as the API gives them: resumed, expired, with initial events, with selectors.

use std::pin::pin;

use futures::{Stream, TryStreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::scene::{Failure, Outcome, Scene, config_map};

/// `+name` for an addition, `~name` for a change, `-name` for a deletion, `=` for the bookmark that ends the initial events.
fn sign(event: &WatchEvent<ConfigMap>) -> Option<String> {
    match event {
        WatchEvent::Added(map) => Some(format!("+{}", map.name_any())),
        WatchEvent::Modified(map) => Some(format!("~{}", map.name_any())),
        WatchEvent::Deleted(map) => Some(format!("-{}", map.name_any())),
        WatchEvent::Bookmark(mark) => mark.metadata.annotations.get("k8s.io/initial-events-end").map(|_| "=".into()),
        WatchEvent::Error(status) => Some(format!("error {}", status.code)),
    }
}

async fn take(
    stream: impl Stream<Item = kube::Result<WatchEvent<ConfigMap>>>,
    count: usize,
) -> Result<Vec<WatchEvent<ConfigMap>>, Failure> {
    let mut stream = pin!(stream);
    let mut taken = Vec::new();
    while taken.len() < count {
        let event = stream.try_next().await?.expect("the watch ended early");
        if sign(&event).is_some() {
            taken.push(event);
        }
    }
    Ok(taken)
}

fn signs(events: &[WatchEvent<ConfigMap>]) -> String {
    events.iter().filter_map(sign).collect::<Vec<_>>().join(" ")
}

fn version(event: &WatchEvent<ConfigMap>) -> String {
    match event {
        WatchEvent::Added(map) | WatchEvent::Modified(map) | WatchEvent::Deleted(map) => map.resource_version().expect("a version"),
        other => panic!("no object in {other:?}"),
    }
}

async fn write_and_delete(maps: &Api<ConfigMap>) -> Outcome {
    for name in ["a", "b"] {
        maps.create(&PostParams::default(), &config_map(name, json!({}))).await?;
    }
    maps.patch("a", &PatchParams::default(), &Patch::Merge(json!({"data": {"k": "v"}}))).await?;
    maps.delete("b", &DeleteParams::default()).await?;
    maps.create(&PostParams::default(), &config_map("c", json!({}))).await?;
    Ok(())
}

pub async fn resume(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let start = maps.list(&ListParams::default()).await?.metadata.resource_version.expect("a version");
    write_and_delete(&maps).await?;
    let all = take(maps.watch(&WatchParams::default(), &start).await?, 5).await?;
    assert_eq!(signs(&all), "+a +b ~a -b +c");
    for (i, event) in all.iter().enumerate().take(4) {
        let rest = take(maps.watch(&WatchParams::default(), &version(event)).await?, 4 - i).await?;
        assert_eq!(signs(&rest), signs(&all[i + 1..]), "after event {i}");
    }
    let closed = maps.watch(&WatchParams::default().timeout(1), &version(&all[4])).await?;
    let left: Vec<_> = closed.try_collect().await?;
    assert_eq!(signs(&left), "", "the server ends a watch in time, without an error");
    Ok(())
}

pub async fn expired(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let events = take(maps.watch(&WatchParams::default(), "1").await?, 1).await?;
    match &events[0] {
        WatchEvent::Error(status) => {
            assert_eq!((status.code, status.reason.as_str()), (410, "Expired"));
            assert!(status.message.starts_with("too old resource version: 1 ("), "{status:?}");
        }
        other => panic!("expected an error, got {other:?}"),
    }
    Ok(())
}

pub async fn initial_events(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    write_and_delete(&maps).await?;
    let synthetic = take(maps.watch(&WatchParams::default(), "0").await?, 2).await?;
    assert_eq!(signs(&synthetic), "+a +c");
    let stream = maps.watch(&WatchParams::streaming_lists(), "").await?;
    maps.delete("a", &DeleteParams::default()).await?;
    assert_eq!(signs(&take(stream, 4).await?), "+a +c = -a");
    Ok(())
}

pub async fn selector_transitions(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let start = maps.list(&ListParams::default()).await?.metadata.resource_version.expect("a version");
    maps.create(&PostParams::default(), &config_map("a", json!({}))).await?;
    for (label, value) in [("in", json!("yes")), ("in", json!("no")), ("in", json!("yes")), ("other", json!("x")), ("in", json!(null))] {
        let patch = Patch::Merge(json!({"metadata": {"labels": {label: value}}}));
        maps.patch("a", &PatchParams::default(), &patch).await?;
    }
    let selected = take(maps.watch(&WatchParams::default().labels("in=yes"), &start).await?, 5).await?;
    assert_eq!(signs(&selected), "+a -a +a ~a -a");
    let named = take(maps.watch(&WatchParams::default().fields("metadata.name=a"), &start).await?, 6).await?;
    assert_eq!(signs(&named), "+a ~a ~a ~a ~a ~a");
    Ok(())
}
