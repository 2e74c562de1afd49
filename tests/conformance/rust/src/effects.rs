//! Writes that do more than store: evictions, tokens, approvals, cordons, restarts.

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::authentication::v1::TokenRequest;
use k8s_openapi::api::certificates::v1::CertificateSigningRequest;
use k8s_openapi::api::core::v1::{Node, Pod, ServiceAccount};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::api::{DeleteParams, EvictParams, Patch, PatchParams, PostParams};
use kube::{Api, ResourceExt};
use serde_json::json;

use crate::scene::{Outcome, Scene, deployment, object, pod, refused};

pub async fn eviction(scene: Scene) -> Outcome {
    let pods: Api<Pod> = scene.api();
    let budgets: Api<PodDisruptionBudget> = scene.api();
    let pp = PostParams::default();
    pods.create(&pp, &pod("a")).await?;
    let ready = json!({"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}});
    pods.patch_status("a", &PatchParams::default(), &Patch::Merge(ready)).await?;
    let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "a"},
        "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "rust"}}}});
    budgets.create(&pp, &object(budget)).await?;
    let allowed = |count: i32| {
        Patch::Merge(json!({"status": {"observedGeneration": 1, "disruptionsAllowed": count,
        "currentHealthy": 1, "desiredHealthy": 1 - count, "expectedPods": 1}}))
    };
    budgets.patch_status("a", &PatchParams::default(), &allowed(0)).await?;
    let impatient: Api<Pod> = Api::namespaced(scene.impatient.clone(), &scene.namespace);
    let refusal = refused(impatient.evict("a", &EvictParams::default()).await);
    assert_eq!((refusal.code, refusal.reason.as_str()), (429, "TooManyRequests"), "{refusal:?}");
    assert_eq!(refusal.message, "Cannot evict pod as it would violate the pod's disruption budget.");
    let params = EvictParams { delete_options: Some(DeleteParams::default()), ..EvictParams::default() };
    let retried = tokio::spawn({
        let pods = pods.clone();
        async move { pods.evict("a", &params).await }
    });
    budgets.patch_status("a", &PatchParams::default(), &allowed(1)).await?;
    let status = retried.await??;
    assert!(status.is_success() && status.code == 201, "{status:?}");
    assert_eq!(pods.get_opt("a").await?, None);
    assert_eq!(budgets.get("a").await?.status.and_then(|s| s.disruptions_allowed), Some(0));
    assert!(refused(pods.evict("a", &EvictParams::default()).await).is_not_found());
    Ok(())
}

pub async fn tokens(scene: Scene) -> Outcome {
    let accounts: Api<ServiceAccount> = scene.api();
    let account = object(json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}));
    accounts.create(&PostParams::default(), &account).await?;
    let request: TokenRequest = object(json!({
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "metadata": {},
        "spec": {"audiences": ["vault"], "expirationSeconds": 3600},
    }));
    let granted = accounts.create_token_request("robot", &PostParams::default(), &request).await?;
    assert_eq!(json!(granted.spec), json!({"audiences": ["vault"], "expirationSeconds": 3600}));
    let token = granted.status.and_then(|s| s.token).expect("a token");
    assert_eq!(token.split('.').count(), 3, "a JSON web token");
    Ok(())
}

pub async fn nodes_and_restarts(scene: Scene) -> Outcome {
    let nodes: Api<Node> = Api::all(scene.client.clone());
    let name = format!("{}-node", scene.namespace);
    nodes.create(&PostParams::default(), &object(json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}}))).await?;
    let unschedulable = |node: Node| node.spec.and_then(|s| s.unschedulable);
    assert_eq!(unschedulable(nodes.cordon(&name).await?), Some(true));
    assert_eq!(unschedulable(nodes.uncordon(&name).await?), None);
    assert!(nodes.delete(&name, &DeleteParams::default()).await?.is_right());

    let deployments: Api<Deployment> = scene.api();
    deployments.create(&PostParams::default(), &deployment("web", 1)).await?;
    let restarted = deployments.restart("web").await?;
    assert_eq!(restarted.metadata.generation, Some(2));
    let template = restarted.spec.and_then(|s| s.template.metadata).expect("a template");
    assert!(template.annotations.is_some_and(|a| a.contains_key("kube.kubernetes.io/restartedAt")));
    assert!(deployments.get("web").await?.annotations().is_empty());
    Ok(())
}

/// For `O=sailors, CN=robot`, with a key of its own that was not kept.
const REQUEST: &str = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIY01JR0VBZ0VBTUNJeEVEQU9CZ05WQkFvTUIzTmhhV3h2Y25NeERqQU1CZ0\
    5WQkFNTUJYSnZZbTkwTUZrdwpFd1lIS29aSXpqMENBUVlJS29aSXpqMERBUWNEUWdBRUM0eThHRGhaaXhQaGFKc09RNXRUc003SG5sVEV1Rm9I\
    CmEvYWdia0FiWWhhY3MvVDBvVFhSLy9GZSttUC9tUjB1QkVaRGpCZnlSbnFPd0VRKzR3V2YvYUFBTUFvR0NDcUcKU000OUJBTUNBMGNBTUVRQ0\
    lIamZmUFBBa2RHRnJEZUpWandjb296NFA5a3hYc3ZMZmI2QXNXcHdwN1VZQWlBRwpHYVVtVGM2VjhZSFNYcEJWL1YvYkNvajE5N2w3UTlsSnVo\
    SFdwaGpab2c9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";

pub async fn approval(scene: Scene) -> Outcome {
    let requests: Api<CertificateSigningRequest> = Api::all(scene.client.clone());
    let name = format!("{}-request", scene.namespace);
    let manifest = json!({"apiVersion": "certificates.k8s.io/v1", "kind": "CertificateSigningRequest", "metadata": {"name": name},
        "spec": {"request": REQUEST, "signerName": "rust.example/signer", "usages": ["client auth"]}});
    let created = requests.create(&PostParams::default(), &object(manifest)).await?;
    assert!(created.spec.username.is_some_and(|user| !user.is_empty()), "the server notes who asks");
    let condition = json!({"type": "Approved", "status": "True", "reason": "Checked", "message": "by a test"});
    let verdict = Patch::Merge(json!({"status": {"conditions": [condition]}}));
    let ignored = requests.patch(&name, &PatchParams::default(), &verdict).await?;
    assert_eq!(ignored.status.and_then(|s| s.conditions), None, "only through the subresource");
    let approved = requests.patch_approval(&name, &PatchParams::default(), &verdict).await?;
    let kinds: Vec<_> = approved.status.iter().flat_map(|s| s.conditions.iter().flatten()).map(|c| c.type_.as_str()).collect();
    assert_eq!(kinds, ["Approved"]);
    assert_eq!(requests.get_approval(&name).await?, approved);
    let revoked = Patch::Merge(json!({"status": {"conditions": []}}));
    assert!(refused(requests.patch_approval(&name, &PatchParams::default(), &revoked).await).is_invalid(), "no way back");
    requests.delete(&name, &DeleteParams::default()).await?;
    Ok(())
}
