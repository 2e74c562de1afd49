//! Discovery, and objects of kinds that the program learns from it.

use kube::api::{DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams};
use kube::core::{GroupVersionKind, TypeMeta};
use kube::discovery::{Discovery, Scope, pinned_kind, verbs};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::scene::{Outcome, Scene, refused};

pub async fn version(scene: Scene) -> Outcome {
    let version = scene.client.apiserver_version().await?;
    assert_eq!((version.major.as_str(), version.minor.as_str()), ("1", "36"));
    assert!(version.git_version.starts_with("v1.36."), "{version:?}");
    Ok(())
}

/// One line for each resource: kind, plural, scope, verbs and the plurals of its subresources, which may come in any order.
fn lines(discovery: &Discovery) -> Vec<String> {
    let mut lines = Vec::new();
    for group in discovery.groups() {
        for version in group.versions() {
            for (resource, capabilities) in group.versioned_resources(version) {
                let mut parts: Vec<&str> = capabilities.subresources.iter().map(|(sub, _)| sub.plural.as_str()).collect();
                parts.sort_unstable();
                let mut operations = capabilities.operations;
                operations.sort_unstable();
                lines.push(format!("{resource:?} {:?} {operations:?} {parts:?}", capabilities.scope));
            }
        }
    }
    lines.sort_unstable();
    lines
}

pub async fn discovery(scene: Scene) -> Outcome {
    let one_by_one = Discovery::new(scene.client.clone()).run().await?;
    let aggregated = Discovery::new(scene.client.clone()).run_aggregated().await?;
    assert_eq!(lines(&one_by_one), lines(&aggregated));
    assert_eq!(aggregated.get("autoscaling").map(|g| g.preferred_version_or_latest()), Some("v2"));
    let gvk = GroupVersionKind::gvk("apps", "v1", "Deployment");
    let (resource, capabilities) = aggregated.resolve_gvk(&gvk).expect("deployments");
    assert_eq!((resource.plural.as_str(), capabilities.scope), ("deployments", Scope::Namespaced));
    assert!(capabilities.operations.iter().any(|verb| verb == verbs::DELETE_COLLECTION));
    let mut parts: Vec<String> = capabilities.subresources.into_iter().map(|(sub, _)| sub.plural).collect();
    parts.sort_unstable();
    assert_eq!(parts, ["scale", "status"]);
    let nodes = TypeMeta { api_version: "v1".into(), kind: "Node".into() };
    assert_eq!(aggregated.resolve_typemeta(&nodes).map(|(_, c)| c.scope), Some(Scope::Cluster));
    let unknown = pinned_kind(&scene.client, &GroupVersionKind::gvk("apps", "v1", "Sloop")).await;
    assert!(matches!(unknown, Err(kube::Error::Discovery(_))), "{unknown:?}");
    Ok(())
}

pub async fn lists_every_kind(scene: Scene) -> Outcome {
    let discovery = Discovery::new(scene.client.clone()).run_aggregated().await?;
    let mut listed = 0;
    for (resource, capabilities) in discovery.groups().flat_map(|group| group.resources_by_stability()) {
        if !capabilities.supports_operation(verbs::WATCH) {
            continue;
        }
        let api: Api<DynamicObject> = Api::all_with(scene.client.clone(), &resource);
        let list = api.list(&ListParams::default()).await?;
        assert_eq!(list.types.kind, format!("{}List", resource.kind));
        assert_eq!(list.types.api_version, resource.api_version);
        assert!(list.metadata.resource_version.is_some_and(|version| !version.is_empty()));
        listed += 1;
    }
    assert!(listed > 50, "only {listed} kinds");
    Ok(())
}

pub async fn objects(scene: Scene) -> Outcome {
    let gvk = GroupVersionKind::gvk("batch", "v1", "CronJob");
    let (resource, _) = pinned_kind(&scene.client, &gvk).await?;
    let api: Api<DynamicObject> = Api::namespaced_with(scene.client.clone(), &scene.namespace, &resource);
    let spec = json!({"spec": {"schedule": "*/5 * * * *", "jobTemplate": {"spec": {"template": {"spec": {
        "restartPolicy": "Never", "containers": [{"name": "a", "image": "registry.example/a:1"}]}}}}}});
    let created = api.create(&PostParams::default(), &DynamicObject::new("a", &resource).data(spec)).await?;
    assert_eq!(created.types, Some(TypeMeta { api_version: "batch/v1".into(), kind: "CronJob".into() }));
    assert_eq!(created.data["spec"]["concurrencyPolicy"], "Allow");
    let patch = json!({"spec": {"suspend": true}});
    let patched = api.patch("a", &PatchParams::default(), &Patch::Merge(patch)).await?;
    assert_eq!((patched.metadata.generation, &patched.data["spec"]["suspend"]), (Some(2), &json!(true)));
    let status = api
        .patch_status("a", &PatchParams::default(), &Patch::Merge(json!({"status": {"lastScheduleTime": "2030-01-01T00:00:00Z"}})))
        .await?;
    assert_eq!((status.metadata.generation, &status.data["status"]["lastScheduleTime"]), (Some(2), &json!("2030-01-01T00:00:00Z")));
    assert!(refused(api.replace("a", &PostParams::default(), &created).await).is_conflict());
    let listed = api.list(&ListParams::default()).await?;
    assert_eq!(listed.iter().map(ResourceExt::name_any).collect::<Vec<_>>(), ["a"]);
    assert!(api.delete("a", &DeleteParams::background()).await?.is_right());
    Ok(())
}
