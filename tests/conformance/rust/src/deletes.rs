//! Deletion: what it answers, what it waits for, and when it refuses.

use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, Preconditions};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::scene::{Outcome, Scene, assert_refused, config_map, pod, refused};

fn only_if(uid: Option<&str>, resource_version: Option<&str>) -> DeleteParams {
    DeleteParams::default().preconditions(Preconditions { uid: uid.map(Into::into), resource_version: resource_version.map(Into::into) })
}

pub async fn preconditions(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let map = maps.create(&PostParams::default(), &config_map("a", json!({}))).await?;
    let (uid, version) = (map.uid().expect("a uid"), map.resource_version().expect("a version"));
    maps.patch("a", &PatchParams::default(), &Patch::Merge(json!({"data": {"k": "v"}}))).await?;
    let now = maps.get("a").await?.resource_version().expect("a version");
    let other = "00000000-0000-0000-0000-000000000000";
    let message = format!(
        "Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition ({other}) does not match the UID in record ({uid}). \
        The object might have been deleted and then recreated"
    );
    assert_refused(maps.delete("a", &only_if(Some(other), None)).await, 409, "Conflict", &message);
    let message = format!(
        "Operation cannot be fulfilled on ConfigMap \"a\": the ResourceVersion in the precondition ({version}) does not match \
        the ResourceVersion in record ({now}). The object might have been modified"
    );
    assert_refused(maps.delete("a", &only_if(Some(&uid), Some(&version))).await, 409, "Conflict", &message);
    assert!(maps.delete("a", &only_if(Some(&uid), Some(&now)).dry_run()).await?.is_right());
    let status = maps.delete("a", &only_if(Some(&uid), Some(&now))).await?.right().expect("a status");
    assert!(status.is_success());
    assert_eq!(status.details.map(|d| (d.name, d.kind, d.uid)), Some(("a".into(), "configmaps".into(), uid)));
    assert!(refused(maps.delete("a", &DeleteParams::default()).await).is_not_found());

    let pods: Api<Pod> = scene.api();
    pods.create(&PostParams::default(), &pod("a")).await?;
    let gone = pods.delete("a", &DeleteParams::default().grace_period(0)).await?.left().expect("the pod");
    assert_eq!(gone.name_any(), "a");
    let mut placed: Pod = pod("b");
    placed.spec.as_mut().expect("a spec").node_name = Some("n".into());
    pods.create(&PostParams::default(), &placed).await?;
    let ending = pods.delete("b", &DeleteParams::default().grace_period(7)).await?.left().expect("the pod");
    assert_eq!(ending.metadata.deletion_grace_period_seconds, Some(7));
    assert!(pods.get("b").await?.metadata.deletion_timestamp.is_some(), "its node has to stop it first");
    pods.delete("b", &DeleteParams::default().grace_period(0)).await?;
    assert_eq!(pods.get_opt("b").await?, None);
    Ok(())
}

pub async fn finalizers(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let mut map: ConfigMap = config_map("a", json!({}));
    map.finalizers_mut().push("rust.example/hold".into());
    let created = maps.create(&PostParams::default(), &map).await?;
    let ending = maps.delete("a", &DeleteParams::default()).await?.left().expect("the object, for it is still there");
    assert_eq!(ending.uid(), created.uid());
    assert!(ending.metadata.deletion_timestamp.is_some());
    let mut more = ending.clone();
    more.finalizers_mut().push("rust.example/late".into());
    assert!(refused(maps.replace("a", &PostParams::default(), &more).await).is_invalid(), "no new finalizers while it ends");
    let again = maps.delete("a", &DeleteParams::default()).await?.left().expect("the object");
    assert_eq!(again.metadata.deletion_timestamp, ending.metadata.deletion_timestamp);
    let mut released = again;
    released.finalizers_mut().clear();
    maps.replace("a", &PostParams::default(), &released).await?;
    assert_eq!(maps.get_opt("a").await?, None);

    maps.create(&PostParams::default(), &config_map("b", json!({}))).await?;
    let held = maps.delete("b", &DeleteParams::foreground()).await?.left().expect("the object");
    assert_eq!(held.finalizers(), ["foregroundDeletion"]);
    maps.create(&PostParams::default(), &config_map("c", json!({}))).await?;
    let held = maps.delete("c", &DeleteParams::orphan()).await?.left().expect("the object");
    assert_eq!(held.finalizers(), ["orphan"]);
    Ok(())
}

pub async fn collection(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    for (name, keep) in [("a", "no"), ("b", "yes"), ("c", "no")] {
        let mut map: ConfigMap = config_map(name, json!({}));
        map.labels_mut().insert("keep".into(), keep.into());
        maps.create(&PostParams::default(), &map).await?;
    }
    let doomed = ListParams::default().labels("keep=no");
    let dry = maps.delete_collection(&DeleteParams::default().dry_run(), &doomed).await?;
    assert_eq!(dry.left().map(|list| list.items.len()), Some(2));
    let gone = maps.delete_collection(&DeleteParams::default(), &doomed).await?;
    let names: Vec<String> = gone.left().expect("what was deleted").iter().map(ResourceExt::name_any).collect();
    assert_eq!(names, ["a", "c"]);
    let left: Vec<String> = maps.list(&ListParams::default()).await?.iter().map(ResourceExt::name_any).collect();
    assert_eq!(left, ["b"]);
    Ok(())
}
