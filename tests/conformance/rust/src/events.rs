//! Events as a controller publishes them: repeated ones become a series; both groups show the same objects.

use k8s_openapi::api::core::v1 as core;
use k8s_openapi::api::events::v1 as events;
use kube::api::{ListParams, PostParams};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::{Api, Resource, ResourceExt};
use serde_json::json;

use crate::scene::{Outcome, Scene, config_map, object};

fn event(reason: &str) -> Event {
    Event {
        type_: EventType::Warning,
        reason: reason.into(),
        note: Some("the bilge is full".into()),
        action: "Pumping".into(),
        secondary: None,
    }
}

pub async fn recorder(scene: Scene) -> Outcome {
    let map: core::ConfigMap = scene.api().create(&PostParams::default(), &config_map("a", json!({}))).await?;
    let reporter = Reporter { controller: "rust.example/pump".into(), instance: Some("pump-1".into()) };
    let recorder = Recorder::new(scene.client.clone(), reporter);
    for reason in ["Full", "Full", "Full", "Leaking"] {
        recorder.publish(&event(reason), &map.object_ref(&())).await?;
    }
    let published: Api<events::Event> = scene.api();
    let full = ListParams::default().fields(&format!("reason=Full,regarding.uid={}", map.uid().expect("a uid")));
    let found = published.list(&full).await?;
    assert_eq!(found.items.len(), 1);
    let newest = &found.items[0];
    assert_eq!(newest.series.as_ref().map(|s| s.count), Some(3));
    assert_eq!((newest.note.as_deref(), newest.reporting_instance.as_deref()), (Some("the bilge is full"), Some("pump-1")));
    let classic: Api<core::Event> = scene.api();
    let same = classic.get(&newest.name_any()).await?;
    assert_eq!((same.metadata.uid.as_ref(), same.message.as_deref()), (newest.metadata.uid.as_ref(), Some("the bilge is full")));
    assert_eq!((same.involved_object.name.as_deref(), same.reporting_component.as_deref()), (Some("a"), Some("rust.example/pump")));
    assert_eq!(same.event_time, newest.event_time);
    let about = ListParams::default().fields("involvedObject.kind=ConfigMap,involvedObject.name=a,type=Warning");
    assert_eq!(classic.list(&about).await?.items.len(), 2);

    let namespace: core::Namespace = Api::all(scene.client.clone()).get(&scene.namespace).await?;
    recorder.publish(&event("Cluster"), &namespace.object_ref(&())).await?;
    let default: Api<events::Event> = Api::namespaced(scene.client.clone(), "default");
    let of_namespace = ListParams::default().fields(&format!("regarding.name={}", scene.namespace));
    assert_eq!(default.list(&of_namespace).await?.items.len(), 1, "what is in no namespace has its events in the default one");
    let no_reason = json!({"apiVersion": "events.k8s.io/v1", "kind": "Event", "metadata": {"name": "a"}, "eventTime": null});
    let refusal = crate::scene::refused(published.create(&PostParams::default(), &object(no_reason)).await);
    assert!(refusal.is_invalid(), "{refusal:?}");
    Ok(())
}
