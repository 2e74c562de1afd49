//! A custom resource as operators in Rust define it: derived from a type, applied, and used like any other kind.

use futures::{StreamExt, TryStreamExt};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams};
use kube::core::crd::merge_crds;
use kube::core::{DynamicObject, GroupVersion};
use kube::discovery::{Scope, oneshot};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, CustomResource, CustomResourceExt, KubeSchema, Resource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::scene::{Failure, Outcome, Scene, assert_refused, refused};
use crate::writes::MODIFIED;

#[derive(CustomResource, KubeSchema, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[kube(group = "rust.conformance.test", version = "v1", kind = "Kite", namespaced, status = "KiteStatus", derive = "PartialEq")]
#[kube(shortname = "kt", category = "toys", selectable = ".spec.color")]
#[kube(scale(spec_replicas_path = ".spec.tails", status_replicas_path = ".status.tails", label_selector_path = ".status.selector"))]
#[kube(printcolumn(name = "Color", type_ = "string", json_path = ".spec.color"))]
#[x_kube(validation = Rule::new("self.tails != 13").message("thirteen tails").reason(Reason::FieldValueForbidden))]
pub struct KiteSpec {
    #[x_kube(validation = Rule::new("self == oldSelf").message("a kite keeps its color"))]
    pub color: Color,
    #[schemars(range(min = 0, max = 99))]
    #[serde(default = "one")]
    pub tails: i32,
    #[schemars(length(max = 5), regex(pattern = r"^[a-z]*$"))]
    pub owner: Option<String>,
    #[serde(default)]
    #[x_kube(merge_strategy = ListMerge::Map(vec!["name".into()]))]
    pub lines: Vec<Line>,
}

