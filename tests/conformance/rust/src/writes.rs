//! Creating, reading, replacing and patching, and what happens when two do so at once.

use futures::future::try_join_all;
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kube::api::entry::{CommitError, Entry};
use kube::api::{GetParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::scene::{Failure, Outcome, Scene, assert_refused, config_map, object, refused};

pub async fn round_trip(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let created = maps.create(&PostParams::default(), &config_map("a", json!({"k": "1"}))).await?;
    assert_eq!(created.metadata.generation, None);
    assert!(created.creation_timestamp().is_some() && created.uid().is_some());
    assert_eq!(maps.get("a").await?, created);
    assert_eq!(maps.get_with("a", &GetParams::any()).await?.uid(), created.uid());
    let mut changed = created.clone();
    changed.data.get_or_insert_default().insert("k".into(), "2".into());
    let pp = PostParams { field_manager: Some("rust".into()), ..PostParams::default() };
    let replaced = maps.replace("a", &pp, &changed).await?;
    assert_eq!((replaced.uid(), replaced.data.as_ref()), (created.uid(), changed.data.as_ref()));
    assert_ne!(replaced.resource_version(), created.resource_version());
    assert!(replaced.managed_fields().iter().any(|entry| entry.manager.as_deref() == Some("rust")));
    let same = maps.replace("a", &pp, &replaced).await?;
    assert_eq!(same.resource_version(), replaced.resource_version(), "what changes nothing is not a write");
    let listed = maps.list(&ListParams::default()).await?;
    assert_eq!(listed.items, [same]);
    assert_eq!((listed.types.kind.as_str(), listed.types.api_version.as_str()), ("ConfigMapList", "v1"));
    Ok(())
}

pub async fn refusals(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let pp = PostParams::default();
    let status = assert_refused(maps.get("none").await, 404, "NotFound", "configmaps \"none\" not found");
    assert!(status.is_not_found());
    let details = status.details.expect("details");
    assert_eq!((details.name.as_str(), details.kind.as_str(), details.group.as_str()), ("none", "configmaps", ""));
    assert_eq!(maps.get_opt("none").await?, None);
    assert_eq!(maps.get_metadata_opt("none").await?.map(|m| m.metadata), None);
    maps.create(&pp, &config_map("a", json!({}))).await?;
    let again = maps.create(&pp, &config_map("a", json!({}))).await;
    assert!(assert_refused(again, 409, "AlreadyExists", "configmaps \"a\" already exists").is_already_exists());
    let status = refused(maps.create(&pp, &config_map("Not a Name", json!({}))).await);
    assert!(status.is_invalid() && status.code == 422, "{status:?}");
    let causes = status.details.expect("details").causes;
    assert_eq!(causes.iter().map(|c| (c.reason.as_str(), c.field.as_str())).collect::<Vec<_>>(), [("FieldValueInvalid", "metadata.name")]);
    let elsewhere: Api<ConfigMap> = Api::namespaced(scene.client.clone(), "no-such-namespace");
    let orphan = elsewhere.create(&pp, &config_map("a", json!({}))).await;
    assert_refused(orphan, 404, "NotFound", "namespaces \"no-such-namespace\" not found");
    Ok(())
}

pub const MODIFIED: &str = "the object has been modified; please apply your changes to the latest version and try again";

pub async fn conflict(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let pp = PostParams::default();
    let stale = maps.create(&pp, &config_map("a", json!({"k": "1"}))).await?;
    maps.patch("a", &PatchParams::default(), &Patch::Merge(json!({"data": {"other": "1"}}))).await?;
    let message = format!("Operation cannot be fulfilled on configmaps \"a\": {MODIFIED}");
    let status = assert_refused(maps.replace("a", &pp, &stale).await, 409, "Conflict", &message);
    assert!(status.is_conflict());
    assert_eq!(status.details.map(|d| (d.name, d.kind)), Some(("a".into(), "configmaps".into())));
    let stale_patch = json!({"metadata": {"resourceVersion": stale.resource_version()}, "data": {"k": "2"}});
    let patched = maps.patch("a", &PatchParams::default(), &Patch::Merge(&stale_patch)).await;
    assert!(refused(patched).is_conflict(), "a patch that names a version means it");
    let mut fresh = maps.get("a").await?;
    fresh.data.get_or_insert_default().insert("k".into(), "2".into());
    let won = maps.replace("a", &pp, &fresh).await?;
    assert_eq!(json!(won.data), json!({"k": "2", "other": "1"}));
    let mut unconditional = stale;
    unconditional.metadata.resource_version = None;
    assert_eq!(json!(maps.replace("a", &pp, &unconditional).await?.data), json!({"k": "1"}), "no version, no conflict");
    Ok(())
}

pub async fn contention(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    maps.create(&PostParams::default(), &config_map("counter", json!({"n": "0"}))).await?;
    let conflicts = try_join_all((0..8).map(|_| count_to(maps.clone(), 10))).await?;
    assert_eq!(json!(maps.get("counter").await?.data), json!({"n": "80"}));
    assert!(conflicts.iter().sum::<usize>() > 0, "eight writers never met");
    Ok(())
}

/// Adds one `times` times, reading again whenever another client was faster. Returns how often that was.
async fn count_to(maps: Api<ConfigMap>, times: usize) -> Result<usize, Failure> {
    let (mut done, mut lost) = (0, 0);
    while done < times {
        let mut counter = maps.get("counter").await?;
        let n: usize = counter.data.as_ref().expect("data")["n"].parse()?;
        counter.data = Some([("n".into(), (n + 1).to_string())].into());
        match maps.replace("counter", &PostParams::default(), &counter).await {
            Ok(_) => done += 1,
            Err(kube::Error::Api(status)) if status.is_conflict() => lost += 1,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(lost)
}

pub async fn entries(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let set = |map: &mut ConfigMap| map.data = Some([("k".into(), "v".into())].into());
    let mut mine = maps.entry("a").await?.or_insert(|| config_map("a", json!({}))).and_modify(set);
    mine.commit(&PostParams::default()).await?;
    let Entry::Occupied(mut late) = maps.entry("a").await? else { panic!("it was committed") };
    assert_eq!(json!(late.get().data), json!({"k": "v"}));
    mine = mine.and_modify(|map| map.data = None);
    mine.commit(&PostParams::default()).await?;
    late = late.and_modify(|map| map.immutable = Some(true));
    match late.commit(&PostParams::default()).await {
        Err(CommitError::Save(kube::Error::Api(status))) if status.is_conflict() => Ok(()),
        other => panic!("expected a conflict, got {other:?}"),
    }
}

pub async fn patches(scene: Scene) -> Outcome {
    let services: Api<Service> = scene.api();
    let service = json!({
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"},
        "spec": {"selector": {"app": "web"}, "ports": [{"name": "http", "port": 80}]},
    });
    let created = services.create(&PostParams::default(), &object(service)).await?;
    let pp = PatchParams::default();
    let ports = |s: &Service| s.spec.iter().flat_map(|spec| spec.ports.iter().flatten()).map(|p| p.port).collect::<Vec<_>>();
    let strategic = json!({"spec": {"ports": [{"name": "https", "port": 443}]}});
    assert_eq!(ports(&services.patch("web", &pp, &Patch::Strategic(strategic)).await?), [443, 80], "merged by port");
    let merge = json!({"spec": {"ports": [{"name": "http", "port": 8080}]}, "metadata": {"labels": {"a": "b"}}});
    assert_eq!(ports(&services.patch("web", &pp, &Patch::Merge(merge)).await?), [8080], "replaced as a whole");
    let test = json!([{"op": "test", "path": "/metadata/labels/a", "value": "other"}, {"op": "remove", "path": "/metadata/labels/a"}]);
    let failed = services.patch("web", &pp, &Patch::Json::<()>(serde_json::from_value(test)?)).await;
    assert_eq!(refused(failed).code, 422);
    let removal = json!([{"op": "test", "path": "/metadata/labels/a", "value": "b"}, {"op": "remove", "path": "/metadata/labels/a"}]);
    let last = services.patch("web", &pp, &Patch::Json::<()>(serde_json::from_value(removal)?)).await?;
    assert!(last.labels().is_empty());
    assert_eq!(last.spec.and_then(|s| s.cluster_ip), created.spec.and_then(|s| s.cluster_ip));
    Ok(())
}

pub async fn validation(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    maps.create(&PostParams::default(), &config_map("a", json!({}))).await?;
    let misspelt = Patch::Merge(json!({"dta": {"k": "v"}}));
    let strict = maps.patch("a", &PatchParams::default().validation_strict(), &misspelt).await;
    let status = refused(strict);
    assert_eq!((status.code, status.reason.as_str()), (422, "Invalid"), "{status:?}");
    assert!(status.message.contains("strict decoding error: unknown field \"dta\""), "{status:?}");
    let lax = maps.patch("a", &PatchParams::default().validation_ignore(), &misspelt).await?;
    assert_eq!(lax.data, None);
    maps.patch("a", &PatchParams::default().validation_warn(), &misspelt).await?;
    Ok(())
}

pub async fn dry_run(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    assert!(maps.create(&dry, &config_map("a", json!({}))).await?.uid().is_some());
    assert_eq!(maps.get_opt("a").await?, None);
    let real = maps.create(&PostParams::default(), &config_map("a", json!({}))).await?;
    let patch = Patch::Merge(json!({"data": {"k": "v"}}));
    let patched = maps.patch("a", &PatchParams::default().dry_run(), &patch).await?;
    assert_eq!(json!(patched.data), json!({"k": "v"}));
    assert_eq!(maps.get("a").await?, real);
    Ok(())
}
