//! What the checks share: a client with a namespace, and the shapes of success and failure.

use std::error::Error;
use std::fmt::Debug;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::api::core::v1::Namespace;
use kube::api::PostParams;
use kube::core::Status;
use kube::{Api, Client, Config, Resource};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::task::JoinError;

pub type Failure = Box<dyn Error + Send + Sync>;
pub type Outcome = Result<(), Failure>;

#[derive(Clone)]
pub struct Scene {
    pub client: Client,
    /// The same without retries: by default, a 429, 503 or 504 reaches the caller only after minutes of them.
    pub impatient: Client,
    pub namespace: String,
}

impl Scene {
    pub async fn create(config: Config, namespace: &str) -> Result<Self, Failure> {
        let client = Client::try_from(config.clone())?;
        let mut config = config;
        config.default_retry = false;
        let impatient = Client::try_from(config)?;
        let object = object(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}));
        Api::<Namespace>::all(client.clone()).create(&PostParams::default(), &object).await?;
        Ok(Self { client, impatient, namespace: namespace.into() })
    }

    pub fn api<K: Resource<Scope = NamespaceResourceScope>>(&self) -> Api<K>
    where
        K::DynamicType: Default,
    {
        Api::namespaced(self.client.clone(), &self.namespace)
    }
}

/// A typed object from its manifest.
pub fn object<K: DeserializeOwned>(manifest: Value) -> K {
    serde_json::from_value(manifest).expect("a manifest of this kind")
}

pub fn config_map<K: DeserializeOwned>(name: &str, data: Value) -> K {
    object(json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"name": name, "labels": {"app": "rust"}},
        "data": data,
    }))
}

pub fn deployment<K: DeserializeOwned>(name: &str, replicas: i32) -> K {
    object(json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"name": name, "labels": {"app": "rust"}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {"containers": [{"name": "web", "image": "registry.example/web:1", "ports": [{"containerPort": 80}]}]},
            },
        },
    }))
}

pub fn pod<K: DeserializeOwned>(name: &str) -> K {
    object(json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": "rust"}},
        "spec": {"containers": [{"name": "web", "image": "registry.example/web:1", "resources": {"requests": {"cpu": "100m"}}}]},
    }))
}

/// The status with which the server refused.
pub fn refused<T: Debug>(answer: kube::Result<T>) -> Status {
    match answer {
        Err(kube::Error::Api(status)) => *status,
        other => panic!("expected a refusal, got {other:?}"),
    }
}

pub fn assert_refused<T: Debug>(answer: kube::Result<T>, code: u16, reason: &str, message: &str) -> Status {
    let status = refused(answer);
    assert_eq!((status.code, status.reason.as_str(), status.message.as_str()), (code, reason, message));
    assert!(status.is_failure(), "{status:?}");
    status
}

pub fn panic_message(error: JoinError) -> String {
    if !error.is_panic() {
        return error.to_string();
    }
    let panic = error.into_panic();
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_else(|| "panicked".into())
}
