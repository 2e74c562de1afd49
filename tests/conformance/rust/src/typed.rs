//! Typed objects of several groups: what a program writes it reads back, with defaults where it left them out.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::api::core::v1::{Pod, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use kube::api::{ObjectMeta, PostParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::scene::{Outcome, Scene, assert_refused, deployment, object, pod};
use crate::writes::MODIFIED;

pub async fn kinds(scene: Scene) -> Outcome {
    let pp = PostParams::default();
    let pod = scene.api::<Pod>().create(&pp, &pod("a")).await?;
    assert_eq!(pod.metadata.generation, Some(1));
    let spec = pod.spec.expect("a spec");
    assert_eq!((spec.restart_policy.as_deref(), spec.dns_policy.as_deref()), (Some("Always"), Some("ClusterFirst")));
    assert_eq!(spec.containers[0].image_pull_policy.as_deref(), Some("IfNotPresent"));
    assert_eq!(pod.status.and_then(|s| s.qos_class).as_deref(), Some("Burstable"));

    let deployment = scene.api::<Deployment>().create(&pp, &deployment("a", 3)).await?;
    let strategy = json!(deployment.spec.and_then(|s| s.strategy));
    assert_eq!(strategy, json!({"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}));

    let secrets: Api<Secret> = scene.api();
    let manifest =
        json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"raw": "AP8="}, "stringData": {"text": "grüß"}});
    secrets.create(&pp, &object(manifest)).await?;
    let secret = secrets.get("a").await?;
    assert_eq!((secret.type_.as_deref(), secret.string_data.as_ref()), (Some("Opaque"), None));
    let data = secret.data.expect("data");
    assert_eq!((data["raw"].0.as_slice(), data["text"].0.as_slice()), ([0u8, 255].as_slice(), "grüß".as_bytes()));
    Ok(())
}

fn lease(holder: &str, transitions: i32) -> Result<Lease, k8s_openapi::jiff::Error> {
    let now: Timestamp = "2030-01-02T03:04:05.678901Z".parse()?;
    Ok(Lease {
        metadata: ObjectMeta { name: Some("leader".into()), ..ObjectMeta::default() },
        spec: Some(LeaseSpec {
            holder_identity: Some(holder.into()),
            lease_duration_seconds: Some(15),
            lease_transitions: Some(transitions),
            acquire_time: Some(MicroTime(now)),
            renew_time: Some(MicroTime(now)),
            ..LeaseSpec::default()
        }),
    })
}

pub async fn leadership(scene: Scene) -> Outcome {
    let leases: Api<Lease> = scene.api();
    let pp = PostParams::default();
    let first = leases.create(&pp, &lease("one", 0)?).await?;
    assert_eq!(first.spec, lease("one", 0)?.spec, "times keep their microseconds");
    let mut takeovers = Vec::new();
    for holder in ["two", "three"] {
        let mut wanted = lease(holder, 1)?;
        wanted.metadata.resource_version = first.resource_version();
        takeovers.push(leases.replace("leader", &pp, &wanted).await);
    }
    let [won, lost] = takeovers.try_into().expect("two");
    assert_eq!(won?.spec, lease("two", 1)?.spec);
    let message = format!("Operation cannot be fulfilled on leases.coordination.k8s.io \"leader\": {MODIFIED}");
    assert_refused(lost, 409, "Conflict", &message);
    let message =
        "leases.coordination.k8s.io \"leader\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update";
    assert_refused(leases.replace("leader", &pp, &lease("three", 2)?).await, 422, "Invalid", message);
    assert_eq!(leases.get("leader").await?.spec.and_then(|s| s.holder_identity).as_deref(), Some("two"));
    Ok(())
}
