package com.example.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.coxswain.Cluster;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.junit.jupiter.api.Test;

/** Without the extension, as with TestNG or in a program. */
class LibraryTest {
  @Test
  void aClusterForABlock() {
    try (Cluster cluster = Cluster.start("--apiserver-only");
        Cluster.Namespace namespace = cluster.createNamespace("library");
        KubernetesClient client = new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(cluster.kubeconfig().toFile())).build()) {
      assertEquals("Active", client.namespaces().withName(namespace.name()).get().getStatus().getPhase());
    }
  }
}