fn one() -> i32 {
    1
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Color {
    Red,
    Blue,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    pub name: String,
    pub meters: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct KiteStatus {
    #[serde(default)]
    pub observed_generation: i64,
    #[serde(default)]
    pub tails: i32,
    pub selector: Option<String>,
}

mod old {
    use super::*;

    /// As it was before kites had more than a color.
    #[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
    #[kube(group = "rust.conformance.test", version = "v1alpha1", kind = "Kite", namespaced, deprecated = "kites have moved on")]
    pub struct KiteSpec {
        pub color: Color,
    }
}

fn definition() -> Result<CustomResourceDefinition, Failure> {
    Ok(merge_crds(vec![Kite::crd(), old::Kite::crd()], "v1")?)
}

/// Applies the definition, as each operator does when it starts: all do it at once here, and one of them creates it.
pub async fn kites(scene: &Scene) -> Result<Api<Kite>, Failure> {
    let definitions: Api<CustomResourceDefinition> = Api::all(scene.client.clone());
    let params = PatchParams::apply("rust").force();
    definitions.patch(Kite::crd_name(), &params, &Patch::Apply(definition()?)).await?;
    await_condition(definitions, Kite::crd_name(), conditions::is_crd_established()).await?;
    Ok(scene.api())
}

pub fn kite(name: &str, color: Color) -> Kite {
    Kite::new(name, KiteSpec { color, tails: 1, owner: None, lines: vec![] })
}

pub fn untyped(name: &str, spec: Value) -> DynamicObject {
    DynamicObject::new(name, &Kite::api_resource()).data(json!({ "spec": spec }))
}

pub async fn defines(scene: Scene) -> Outcome {
    kites(&scene).await?;
    let definitions: Api<CustomResourceDefinition> = Api::all(scene.client.clone());
    let first = definitions.get(Kite::crd_name()).await?;
    let again = definitions.patch(Kite::crd_name(), &PatchParams::apply("rust").force(), &Patch::Apply(definition()?)).await?;
    assert_eq!(again.resource_version(), first.resource_version(), "what changes nothing is not a write");
    assert_eq!(first.status.and_then(|s| s.stored_versions), Some(vec!["v1".to_string()]));
    let group = oneshot::pinned_group(&scene.client, &GroupVersion::gv("rust.conformance.test", "v1")).await?;
    let (found, capabilities) = group.recommended_kind("Kite").expect("the kind");
    assert_eq!((found, capabilities.scope), (Kite::api_resource(), Scope::Namespaced));
    assert!(capabilities.subresources.iter().map(|(found, _)| found.plural.as_str()).eq(["status", "scale"]));
    Ok(())
}

pub async fn round_trip(scene: Scene) -> Outcome {
    let kites = kites(&scene).await?;
    let pp = PostParams::default();
    let dynamic: Api<DynamicObject> = Api::namespaced_with(scene.client.clone(), &scene.namespace, &Kite::api_resource());
    let sparse = untyped("a", json!({"color": "red", "pruned": 1, "owner": null, "lines": [{"name": "a", "knots": 2}]}));
    let created = dynamic.create(&pp, &sparse).await?;
    assert_eq!(created.data["spec"], json!({"color": "red", "tails": 1, "owner": null, "lines": [{"name": "a"}]}));
    let mut typed = kites.get("a").await?;
    assert_eq!((typed.metadata.generation, typed.spec.tails, &typed.status), (Some(1), 1, &None));
    let stale = typed.clone();
    typed.spec.tails = 2;
    typed.status = Some(KiteStatus { tails: 9, ..KiteStatus::default() });
    let replaced = kites.replace("a", &pp, &typed).await?;
    assert_eq!((replaced.metadata.generation, replaced.spec.tails, &replaced.status), (Some(2), 2, &None));
    let message = format!("Operation cannot be fulfilled on kites.rust.conformance.test \"a\": {MODIFIED}");
    assert_refused(kites.replace("a", &pp, &stale).await, 409, "Conflict", &message);
    kites.create(&pp, &kite("b", Color::Blue)).await?;
    let blue = kites.list(&ListParams::default().fields("spec.color=blue")).await?;
    assert_eq!(blue.iter().map(Kite::name_any).collect::<Vec<_>>(), ["b"]);
    let old: Api<old::Kite> = scene.api();
    assert_eq!(old.get("b").await?.spec.color, Color::Blue);
    let metadata = kites.list_metadata(&ListParams::default()).await?;
    assert_eq!(metadata.items.iter().map(|m| m.name_any()).collect::<Vec<_>>(), ["a", "b"]);
    kites.delete_collection(&DeleteParams::default(), &ListParams::default().fields("spec.color=blue")).await?;
    assert_eq!(kites.get_opt("b").await?, None);
    Ok(())
}

pub async fn refusals(scene: Scene) -> Outcome {
    let kites = kites(&scene).await?;
    let dynamic: Api<DynamicObject> = Api::namespaced_with(scene.client.clone(), &scene.namespace, &Kite::api_resource());
    let pp = PostParams::default();
    let wrong = untyped("a", json!({"color": "green", "tails": 100, "owner": "BIG", "lines": [{"name": "a"}, {"name": "a"}]}));
    let status = refused(dynamic.create(&pp, &wrong).await);
    assert!(status.is_invalid(), "{status:?}");
    let mut causes: Vec<_> = status.details.iter().flat_map(|d| &d.causes).map(|c| format!("{} {}", c.field, c.reason)).collect();
    causes.sort();
    let expected = [
        "<nil> FieldValueInvalid",
        "spec.color FieldValueNotSupported",
        "spec.lines[1] FieldValueDuplicate",
        "spec.owner FieldValueInvalid",
        "spec.tails FieldValueInvalid",
    ];
    assert_eq!(causes, expected);
    let mut made = kites.create(&pp, &kite("a", Color::Red)).await?;
    made.spec.color = Color::Blue;
    let moved = refused(kites.replace("a", &pp, &made).await);
    assert!(moved.is_invalid() && moved.message.ends_with(": a kite keeps its color"), "{moved:?}");
    let thirteen = kites.patch("a", &PatchParams::default(), &Patch::Merge(json!({"spec": {"tails": 13}}))).await;
    let message = "Kite.rust.conformance.test \"a\" is invalid: spec: Forbidden: thirteen tails";
    assert_refused(thirteen, 422, "Invalid", message);
    let strategic = kites.patch("a", &PatchParams::default(), &Patch::Strategic(json!({"spec": {"tails": 2}}))).await;
    assert_eq!(refused(strategic).code, 415, "custom resources have no strategic merge");
    let strict = kites.patch("a", &PatchParams::default().validation_strict(), &Patch::Merge(json!({"spec": {"tale": 2}}))).await;
    assert!(refused(strict).message.contains("unknown field \"spec.tale\""));
    Ok(())
}

pub async fn watches(scene: Scene) -> Outcome {
    let kites = kites(&scene).await?;
    let pp = PostParams::default();
    let red = WatchParams::default().fields("spec.color=red");
    let start = kites.list(&ListParams::default()).await?.metadata.resource_version.expect("a version");
    let stream = kites.watch(&red, &start).await?;
    let config = watcher::Config::default().streaming_lists().fields("spec.color=red");
    let followed = watcher(kites.clone(), config).try_filter_map(|event| async {
        Ok(match event {
            Event::Apply(kite) | Event::InitApply(kite) => Some(format!("+{}", kite.name_any())),
            Event::Delete(kite) => Some(format!("-{}", kite.name_any())),
            Event::Init | Event::InitDone => None,
        })
    });
    for (name, color) in [("a", Color::Red), ("b", Color::Blue), ("c", Color::Red)] {
        kites.create(&pp, &kite(name, color)).await?;
    }
    kites.patch("a", &PatchParams::default(), &Patch::Merge(json!({"spec": {"tails": 3}}))).await?;
    kites.delete("a", &DeleteParams::default()).await?;
    let signs = stream.map_ok(|event| match event {
        WatchEvent::Added(kite) => format!("+{}", kite.name_any()),
        WatchEvent::Modified(kite) => format!("~{}", kite.name_any()),
        WatchEvent::Deleted(kite) => format!("-{}", kite.name_any()),
        other => format!("{other:?}"),
    });
    assert_eq!(signs.take(4).try_collect::<Vec<_>>().await?, ["+a", "+c", "~a", "-a"]);
    let mut followed = std::pin::pin!(followed);
    assert_eq!(followed.try_next().await?.as_deref(), Some("+c"));
    kites.delete("c", &DeleteParams::default()).await?;
    assert_eq!(followed.try_next().await?.as_deref(), Some("-c"));
    Ok(())
}

pub async fn applies(scene: Scene) -> Outcome {
    let kites = kites(&scene).await?;
    let dynamic: Api<DynamicObject> = Api::namespaced_with(scene.client.clone(), &scene.namespace, &Kite::api_resource());
    let by = async |who: &str, spec: Value| dynamic.patch("a", &PatchParams::apply(who), &Patch::Apply(untyped("a", spec))).await;
    by("first", json!({"color": "red", "tails": 2, "lines": [{"name": "a", "meters": 1}]})).await?;
    by("second", json!({"color": "red", "lines": [{"name": "b"}]})).await?;
    let conflict = refused(by("second", json!({"color": "red", "tails": 3})).await);
    assert!(conflict.is_conflict() && conflict.message.contains("conflict with \"first\": .spec.tails"), "{conflict:?}");
    by("first", json!({"color": "red", "lines": [{"name": "a", "meters": 5}]})).await?;
    let merged = kites.get("a").await?;
    let lines: Vec<_> = merged.spec.lines.iter().map(|line| (line.name.as_str(), line.meters)).collect();
    assert_eq!((merged.spec.tails, lines), (1, vec![("a", Some(5)), ("b", None)]), "what is given up is as by default");
    let version = merged.resource_version();
    by("first", json!({"color": "red", "lines": [{"name": "a", "meters": 5}]})).await?;
    assert_eq!(kites.get("a").await?.resource_version(), version, "what changes nothing is not a write");
    Ok(())
}

pub async fn subresources(scene: Scene) -> Outcome {
    let kites = kites(&scene).await?;
    let created = kites.create(&PostParams::default(), &kite("a", Color::Red)).await?;
    let report = json!({"metadata": {"labels": {"a": "b"}}, "spec": {"tails": 7}, "status": {"tails": 3, "selector": "kite=a"}});
    let reported = kites.patch_status("a", &PatchParams::default(), &Patch::Merge(report)).await?;
    let status = KiteStatus { observed_generation: 0, tails: 3, selector: Some("kite=a".into()) };
    assert_eq!((&reported.spec, reported.status.as_ref(), reported.metadata.generation), (&created.spec, Some(&status), Some(1)));
    assert!(reported.labels().is_empty(), "a status write leaves metadata alone");
    assert!(refused(kites.replace_status("a", &PostParams::default(), &created).await).is_conflict());
    let apply = untyped("a", json!({"color": "blue"})).data(json!({"status": {"observedGeneration": 1}}));
    let dynamic: Api<DynamicObject> = Api::namespaced_with(scene.client.clone(), &scene.namespace, &Kite::api_resource());
    let applied = dynamic.patch_status("a", &PatchParams::apply("reporter").force(), &Patch::Apply(apply)).await?;
    assert_eq!(applied.data["status"], json!({"observedGeneration": 1, "tails": 3, "selector": "kite=a"}));
    let mut scale = kites.get_scale("a").await?;
    assert_eq!((json!(scale.spec), json!(scale.status)), (json!({"replicas": 1}), json!({"replicas": 3, "selector": "kite=a"})));
    let patched = kites.patch_scale("a", &PatchParams::default(), &Patch::Merge(json!({"spec": {"replicas": 4}}))).await?;
    assert_eq!(json!(patched.spec), json!({"replicas": 4}));
    scale.spec.get_or_insert_default().replicas = Some(5);
    assert!(refused(kites.replace_scale("a", &PostParams::default(), &scale).await).is_conflict());
    let thirteen = kites.patch_scale("a", &PatchParams::default(), &Patch::Merge(json!({"spec": {"replicas": 13}}))).await;
    assert!(refused(thirteen).is_invalid(), "rules hold whichever way the object is written");
    let scaled = kites.get("a").await?;
    assert_eq!((scaled.spec.tails, scaled.metadata.generation), (4, Some(2)));
    Ok(())
}

/// No other check uses balloons: their definition is deleted.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "rust.conformance.test", version = "v1", kind = "Balloon")]
pub struct BalloonSpec {
    pub color: Color,
}

pub async fn removal(scene: Scene) -> Outcome {
    let definitions: Api<CustomResourceDefinition> = Api::all(scene.client.clone());
    let made = definitions.create(&PostParams::default(), &Balloon::crd()).await?;
    await_condition(definitions.clone(), Balloon::crd_name(), conditions::is_crd_established()).await?;
    let balloons: Api<Balloon> = Api::all(scene.client.clone());
    let mut held = Balloon::new("held", BalloonSpec { color: Color::Red });
    held.finalizers_mut().push("rust.example/string".into());
    balloons.create(&PostParams::default(), &held).await?;
    balloons.create(&PostParams::default(), &Balloon::new("free", BalloonSpec { color: Color::Blue })).await?;
    let stream = balloons.watch(&WatchParams::default(), "0").await?;
    definitions.delete(Balloon::crd_name(), &DeleteParams::default()).await?;
    let is_deleting = |balloon: Option<&Balloon>| balloon.is_some_and(|balloon| balloon.meta().deletion_timestamp.is_some());
    await_condition(balloons.clone(), "held", is_deleting).await?;
    let late = balloons.create(&PostParams::default(), &Balloon::new("late", BalloonSpec { color: Color::Red })).await;
    let status = refused(late);
    assert!(
        status.code == 403 && status.message.ends_with("create not allowed while custom resource definition is terminating"),
        "{status:?}"
    );
    balloons.patch("held", &PatchParams::default(), &Patch::Merge(json!({"metadata": {"finalizers": null}}))).await?;
    await_condition(definitions, Balloon::crd_name(), conditions::is_deleted(&made.uid().expect("a uid"))).await?;
    let deleted = stream.try_filter(|event| std::future::ready(matches!(event, WatchEvent::Deleted(_)))).count().await;
    assert_eq!(deleted, 2, "the watch ends after the last deletion");
    assert_eq!(refused(balloons.list(&ListParams::default()).await).code, 404);
    Ok(())
}
