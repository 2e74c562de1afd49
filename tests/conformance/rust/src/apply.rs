//! Server-side apply: who manages which field, and what happens when two want the same.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams, PostParams};
use kube::core::Status;
use kube::{Api, ResourceExt};
use serde_json::{Value, json};

use crate::scene::{Failure, Outcome, Scene, assert_refused, deployment, refused};
use crate::writes::MODIFIED;

fn map(data: Value) -> Patch<Value> {
    Patch::Apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": data}))
}

/// `manager operation subresource fields`, one line for each entry.
fn managers(object: &impl ResourceExt) -> Result<Vec<String>, Failure> {
    let line = |entry: &k8s_openapi::apimachinery::pkg::apis::meta::v1::ManagedFieldsEntry| {
        let fields = entry.fields_v1.as_ref().map(|f| f.0.to_string()).unwrap_or_default();
        let words = [entry.manager.as_deref(), entry.operation.as_deref(), entry.subresource.as_deref(), Some(fields.as_str())];
        words.into_iter().flatten().collect::<Vec<_>>().join(" ")
    };
    Ok(object.managed_fields().iter().map(line).collect())
}

/// The field of each cause, after a check of everything else that such a refusal has.
fn contested(status: &Status, message: &str) -> Vec<String> {
    assert!(status.is_conflict() && status.code == 409, "{status:?}");
    assert_eq!(status.message, message);
    let causes = &status.details.as_ref().expect("details").causes;
    assert!(causes.iter().all(|cause| cause.reason == "FieldManagerConflict"), "{causes:?}");
    causes.iter().map(|cause| cause.field.clone()).collect()
}

pub async fn lifecycle(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let one = PatchParams::apply("one");
    let created = maps.patch("a", &one, &map(json!({"x": "1", "y": "1"}))).await?;
    assert_eq!(managers(&created)?, [r#"one Apply {"f:data":{"f:x":{},"f:y":{}}}"#]);
    let again = maps.patch("a", &one, &map(json!({"x": "1", "y": "1"}))).await?;
    assert_eq!(again, created, "what changes nothing is not a write");
    let fewer = maps.patch("a", &one, &map(json!({"x": "2"}))).await?;
    assert_eq!(json!(fewer.data), json!({"x": "2"}), "what is no longer applied goes");
    let dry = maps.patch("a", &one.clone().dry_run(), &map(json!({"x": "3"}))).await?;
    assert_eq!(json!(dry.data), json!({"x": "3"}));
    assert_eq!(maps.get("a").await?, fewer);
    let stale = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "resourceVersion": created.resource_version()}});
    let message = format!("Operation cannot be fulfilled on configmaps \"a\": {MODIFIED}");
    assert_refused(maps.patch("a", &one, &Patch::Apply(stale)).await, 409, "Conflict", &message);
    let read_back = refused(maps.patch("a", &one, &Patch::Apply(&fewer)).await);
    assert_eq!((read_back.code, read_back.message.as_str()), (400, "metadata.managedFields must be nil"));
    let nameless = maps.patch("a", &PatchParams::default(), &map(json!({}))).await;
    let message = "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch";
    assert_refused(nameless, 422, "Invalid", message);
    Ok(())
}

