package com.example.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.reflect.TypeToken;
import io.coxswain.Cluster;
import io.coxswain.junit5.CoxswainTest;
import io.coxswain.junit5.Kubeconfig;
import io.coxswain.junit5.KubernetesNamespace;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.Watch;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** With Kubernetes' own client. */
@CoxswainTest
class OfficialClientTest {
  @Test
  void aPodRuns(ApiClient client, @KubernetesNamespace String namespace) throws Exception {
    CoreV1Api core = new CoreV1Api(client);
    V1Pod pod = new V1Pod()
        .metadata(new V1ObjectMeta().name("single"))
        .spec(new V1PodSpec().addContainersItem(new V1Container().name("main").image("busybox")));
    core.createNamespacedPod(namespace, pod).execute();
    try (Watch<V1Pod> watch = Watch.createWatch(
        client, core.listNamespacedPod(namespace).watch(true).timeoutSeconds(30).buildCall(null), new TypeToken<Watch.Response<V1Pod>>() {}.getType())) {
      boolean runs = false;
      while (!runs && watch.hasNext()) runs = "Running".equals(watch.next().object.getStatus().getPhase());
      assertTrue(runs);
    }
  }

  @Test
  void aStaleWriteIsRefused(ApiClient client, @KubernetesNamespace String namespace) throws ApiException {
    CoreV1Api core = new CoreV1Api(client);
    V1ConfigMap wanted = new V1ConfigMap().metadata(new V1ObjectMeta().name("course")).data(Map.of("heading", "north"));
    V1ConfigMap stale = core.createNamespacedConfigMap(namespace, wanted).execute();
    wanted.data(Map.of("heading", "east"));
    core.replaceNamespacedConfigMap("course", namespace, wanted).execute();
    stale.data(Map.of("heading", "south"));
    ApiException refused =
        assertThrows(ApiException.class, () -> core.replaceNamespacedConfigMap("course", namespace, stale).execute());
    assertEquals(409, refused.getCode());
  }

  @Test
  void theKubeconfigIsForCommands(Cluster cluster, @Kubeconfig Path kubeconfig, @KubernetesNamespace String namespace) throws Exception {
    try (Reader reader = Files.newBufferedReader(kubeconfig)) {
      KubeConfig loaded = KubeConfig.loadKubeConfig(reader);
      assertEquals(namespace, loaded.getNamespace());
      assertEquals(cluster.server().toString(), loaded.getServer());
    }
  }
}
