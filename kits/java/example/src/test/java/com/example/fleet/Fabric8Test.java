package com.example.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.coxswain.junit5.CoxswainTest;
import io.coxswain.junit5.KubernetesNamespace;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** With the client of fabric8, whose namespace is the test's. */
@CoxswainTest
class Fabric8Test {
  @Test
  void aDeploymentBecomesReady(KubernetesClient client) {
    Map<String, String> labels = Map.of("app", "web");
    Deployment wanted = new DeploymentBuilder()
        .withNewMetadata().withName("web").endMetadata()
        .withNewSpec()
        .withReplicas(3)
        .withNewSelector().withMatchLabels(labels).endSelector()
        .withNewTemplate()
        .withNewMetadata().withLabels(labels).endMetadata()
        .withNewSpec().addNewContainer().withName("web").withImage("nginx").endContainer().endSpec()
        .endTemplate()
        .endSpec()
        .build();
    client.resource(wanted).create();
    client.resource(wanted).waitUntilCondition(
        found -> found != null && found.getStatus() != null && Integer.valueOf(3).equals(found.getStatus().getReadyReplicas()),
        30, TimeUnit.SECONDS);
    List<Pod> pods = client.pods().withLabels(labels).list().getItems();
    assertEquals(3, pods.size());
    assertTrue(pods.stream().allMatch(pod -> pod.getStatus().getPhase().equals("Running")));
  }

  @Test
  void aStaleWriteIsRefused(KubernetesClient client) {
    ConfigMap stale = client.resource(course("north")).create();
    client.configMaps().withName("course").edit(found -> new ConfigMapBuilder(found).addToData("heading", "east").build());
    ConfigMap change = new ConfigMapBuilder(stale).addToData("heading", "south").build();
    KubernetesClientException refused = assertThrows(KubernetesClientException.class, () -> client.resource(change).update());
    assertEquals(409, refused.getCode());
    assertEquals("east", client.configMaps().withName("course").get().getData().get("heading"));
  }

  @Test
  void aWatchSeesChanges(KubernetesClient client) throws InterruptedException {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    Watcher<ConfigMap> watcher = new Watcher<>() {
      @Override
      public void eventReceived(Action action, ConfigMap found) {
        seen.add(action + " " + found.getData().get("heading"));
      }

      @Override
      public void onClose(WatcherException cause) {
        seen.add("closed: " + cause);
      }
    };
    try (var watch = client.configMaps().withName("course").watch(watcher)) {
      client.resource(course("north")).create();
      assertEquals("ADDED north", seen.poll(30, TimeUnit.SECONDS));
      client.resource(course("east")).update();
      assertEquals("MODIFIED east", seen.poll(30, TimeUnit.SECONDS));
    }
  }

  @Test
  void theConfigHasTheNamespaceOfTheTest(Config config, KubernetesClient client, @KubernetesNamespace String namespace) {
    assertEquals(namespace, config.getNamespace());
    assertEquals(namespace, client.getNamespace());
    assertEquals(2, client.nodes().list().getItems().size());
  }

  private static ConfigMap course(String heading) {
    return new ConfigMapBuilder().withNewMetadata().withName("course").endMetadata().addToData("heading", heading).build();
  }
}