pub async fn conflicts(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let (one, two) = (PatchParams::apply("one"), PatchParams::apply("two"));
    maps.patch("a", &one, &map(json!({"x": "1", "y": "1"}))).await?;
    let shared = maps.patch("a", &two, &map(json!({"x": "1", "z": "2"}))).await?;
    assert_eq!(managers(&shared)?, [r#"one Apply {"f:data":{"f:x":{},"f:y":{}}}"#, r#"two Apply {"f:data":{"f:x":{},"f:z":{}}}"#]);
    let status = refused(maps.patch("a", &two, &map(json!({"x": "2", "z": "2"}))).await);
    assert_eq!(contested(&status, "Apply failed with 1 conflict: conflict with \"one\": .data.x"), [".data.x"]);
    assert_eq!(maps.get("a").await?, shared);
    let forced = maps.patch("a", &two.clone().force(), &map(json!({"x": "2", "y": "2"}))).await?;
    assert_eq!(json!(forced.data), json!({"x": "2", "y": "2"}));
    assert_eq!(managers(&forced)?, [r#"two Apply {"f:data":{"f:x":{},"f:y":{}}}"#]);
    let mut late: ConfigMap = maps.get("a").await?;
    late.data.get_or_insert_default().insert("x".into(), "3".into());
    let writer = PostParams { field_manager: Some("writer".into()), ..PostParams::default() };
    let taken = maps.replace("a", &writer, &late).await?;
    assert_eq!(managers(&taken)?, [r#"two Apply {"f:data":{"f:y":{}}}"#, r#"writer Update {"f:data":{"f:x":{}}}"#]);
    let status = refused(maps.patch("a", &two, &map(json!({"x": "2", "y": "2"}))).await);
    assert_eq!(contested(&status, "Apply failed with 1 conflict: conflict with \"writer\" using v1: .data.x"), [".data.x"]);
    let given_up = maps.patch("a", &two, &map(json!({}))).await?;
    assert_eq!(json!(given_up.data), json!({"x": "3"}), "another's field stays");
    Ok(())
}

pub async fn typed(scene: Scene) -> Outcome {
    let deployments: Api<Deployment> = scene.api();
    let one = PatchParams::apply("one");
    let mut mine: Deployment = deployment("web", 2);
    let created = deployments.patch("web", &one, &Patch::Apply(&mine)).await?;
    assert_eq!((created.metadata.generation, created.spec.as_ref().and_then(|s| s.replicas)), (Some(1), Some(2)));
    let sidecar = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"template": {"spec": {
        "containers": [{"name": "sidecar", "image": "registry.example/sidecar:1"}]}}}});
    let both = deployments.patch("web", &PatchParams::apply("two"), &Patch::Apply(sidecar)).await?;
    assert_eq!(images(&both), ["registry.example/web:1", "registry.example/sidecar:1"]);
    let rival = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {"replicas": 3, "template": {"spec": {
        "containers": [{"name": "web", "image": "registry.example/web:2"}]}}}});
    let status = refused(deployments.patch("web", &PatchParams::apply("three"), &Patch::Apply(rival)).await);
    let image = ".spec.template.spec.containers[name=\"web\"].image";
    let message = format!("Apply failed with 2 conflicts: conflicts with \"one\":\n- .spec.replicas\n- {image}");
    assert_eq!(contested(&status, &message), [".spec.replicas", image]);
    mine.spec.as_mut().expect("a spec").replicas = None;
    let left = deployments.patch("web", &one, &Patch::Apply(&mine)).await?;
    assert_eq!(left.spec.as_ref().and_then(|s| s.replicas), Some(1), "the default is back");
    assert_eq!(images(&left), images(&both), "the other's container stays");
    Ok(())
}

fn images(deployment: &Deployment) -> Vec<String> {
    let pod = deployment.spec.as_ref().and_then(|s| s.template.spec.as_ref()).expect("a pod");
    pod.containers.iter().filter_map(|c| c.image.clone()).collect()
}

pub async fn subresources(scene: Scene) -> Outcome {
    let deployments: Api<Deployment> = scene.api();
    let mut mine: Deployment = deployment("web", 2);
    deployments.patch("web", &PatchParams::apply("one"), &Patch::Apply(&mine)).await?;
    let status =
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "status": {"replicas": 2, "readyReplicas": 1}});
    let ready = deployments.patch_status("web", &PatchParams::apply("kubelet"), &Patch::Apply(status)).await?;
    assert!(managers(&ready)?.contains(&r#"kubelet Apply status {"f:status":{"f:readyReplicas":{},"f:replicas":{}}}"#.into()));
    let scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "web"}, "spec": {"replicas": 5}});
    let refusal = deployments.patch_scale("web", &PatchParams::apply("scaler"), &Patch::Apply(&scale)).await;
    assert_eq!(contested(&refused(refusal), "Apply failed with 1 conflict: conflict with \"one\": .spec.replicas"), [".spec.replicas"]);
    let scaled = deployments.patch_scale("web", &PatchParams::apply("scaler").force(), &Patch::Apply(&scale)).await?;
    assert_eq!(scaled.spec.and_then(|s| s.replicas), Some(5));
    let now = deployments.get("web").await?;
    assert!(managers(&now)?.contains(&r#"scaler Apply scale {"f:spec":{"f:replicas":{}}}"#.into()));
    mine.spec.as_mut().expect("a spec").replicas = None;
    let left = deployments.patch("web", &PatchParams::apply("one"), &Patch::Apply(&mine)).await?;
    assert_eq!(left.spec.and_then(|s| s.replicas), Some(5), "the autoscaler keeps what it manages");
    assert_eq!(left.status.and_then(|s| s.ready_replicas), Some(1));
    Ok(())
}
