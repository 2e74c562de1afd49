use std::time::Instant;

use coxswain_testing::Cluster;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ListParams, PostParams};
use kube::runtime::wait::{await_condition, conditions};
use kube::{Api, Client, CustomResourceExt};
use sites::{Site, SiteSpec};

async fn install(client: &Client) {
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    definitions.create(&PostParams::default(), &Site::crd()).await.unwrap();
    await_condition(definitions, Site::crd_name(), conditions::is_crd_established()).await.unwrap();
}

#[tokio::test]
async fn a_site_gets_its_pods() {
    let started = Instant::now();
    let cluster = Cluster::start().unwrap();
    println!("coxswain {} after {:?}", cluster.version(), started.elapsed());
    let client = cluster.client().await.unwrap();
    install(&client).await;
    let namespace = cluster.create_namespace("sites-").await.unwrap();
    let controller = tokio::spawn(sites::run(client.clone()));

    let sites: Api<Site> = Api::namespaced(client.clone(), &namespace);
    sites.create(&PostParams::default(), &Site::new("shop", SiteSpec { replicas: 2 })).await.unwrap();
    let is_ready = |site: Option<&Site>| site.and_then(|site| site.status.as_ref()).is_some_and(|status| status.ready == 2);
    await_condition(sites, "shop", is_ready).await.unwrap();

    // They run on a simulated node.
    let pods: Api<Pod> = Api::namespaced(client, &namespace);
    let found = pods.list(&ListParams::default().labels("site=shop")).await.unwrap();
    assert_eq!(found.items.len(), 2);
    assert!(found.items.iter().all(|pod| pod.spec.as_ref().is_some_and(|spec| spec.node_name.is_some())));
    controller.abort();
    cluster.stop().unwrap();
}

#[tokio::test]
async fn the_schema_refuses_too_many_replicas() {
    let cluster = Cluster::builder().arg("--apiserver-only").start().unwrap();
    let client = cluster.client().await.unwrap();
    install(&client).await;
    let sites: Api<Site> = Api::namespaced(client, &cluster.create_namespace("sites-").await.unwrap());
    let refused = sites.create(&PostParams::default(), &Site::new("shop", SiteSpec { replicas: 10 })).await;
    assert!(matches!(&refused, Err(kube::Error::Api(status)) if status.is_invalid()), "{refused:?}");
}
