//! The feature `kube`.

use coxswain_testing::{Cluster, find_executable};
use k8s_openapi::api::core::v1::Namespace;
use kube::Api;

#[tokio::test]
async fn namespaces_have_names_of_their_own() {
    if let Err(error) = find_executable(None) {
        eprintln!("skipped: {error}");
        return;
    }
    let cluster = Cluster::builder().arg("--apiserver-only").start().unwrap();
    let first = cluster.create_namespace("first-").await.unwrap();
    let second = cluster.create_namespace("first-").await.unwrap();
    assert!(first.starts_with("first-") && second.starts_with("first-"));
    assert_ne!(first, second);
    cluster.delete_namespace(&first).await.unwrap();
    let namespaces: Api<Namespace> = Api::all(cluster.client().await.unwrap());
    let gone = namespaces.get_opt(&first).await.unwrap();
    assert!(gone.is_none_or(|namespace| namespace.metadata.deletion_timestamp.is_some()));
    let error = cluster.create_namespace("No/").await.unwrap_err().to_string();
    assert!(error.starts_with("the namespace was not created: "), "{error}");
}
