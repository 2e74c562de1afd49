package io.coxswain.junit5;

import io.coxswain.Cluster;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/** What fabric8's client needs; the class is loaded only where a test asks for one. */
final class Fabric8Clients implements AutoCloseable {
  private final Config config;
  private final KubernetesClient client;

  Fabric8Clients(Cluster cluster, String namespace) {
    config = Config.fromKubeconfig(cluster.kubeconfig(namespace).toFile());
    client = new KubernetesClientBuilder().withConfig(config).build();
  }

  Config config() {
    return config;
  }

  KubernetesClient client() {
    return client;
  }

  @Override
  public void close() {
    client.close();
  }
}
