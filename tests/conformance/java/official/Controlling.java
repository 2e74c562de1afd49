import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.extended.leaderelection.LeaderElectionConfig;
import io.kubernetes.client.extended.leaderelection.LeaderElector;
import io.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.models.*;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.options.ListOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** What controllers do: they write against others, report a status, scale, and elect a leader among themselves. */
class Controlling {
  static void contended() throws Exception {
    Main.core.createNamespacedConfigMap(Main.NAMESPACE, Main.configMap("counter", "0")).execute();
    List<CompletableFuture<Void>> writers = new ArrayList<>();
    for (int i = 0; i < 4; i++) writers.add(CompletableFuture.runAsync(() -> count(10)));
    writers.forEach(CompletableFuture::join);
    Main.same(Main.core.readNamespacedConfigMap("counter", Main.NAMESPACE).execute().getData().get("n"), "40");
  }

  static void count(int times) {
    for (int done = 0; done < times; ) {
      try {
        V1ConfigMap found = Main.core.readNamespacedConfigMap("counter", Main.NAMESPACE).execute();
        found.getData().merge("n", "1", (n, one) -> String.valueOf(Integer.parseInt(n) + 1));
        Main.core.replaceNamespacedConfigMap("counter", Main.NAMESPACE, found).execute();
        done++;
      } catch (ApiException error) {
        if (error.getCode() != 409) throw new IllegalStateException(error.getResponseBody(), error);
      }
    }
  }

  static void status() throws Exception {
    AppsV1Api apps = new AppsV1Api(Main.client);
    V1Deployment created = apps.createNamespacedDeployment(Main.NAMESPACE, Main.deployment("reported")).execute();
    String version = created.getMetadata().getResourceVersion();
    created.getSpec().replicas(9);
    created.status(new V1DeploymentStatus().replicas(2)
        .addConditionsItem(new V1DeploymentCondition().type("Available").status("True").reason("Seen")));
    V1Deployment reported = apps.replaceNamespacedDeploymentStatus("reported", Main.NAMESPACE, created).execute();
    Main.same(List.of(reported.getSpec().getReplicas(), reported.getMetadata().getGeneration()), List.of(3, 1L));
    Main.same(reported.getStatus().getConditions().get(0).getReason(), "Seen");
    Main.same(apps.readNamespacedDeploymentStatus("reported", Main.NAMESPACE).execute(), reported);
    created.getMetadata().resourceVersion(version);
    Main.refused(409, "Conflict", "the object has been modified",
        () -> apps.replaceNamespacedDeploymentStatus("reported", Main.NAMESPACE, created).execute());
  }

  static void scale() throws Exception {
    AppsV1Api apps = new AppsV1Api(Main.client);
    apps.createNamespacedDeployment(Main.NAMESPACE, Main.deployment("scaled")).execute();
    V1Scale scale = apps.readNamespacedDeploymentScale("scaled", Main.NAMESPACE).execute();
    scale.getSpec().replicas(6);
    Main.same(apps.replaceNamespacedDeploymentScale("scaled", Main.NAMESPACE, scale).execute().getSpec().getReplicas(), 6);
    V1Deployment scaled = apps.readNamespacedDeployment("scaled", Main.NAMESPACE).execute();
    Main.same(List.of(scaled.getSpec().getReplicas(), scaled.getMetadata().getGeneration()), List.of(6, 2L));
    Main.refused(409, "Conflict", "the object has been modified",
        () -> apps.replaceNamespacedDeploymentScale("scaled", Main.NAMESPACE, scale).execute());
    scale.getSpec().replicas(-1);
    Main.refused(422, "Invalid", "must be greater than or equal to 0",
        () -> apps.replaceNamespacedDeploymentScale("scaled", Main.NAMESPACE, scale).execute());
  }

  static void generic() throws Exception {
    var secrets = new GenericKubernetesApi<>(V1Secret.class, V1SecretList.class, "", "v1", "secrets", Main.client);
    V1Secret body = new V1Secret().metadata(new V1ObjectMeta().name("word").namespace(Main.NAMESPACE)).putStringDataItem("word", "hello");
    V1Secret created = secrets.create(body).throwsApiException().getObject();
    Main.same(new String(created.getData().get("word")), "hello");
    Main.same(secrets.create(body).getStatus().getReason(), "AlreadyExists");
    created.getData().put("word", "bye".getBytes());
    V1Secret updated = secrets.update(created).throwsApiException().getObject();
    Main.same(secrets.update(created).getStatus().getReason(), "Conflict");
    V1Patch patch = new V1Patch("{\"metadata\":{\"labels\":{\"set\":\"words\"}}}");
    secrets.patch(Main.NAMESPACE, "word", V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, patch).throwsApiException();
    ListOptions words = new ListOptions();
    words.setLabelSelector("set=words");
    V1SecretList list = secrets.list(Main.NAMESPACE, words).throwsApiException().getObject();
    Main.same(list.getItems().stream().map(item -> item.getMetadata().getUid()).toList(), List.of(updated.getMetadata().getUid()));
    Main.same(secrets.delete(Main.NAMESPACE, "word").isSuccess(), true);
    Main.same(secrets.get(Main.NAMESPACE, "word").getStatus().getReason(), "NotFound");
  }

  static LeaderElector candidate(String identity, LinkedBlockingQueue<String> events) {
    LeaseLock lock = new LeaseLock(Main.NAMESPACE, "leader", identity, Main.client);
    LeaderElector elector =
        new LeaderElector(new LeaderElectionConfig(lock, Duration.ofSeconds(3), Duration.ofSeconds(2), Duration.ofMillis(200)));
    Thread thread = new Thread(() -> elector.run(() -> events.add(identity + " leads"), () -> events.add(identity + " stops")));
    thread.setDaemon(true);
    thread.start();
    return elector;
  }

  static void election() throws Exception {
    CoordinationV1Api coordination = new CoordinationV1Api(Main.client);
    LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
    LeaderElector first = candidate("a", events);
    Main.same(events.poll(15, TimeUnit.SECONDS), "a leads");
    LeaderElector second = candidate("b", events);
    Main.same(events.poll(1, TimeUnit.SECONDS), null);
    Main.same(coordination.readNamespacedLease("leader", Main.NAMESPACE).execute().getSpec().getHolderIdentity(), "a");
    first.close();
    Main.same(List.of(events.poll(15, TimeUnit.SECONDS), events.poll(15, TimeUnit.SECONDS)), List.of("a stops", "b leads"));
    V1LeaseSpec taken = coordination.readNamespacedLease("leader", Main.NAMESPACE).execute().getSpec();
    Main.same(List.of(taken.getHolderIdentity(), taken.getLeaseDurationSeconds()), List.of("b", 3));
    second.close();
  }
}
