//! Status, scale and the subresources of pods.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{Patch, PatchParams, PostParams};
use serde_json::{Value, json};

use crate::scene::{Outcome, Scene, deployment, pod, refused};

pub async fn status(scene: Scene) -> Outcome {
    let pods: Api<Pod> = scene.api();
    let created = pods.create(&PostParams::default(), &pod("a")).await?;
    assert_eq!(created.status.as_ref().and_then(|s| s.phase.as_deref()), Some("Pending"));
    let running = json!({"metadata": {"labels": {"kept": "yes"}}, "spec": {"nodeName": "n"}, "status": {"phase": "Running"}});
    let patched = pods.patch_status("a", &PatchParams::default(), &Patch::Merge(running)).await?;
    assert_eq!(patched.status.as_ref().and_then(|s| s.phase.as_deref()), Some("Running"));
    assert_eq!(patched.spec, created.spec, "a status write leaves the spec alone");
    assert_eq!(pods.get_status("a").await?, patched);
    let conditions = |kind: &str| json!({"status": {"conditions": [{"type": kind, "status": "True"}]}});
    for kind in ["Ready", "Initialized"] {
        pods.patch_status("a", &PatchParams::default(), &Patch::Strategic(conditions(kind))).await?;
    }
    let merged = pods.get("a").await?;
    assert_eq!(merged.status.as_ref().and_then(|s| s.conditions.as_ref()).map(Vec::len), Some(2), "merged by type");
    let mut spec_write = merged.clone();
    spec_write.status = None;
    spec_write.metadata.labels.get_or_insert_default().insert("spec".into(), "write".into());
    let written = pods.replace("a", &PostParams::default(), &spec_write).await?;
    assert_eq!(written.status, merged.status, "a spec write leaves the status alone");
    let mut stale = merged;
    stale.status.get_or_insert_default().message = Some("late".into());
    assert!(refused(pods.replace_status("a", &PostParams::default(), &stale).await).is_conflict());
    stale.metadata.resource_version = written.metadata.resource_version;
    let replaced = pods.replace_status("a", &PostParams::default(), &stale).await?;
    assert_eq!(replaced.status.and_then(|s| s.message).as_deref(), Some("late"));
    Ok(())
}

pub async fn scale(scene: Scene) -> Outcome {
    let deployments: Api<Deployment> = scene.api();
    let created = deployments.create(&PostParams::default(), &deployment("web", 1)).await?;
    let mut scale = deployments.get_scale("web").await?;
    assert_eq!(
        (scale.metadata.uid.as_ref(), scale.metadata.resource_version.as_ref()),
        (created.metadata.uid.as_ref(), created.metadata.resource_version.as_ref())
    );
    assert_eq!(json!(scale.status), json!({"replicas": 0, "selector": "app=web"}));
    let patched = deployments.patch_scale("web", &PatchParams::default(), &Patch::Merge(json!({"spec": {"replicas": 4}}))).await?;
    assert_eq!(json!(patched.spec), json!({"replicas": 4}));
    let now = deployments.get("web").await?;
    assert_eq!((now.metadata.generation, now.spec.and_then(|s| s.replicas)), (Some(2), Some(4)));
    scale.spec.get_or_insert_default().replicas = Some(7);
    let stale = refused(deployments.replace_scale("web", &PostParams::default(), &scale).await);
    assert!(stale.is_conflict(), "{stale:?}");
    assert!(stale.message.starts_with("Operation cannot be fulfilled on deployments.apps \"web\""), "{stale:?}");
    scale.metadata.resource_version = patched.metadata.resource_version;
    let replaced = deployments.replace_scale("web", &PostParams::default(), &scale).await?;
    assert_eq!(replaced.spec.and_then(|s| s.replicas), Some(7));
    let negative = deployments.patch_scale("web", &PatchParams::default(), &Patch::Merge(json!({"spec": {"replicas": -1}}))).await;
    assert!(refused(negative).is_invalid());
    Ok(())
}

pub async fn pods(scene: Scene) -> Outcome {
    let pods: Api<Pod> = scene.api();
    pods.create(&PostParams::default(), &pod("a")).await?;
    let debug =
        json!({"spec": {"ephemeralContainers": [{"name": "debug", "image": "registry.example/debug:1", "targetContainerName": "web"}]}});
    let direct = pods.patch("a", &PatchParams::default(), &Patch::Strategic(debug.clone())).await;
    assert!(refused(direct).is_invalid(), "only through the subresource");
    let debugged = pods.patch_ephemeral_containers("a", &PatchParams::default(), &Patch::Strategic(debug)).await?;
    let names = |p: &Pod| p.spec.iter().flat_map(|s| s.ephemeral_containers.iter().flatten()).map(|c| c.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&debugged), ["debug"]);
    assert_eq!(pods.get_ephemeral_containers("a").await?, debugged);
    let cpu = |amount: &str| -> Patch<Value> {
        Patch::Strategic(json!({"spec": {"containers": [{"name": "web", "resources": {"requests": {"cpu": amount}}}]}}))
    };
    assert!(refused(pods.patch("a", &PatchParams::default(), &cpu("200m")).await).is_invalid(), "only through the subresource");
    let resized = pods.patch_resize("a", &PatchParams::default(), &cpu("0.2")).await?;
    let requests = json!(resized.spec.map(|s| s.containers[0].resources.clone()));
    assert_eq!(requests, json!({"requests": {"cpu": "200m"}}));
    assert_eq!(resized.metadata.generation, Some(3));
    Ok(())
}
