//! A controller that runs a Deployment for each Site.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use kube::api::{Patch, PatchParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher;
use kube::{Api, Client, CustomResource, Resource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// What is wanted of a Site.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "example.test", version = "v1", kind = "Site", namespaced, status = "SiteStatus")]
pub struct SiteSpec {
    #[schemars(range(min = 1, max = 9))]
    pub replicas: i32,
}

/// How many of its Pods are ready.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct SiteStatus {
    #[serde(default)]
    pub ready: i32,
}

async fn reconcile(site: Arc<Site>, client: Arc<Client>) -> kube::Result<Action> {
    let (namespace, name) = (site.namespace().unwrap_or_default(), site.name_any());
    let params = PatchParams::apply("site-controller").force();
    let wanted = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "ownerReferences": [site.controller_owner_ref(&())]},
        "spec": {
            "replicas": site.spec.replicas,
            "selector": {"matchLabels": {"site": name}},
            "template": {"metadata": {"labels": {"site": name}}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}},
        },
    });
    let deployments: Api<Deployment> = Api::namespaced((*client).clone(), &namespace);
    let applied = deployments.patch(&name, &params, &Patch::Apply(wanted)).await?;
    let ready = applied.status.and_then(|status| status.ready_replicas).unwrap_or(0);
    let status = json!({"apiVersion": "example.test/v1", "kind": "Site", "status": {"ready": ready}});
    Api::<Site>::namespaced((*client).clone(), &namespace).patch_status(&name, &params, &Patch::Apply(status)).await?;
    Ok(Action::await_change())
}

/// Runs until it is dropped.
pub async fn run(client: Client) {
    let everything = watcher::Config::default;
    Controller::new(Api::<Site>::all(client.clone()), everything())
        .owns(Api::<Deployment>::all(client.clone()), everything())
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(100)), Arc::new(client))
        .for_each(|_| std::future::ready(()))
        .await;
}
