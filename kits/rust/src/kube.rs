//! What the feature `kube` adds.

use kube::api::{DeleteParams, DynamicObject, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, Client, Config};

use crate::{Cluster, Error};

impl Cluster {
    /// The administrator's configuration.
    pub async fn config(&self) -> Result<Config, Error> {
        let unusable = |error: &dyn std::error::Error| Error::new(format!("the kubeconfig of coxswain cannot be used: {error}"));
        let kubeconfig = Kubeconfig::read_from(self.kubeconfig()).map_err(|error| unusable(&error))?;
        Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.map_err(|error| unusable(&error))
    }

    /// A client of the administrator. It belongs to the runtime of tokio in which it is made: each `#[tokio::test]` makes its own.
    pub async fn client(&self) -> Result<Client, Error> {
        Client::try_from(self.config().await?).map_err(|error| Error::new(format!("no client can be made for coxswain: {error}")))
    }

    /// Makes a namespace whose name begins with the prefix, and that nobody else has; returns its name.
    pub async fn create_namespace(&self, prefix: &str) -> Result<String, Error> {
        let failed = |error: kube::Error| Error::new(format!("the namespace was not created: {error}"));
        let (namespaces, resource) = self.namespaces().await?;
        let mut wanted = DynamicObject::new("", &resource);
        wanted.metadata.name = None;
        wanted.metadata.generate_name = Some(prefix.to_owned());
        let made = namespaces.create(&PostParams::default(), &wanted).await.map_err(failed)?;
        made.metadata.name.ok_or_else(|| Error::new("the namespace that was created has no name"))
    }

    /// Begins to delete a namespace, and does not wait for its objects to be gone.
    pub async fn delete_namespace(&self, name: &str) -> Result<(), Error> {
        let (namespaces, _) = self.namespaces().await?;
        let deleted = namespaces.delete(name, &DeleteParams::default()).await;
        deleted.map(|_| ()).map_err(|error| Error::new(format!("the namespace {name} was not deleted: {error}")))
    }

    async fn namespaces(&self) -> Result<(Api<DynamicObject>, ApiResource), Error> {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Namespace"));
        Ok((Api::all_with(self.client().await?, &resource), resource))
    }
}
