//! Pages, selectors and metadata-only reads.

use futures::future::try_join_all;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{ListParams, Patch, PatchParams, PostParams, VersionMatch};
use kube::core::{Expression, PartialObjectMeta, Selector};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::scene::{Failure, Outcome, Scene, assert_refused, config_map, object, pod, refused};

async fn create_maps(maps: &Api<ConfigMap>, count: usize) -> Result<Vec<ConfigMap>, Failure> {
    let pp = PostParams::default();
    let objects: Vec<ConfigMap> = (0..count).map(|i| config_map(&format!("map-{i:02}"), json!({"i": i.to_string()}))).collect();
    Ok(try_join_all(objects.iter().map(|object| maps.create(&pp, object))).await?)
}

pub async fn pages(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let created = create_maps(&maps, 25).await?;
    let first = maps.list(&ListParams::default().limit(10)).await?;
    assert_eq!((first.items.len(), first.metadata.remaining_item_count), (10, Some(15)));
    maps.delete("map-15", &Default::default()).await?;
    maps.create(&PostParams::default(), &config_map("map-99", json!({}))).await?;
    let mut seen = first.items;
    let mut token = first.metadata.continue_;
    while let Some(next) = token.filter(|t| !t.is_empty()) {
        let page = maps.list(&ListParams::default().limit(10).continue_token(&next)).await?;
        assert_eq!(page.metadata.resource_version, first.metadata.resource_version);
        seen.extend(page.items);
        token = page.metadata.continue_;
    }
    assert_eq!(seen, created, "later writes do not show");
    let version = first.metadata.resource_version.expect("a version");
    let exact = maps.list(&ListParams::default().at(&version).matching(VersionMatch::Exact)).await?;
    assert_eq!(exact.items, created);
    let newer = maps.list(&ListParams::default().at(&version).matching(VersionMatch::NotOlderThan)).await?;
    assert!(newer.iter().any(|map| map.name_any() == "map-99"));
    assert_eq!(maps.list(&ListParams::default().match_any()).await?.items.len(), 25);
    let status = refused(maps.list(&ListParams::default().limit(1).continue_token("nonsense")).await);
    assert_eq!((status.code, status.reason.as_str()), (400, "BadRequest"), "{status:?}");
    let forgotten = maps.list(&ListParams::default().at("1").matching(VersionMatch::Exact)).await;
    let status = refused(forgotten);
    assert_eq!((status.code, status.reason.as_str()), (410, "Expired"), "{status:?}");
    Ok(())
}

pub async fn selectors(scene: Scene) -> Outcome {
    let pods: Api<Pod> = scene.api();
    for (name, tier, node) in [("a", "front", "n1"), ("b", "back", "n1"), ("c", "back", "n2")] {
        let mut object: Pod = pod(name);
        object.labels_mut().insert("tier".into(), tier.into());
        object.spec.as_mut().expect("a spec").node_name = Some(node.into());
        pods.create(&PostParams::default(), &object).await?;
    }
    let cases = [
        (ListParams::default().labels("tier=back"), "b c"),
        (ListParams::default().labels("tier notin (back),app"), "a"),
        (ListParams::default().labels("!tier"), ""),
        (ListParams::default().fields("spec.nodeName=n1"), "a b"),
        (ListParams::default().fields("metadata.name!=a,status.phase=Pending"), "b c"),
        (ListParams::default().fields("spec.nodeName=n1").labels("tier=back"), "b"),
        (ListParams::default().labels_from(&Selector::from(Expression::In("tier".into(), ["back".into()].into()))), "b c"),
    ];
    for (params, expected) in cases {
        let found: Vec<String> = pods.list(&params).await?.iter().map(ResourceExt::name_any).collect();
        assert_eq!(found.join(" "), expected, "{params:?}");
    }
    let unknown = pods.list(&ListParams::default().fields("spec.colour=red")).await;
    assert_refused(unknown, 400, "BadRequest", "field label not supported: spec.colour");
    Ok(())
}

pub async fn metadata(scene: Scene) -> Outcome {
    let maps: Api<ConfigMap> = scene.api();
    let created = create_maps(&maps, 3).await?;
    let one = maps.get_metadata("map-01").await?;
    assert_eq!(one.metadata, created[1].metadata);
    assert_eq!(json!(one.types), json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata"}));
    let listed = maps.list_metadata(&ListParams::default().limit(2)).await?;
    assert_eq!(listed.iter().map(|m| &m.metadata).collect::<Vec<_>>(), [&created[0].metadata, &created[1].metadata]);
    assert_eq!(listed.metadata.remaining_item_count, Some(1));
    let patch: PartialObjectMeta<ConfigMap> = object(json!({"metadata": {"annotations": {"a": "b"}}}));
    let patched = maps.patch_metadata("map-01", &PatchParams::default(), &Patch::Merge(&patch)).await?;
    assert_eq!(patched.annotations().get("a").map(String::as_str), Some("b"));
    let api: Api<PartialObjectMeta<ConfigMap>> = scene.api();
    assert_eq!(api.get("map-01").await?.metadata, patched.metadata);
    Ok(())
}
