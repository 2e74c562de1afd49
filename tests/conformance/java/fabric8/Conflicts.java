import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.DeleteOptions;
import io.fabric8.kubernetes.api.model.DeleteOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Writes that race, and what they leave. */
class Conflicts {
  static Topic topic() {
    return new Topic("conflicts")
        .check("a stale update is refused", Conflicts::stale)
        .check("retries on conflict count exactly", Conflicts::contended)
        .check("deletions with preconditions", Conflicts::preconditions)
        .check("a name is taken once", Conflicts::taken)
        .check("a dry run leaves nothing", Conflicts::dryRun)
        .check("finalizers keep what was deleted", Conflicts::finalizers);
  }

  static void stale(NamespacedKubernetesClient client) throws Exception {
    ConfigMap old = client.configMaps().resource(Topic.configMap("raced", "0")).create();
    ConfigMap next = new ConfigMapBuilder(old).addToData("n", "1").build();
    ConfigMap replaced = client.configMaps().resource(next).update();
    var status = Topic.refused(409, "Conflict",
        "Operation cannot be fulfilled on configmaps \"raced\": the object has been modified; "
            + "please apply your changes to the latest version and try again",
        () -> client.configMaps().resource(new ConfigMapBuilder(old).addToData("n", "2").build()).update());
    Topic.same(List.of(status.getDetails().getName(), status.getDetails().getKind()), List.of("raced", "configmaps"));
    Topic.refused(409, "Conflict", "the object has been modified",
        () -> client.configMaps().resource(old).patch(PatchContext.of(PatchType.JSON_MERGE), old));
    Topic.same(client.configMaps().withName("raced").get(), replaced);
    // Without a version the last write wins.
    Topic.same(client.configMaps().resource(Topic.configMap("raced", "4")).update().getData().get("n"), "4");
  }

  static void contended(NamespacedKubernetesClient client) {
    client.configMaps().resource(Topic.configMap("counter", "0")).create();
    List<CompletableFuture<Integer>> writers = new ArrayList<>();
    for (int i = 0; i < 5; i++) writers.add(CompletableFuture.supplyAsync(() -> count(client, 10)));
    writers.forEach(CompletableFuture::join);
    Topic.same(client.configMaps().withName("counter").get().getData().get("n"), "50");
  }

  static int count(NamespacedKubernetesClient client, int times) {
    int conflicts = 0;
    for (int done = 0; done < times; ) {
      ConfigMap found = client.configMaps().withName("counter").get();
      found.getData().merge("n", "1", (n, one) -> String.valueOf(Integer.parseInt(n) + 1));
      try {
        client.configMaps().resource(found).update();
        done++;
      } catch (KubernetesClientException error) {
        if (error.getCode() != 409) throw error;
        conflicts++;
      }
    }
    return conflicts;
  }

  static void preconditions(NamespacedKubernetesClient client) throws Exception {
    ConfigMap old = client.configMaps().resource(Topic.configMap("guarded", "0")).create();
    ConfigMap last = client.configMaps().resource(new ConfigMapBuilder(old).addToData("n", "1").build()).update();
    var guarded = client.configMaps().withName("guarded");
    Topic.refused(409, "Conflict", "the ResourceVersion in the precondition",
        () -> guarded.lockResourceVersion(old.getMetadata().getResourceVersion()).delete());
    String path = "/api/v1/namespaces/conflicts/configmaps/guarded";
    DeleteOptions other = new DeleteOptionsBuilder().withNewPreconditions().withUid("other").endPreconditions().build();
    Topic.refused(409, "Conflict", "the UID in the precondition", () -> client.raw(path, "DELETE", other));
    Topic.same(guarded.lockResourceVersion(last.getMetadata().getResourceVersion()).delete().size(), 1);
    Topic.same(guarded.get(), null);
    Topic.same(guarded.delete().size(), 0);
  }

  static void taken(NamespacedKubernetesClient client) throws Exception {
    client.configMaps().resource(Topic.configMap("taken", "0")).create();
    Topic.refused(409, "AlreadyExists", "configmaps \"taken\" already exists",
        () -> client.configMaps().resource(Topic.configMap("taken", "1")).create());
    var upserted = client.configMaps().resource(Topic.configMap("taken", "2")).createOr(NonDeletingOperation::update);
    Topic.same(upserted.getData().get("n"), "2");
    Topic.refused(404, "NotFound", "configmaps \"absent\" not found",
        () -> client.configMaps().resource(Topic.configMap("absent", "0")).update());
    Topic.refused(422, "Invalid", "a lowercase RFC 1123 subdomain",
        () -> client.configMaps().resource(Topic.configMap("Bad_Name", "0")).create());
  }

  static void dryRun(NamespacedKubernetesClient client) {
    ConfigMap tried = client.configMaps().resource(Topic.configMap("tried", "0")).dryRun().create();
    if (tried.getMetadata().getUid().isEmpty()) throw new AssertionError("no uid");
    Topic.same(client.configMaps().withName("tried").get(), null);
  }

  static void finalizers(NamespacedKubernetesClient client) {
    var held = client.configMaps().withName("held");
    ConfigMap body = Topic.configMap("held", "0");
    body.getMetadata().setFinalizers(List.of("example.com/hold"));
    client.configMaps().resource(body).create();
    held.delete();
    String since = held.get().getMetadata().getDeletionTimestamp();
    if (since == null) throw new AssertionError("it has no deletionTimestamp");
    held.delete();
    Topic.same(held.get().getMetadata().getDeletionTimestamp(), since);
    held.edit(map -> new ConfigMapBuilder(map).editMetadata().removeFromFinalizers("example.com/hold").endMetadata().build());
    Topic.same(held.get(), null);
  }
}
