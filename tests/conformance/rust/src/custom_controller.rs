//! A controller on a custom resource: each kite has a ConfigMap, a finalizer and a report of what was seen last.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Error, Event, finalizer};
use kube::runtime::wait::await_condition;
use kube::runtime::wait::delete::delete_and_finalize;
use kube::runtime::watcher;
use kube::{Api, Resource, ResourceExt};
use serde_json::json;

use crate::custom::{Color, Kite, kite, kites};
use crate::scene::{Failure, Outcome, Scene, config_map};

const FINALIZER: &str = "rust.example/kite";

async fn reconcile(kite: Arc<Kite>, scene: Arc<Scene>) -> Result<Action, Error<kube::Error>> {
    finalizer(&scene.api(), FINALIZER, kite, |event| async {
        match event {
            Event::Apply(kite) => apply(&scene, &kite).await,
            Event::Cleanup(kite) => clean_up(&scene, &kite).await,
        }
    })
    .await
}

async fn apply(scene: &Scene, kite: &Kite) -> kube::Result<Action> {
    let mut wanted: ConfigMap = config_map(&kite.name_any(), json!({"tails": kite.spec.tails.to_string()}));
    wanted.metadata.owner_references = Some(kite.controller_owner_ref(&()).into_iter().collect());
    let params = PatchParams::apply("kite-controller").force();
    scene.api::<ConfigMap>().patch(&kite.name_any(), &params, &Patch::Apply(wanted)).await?;
    let status = json!({
        "apiVersion": Kite::api_version(&()), "kind": "Kite",
        "status": {"observedGeneration": kite.metadata.generation, "tails": kite.spec.tails},
    });
    scene.api::<Kite>().patch_status(&kite.name_any(), &params, &Patch::Apply(status)).await?;
    Ok(Action::requeue(Duration::from_secs(300)))
}

async fn clean_up(scene: &Scene, kite: &Kite) -> kube::Result<Action> {
    match scene.api::<ConfigMap>().delete(&kite.name_any(), &DeleteParams::default()).await {
        Err(kube::Error::Api(status)) if status.is_not_found() => Ok(Action::await_change()),
        done => done.map(|_| Action::await_change()),
    }
}

async fn reports(scene: &Scene, name: &str, tails: i32) -> Outcome {
    let reported = move |kite: Option<&Kite>| {
        kite.is_some_and(|kite| {
            let status = kite.status.clone().unwrap_or_default();
            kite.metadata.generation == Some(status.observed_generation) && status.tails == tails
        })
    };
    await_condition(scene.api(), name, reported).await?;
    let map = scene.api::<ConfigMap>().get(name).await?;
    assert_eq!(json!(map.data), json!({"tails": tails.to_string()}));
    Ok(())
}

async fn drive(scene: &Scene) -> Result<(), Failure> {
    let (kites, maps): (Api<Kite>, Api<ConfigMap>) = (scene.api(), scene.api());
    for name in ["a", "b"] {
        kites.create(&PostParams::default(), &kite(name, Color::Red)).await?;
        reports(scene, name, 1).await?;
    }
    kites.patch("a", &PatchParams::default(), &Patch::Merge(json!({"spec": {"tails": 5}}))).await?;
    reports(scene, "a", 5).await?;
    kites.patch_scale("a", &PatchParams::default(), &Patch::Merge(json!({"spec": {"replicas": 6}}))).await?;
    reports(scene, "a", 6).await?;
    let first = maps.get("b").await?.uid();
    maps.delete("b", &DeleteParams::default()).await?;
    let is_new = |map: Option<&ConfigMap>| map.is_some_and(|map| map.uid() != first);
    await_condition(maps.clone(), "b", is_new).await?;
    for name in ["a", "b"] {
        assert_eq!(kites.get(name).await?.finalizers(), [FINALIZER]);
        delete_and_finalize(kites.clone(), name, &DeleteParams::default()).await?;
        assert_eq!(maps.get_opt(name).await?, None, "cleaned up before it was gone");
    }
    Ok(())
}

pub async fn converges(scene: Scene) -> Outcome {
    let kites = kites(&scene).await?;
    let owned = watcher::Config::default().labels("app=rust");
    let controller = Controller::new(kites, watcher::Config::default().streaming_lists()).owns(scene.api::<ConfigMap>(), owned).run(
        reconcile,
        |_, _, _| Action::requeue(Duration::from_millis(50)),
        Arc::new(scene.clone()),
    );
    let running = tokio::spawn(controller.for_each(|_| std::future::ready(())));
    let driven = drive(&scene).await;
    running.abort();
    driven
}
