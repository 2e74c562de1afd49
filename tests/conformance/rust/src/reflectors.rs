//! kube's own watcher and what stands on it: it recovers by itself, so its consumers see one unbroken stream.

use std::fmt::Debug;
use std::pin::pin;
use std::time::Duration;

use futures::{Stream, StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::core::PartialObjectMeta;
use kube::runtime::reflector::{self, ObjectRef};
use kube::runtime::wait::{Condition, await_condition, conditions, delete::delete_and_finalize};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Resource, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::scene::{Failure, Outcome, Scene, config_map, pod};

/// Writes slowly while the server ends the watch every two seconds: nothing is lost, doubled or listed again.
async fn across_timeouts<K>(scene: Scene, config: watcher::Config) -> Outcome
where
    K: Resource<DynamicType = (), Scope = k8s_openapi::NamespaceResourceScope> + Clone + Debug + DeserializeOwned + Send + 'static,
{
    let maps: Api<ConfigMap> = scene.api();
    for name in ["a", "b", "c"] {
        maps.create(&PostParams::default(), &config_map(name, json!({}))).await?;
    }
    let mut stream = pin!(watcher(scene.api::<K>(), config.labels("app=rust").timeout(2)));
    assert_eq!(signs(&mut stream, 5).await?, "init a b c done");
    let writer = tokio::spawn(write_slowly(maps));
    let written = writer.await??;
    assert_eq!(signs(&mut stream, written.len()).await?, written.join(" "));
    Ok(())
}

async fn write_slowly(maps: Api<ConfigMap>) -> Result<Vec<String>, Failure> {
    let mut written = Vec::new();
    for i in 0..12 {
        let name = format!("late-{i}");
        maps.create(&PostParams::default(), &config_map(&name, json!({}))).await?;
        written.push(format!("~{name}"));
        if i % 3 == 0 {
            maps.delete(&name, &DeleteParams::default()).await?;
            written.push(format!("-{name}"));
        }
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    Ok(written)
}

async fn signs<K: Resource>(
    stream: &mut (impl Stream<Item = watcher::Result<watcher::Event<K>>> + Unpin),
    count: usize,
) -> Result<String, Failure> {
    let events: Vec<_> = stream.take(count).try_collect().await?;
    Ok(events.iter().map(sign).collect::<Vec<_>>().join(" "))
}

fn sign<K: Resource>(event: &watcher::Event<K>) -> String {
    match event {
        watcher::Event::Init => "init".into(),
        watcher::Event::InitApply(object) => object.name_any(),
        watcher::Event::InitDone => "done".into(),
        watcher::Event::Apply(object) => format!("~{}", object.name_any()),
        watcher::Event::Delete(object) => format!("-{}", object.name_any()),
    }
}

pub async fn list_watch(scene: Scene) -> Outcome {
    across_timeouts::<ConfigMap>(scene, watcher::Config::default().page_size(2)).await
}

pub async fn streaming_list(scene: Scene) -> Outcome {
    across_timeouts::<ConfigMap>(scene, watcher::Config::default().streaming_lists()).await
}

pub async fn metadata(scene: Scene) -> Outcome {
    across_timeouts::<PartialObjectMeta<ConfigMap>>(scene, watcher::Config::default().any_semantic()).await
}

pub async fn store(scene: Scene) -> Outcome {
    let pods: Api<Pod> = scene.api();
    for i in 0..10 {
        pods.create(&PostParams::default(), &pod(&format!("pod-{i}"))).await?;
    }
    let (reader, writer) = reflector::store();
    let events = watcher(pods.clone(), watcher::Config::default().streaming_lists()).default_backoff().reflect(writer);
    let following = tokio::spawn(events.touched_objects().for_each(|_| std::future::ready(())));
    reader.wait_until_ready().await?;
    assert_eq!(reader.len(), 10);
    pods.delete("pod-3", &DeleteParams::default()).await?;
    pods.patch("pod-4", &PatchParams::default(), &Patch::Merge(json!({"metadata": {"labels": {"last": "yes"}}}))).await?;
    let fourth = ObjectRef::new("pod-4").within(&scene.namespace);
    while reader.get(&fourth).is_none_or(|pod| !pod.labels().contains_key("last")) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut stored: Vec<Pod> = reader.state().iter().map(|pod| Pod::clone(pod)).collect();
    stored.sort_by_key(ResourceExt::name_any);
    assert_eq!(stored, pods.list(&Default::default()).await?.items);
    following.abort();
    Ok(())
}

pub async fn conditions(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let created = tokio::spawn(await_condition(maps.clone(), "a", conditions::is_created()));
    let map = maps.create(&PostParams::default(), &config_map("a", json!({}))).await?;
    assert_eq!(created.await??, Some(map));
    let ready = |map: Option<&ConfigMap>| map.is_some_and(|m| m.labels().contains_key("ready"));
    let changed = tokio::spawn(await_condition(maps.clone(), "a", ready.and(conditions::is_created())));
    maps.patch("a", &PatchParams::default(), &Patch::Merge(json!({"metadata": {"labels": {"ready": ""}}}))).await?;
    assert!(changed.await??.is_some());
    delete_and_finalize(maps.clone(), "a", &DeleteParams::default()).await?;
    assert_eq!(maps.get_opt("a").await?, None);
    Ok(())
}
