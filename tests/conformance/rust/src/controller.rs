//! A controller as operators write them: for each labelled ConfigMap a Deployment that it owns and applies, with a finalizer.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Error, Event, finalizer};
use kube::runtime::wait::await_condition;
use kube::runtime::wait::delete::delete_and_finalize;
use kube::runtime::watcher;
use kube::{Api, Resource, ResourceExt};
use serde_json::json;

use crate::scene::{Failure, Outcome, Scene, config_map, deployment};

const FINALIZER: &str = "rust.example/cleanup";

async fn reconcile(map: Arc<ConfigMap>, scene: Arc<Scene>) -> Result<Action, Error<kube::Error>> {
    let maps: Api<ConfigMap> = scene.api();
    finalizer(&maps, FINALIZER, map, |event| async {
        match event {
            Event::Apply(map) => apply(&scene, &map).await,
            Event::Cleanup(map) => clean_up(&scene, &map).await,
        }
    })
    .await
}

async fn apply(scene: &Scene, map: &ConfigMap) -> kube::Result<Action> {
    let replicas = map.data.as_ref().and_then(|data| data.get("replicas")?.parse().ok()).unwrap_or(1);
    let mut wanted: Deployment = deployment(&map.name_any(), replicas);
    wanted.metadata.owner_references = Some(map.controller_owner_ref(&()).into_iter().collect());
    let params = PatchParams::apply("rust-controller").force();
    let applied = scene.api::<Deployment>().patch(&map.name_any(), &params, &Patch::Apply(wanted)).await?;
    let seen = json!({"metadata": {"annotations": {"rust.example/generation": applied.metadata.generation.map(|g| g.to_string())}}});
    scene.api::<ConfigMap>().patch(&map.name_any(), &PatchParams::default(), &Patch::Merge(seen)).await?;
    Ok(Action::requeue(Duration::from_secs(300)))
}

async fn clean_up(scene: &Scene, map: &ConfigMap) -> kube::Result<Action> {
    match scene.api::<Deployment>().delete(&map.name_any(), &DeleteParams::background()).await {
        Err(kube::Error::Api(status)) if status.is_not_found() => Ok(Action::await_change()),
        done => done.map(|_| Action::await_change()),
    }
}

async fn replicas_are(scene: &Scene, name: &str, replicas: i32) -> Outcome {
    let has = move |d: Option<&Deployment>| d.is_some_and(|d| d.spec.as_ref().and_then(|s| s.replicas) == Some(replicas));
    await_condition(scene.api(), name, has).await?;
    Ok(())
}

async fn drive(scene: &Scene) -> Result<(), Failure> {
    let maps: Api<ConfigMap> = scene.api();
    let deployments: Api<Deployment> = scene.api();
    let set = |replicas: &str| Patch::Merge(json!({"data": {"replicas": replicas}}));
    for name in ["a", "b"] {
        maps.create(&PostParams::default(), &config_map(name, json!({"replicas": "2"}))).await?;
        replicas_are(scene, name, 2).await?;
    }
    maps.patch("a", &PatchParams::default(), &set("5")).await?;
    replicas_are(scene, "a", 5).await?;
    deployments.patch_scale("a", &PatchParams::default(), &Patch::Merge(json!({"spec": {"replicas": 9}}))).await?;
    replicas_are(scene, "a", 5).await?;
    let first = deployments.get("b").await?;
    deployments.delete("b", &DeleteParams::background()).await?;
    replicas_are(scene, "b", 2).await?;
    assert_ne!(deployments.get("b").await?.uid(), first.uid());
    for name in ["a", "b"] {
        assert_eq!(maps.get(name).await?.finalizers(), [FINALIZER]);
        delete_and_finalize(maps.clone(), name, &DeleteParams::default()).await?;
        assert_eq!(deployments.get_opt(name).await?, None, "cleaned up before it was gone");
    }
    Ok(())
}

pub async fn converges(scene: Scene) -> Outcome {
    let watched = || watcher::Config::default().labels("app=rust");
    let controller = Controller::new(scene.api::<ConfigMap>(), watched()).owns(scene.api::<Deployment>(), watched()).run(
        reconcile,
        |_, _, _| Action::requeue(Duration::from_millis(50)),
        Arc::new(scene.clone()),
    );
    let running = tokio::spawn(controller.for_each(|_| std::future::ready(())));
    let driven = drive(&scene).await;
    running.abort();
    driven
}
