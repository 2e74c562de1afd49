import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.util.List;
import java.util.Map;

/** Server-side apply, and patches of three kinds. */
class Applying {
  static Topic topic() {
    return new Topic("applying")
        .check("apply creates, and again changes nothing", Applying::idempotent)
        .check("a conflict, and force", Applying::conflict)
        .check("what is no longer applied is gone", Applying::removed)
        .check("ports of two managers", Applying::merged)
        .check("status is applied by itself", Applying::status)
        .check("patches of three kinds", Applying::patches);
  }

  static ConfigMap bare(String name, Map<String, String> data) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).endMetadata().withData(data).build();
  }

  static ConfigMap apply(NamespacedKubernetesClient client, String manager, ConfigMap map) {
    return client.configMaps().resource(map).fieldManager(manager).serverSideApply();
  }

  static void idempotent(NamespacedKubernetesClient client) {
    ConfigMap applied = apply(client, "one", bare("applied", Map.of("a", "1")));
    ManagedFieldsEntry entry = applied.getMetadata().getManagedFields().get(0);
    Topic.same(List.of(applied.getMetadata().getManagedFields().size(), entry.getManager(), entry.getOperation(), entry.getFieldsType()),
        List.of(1, "one", "Apply", "FieldsV1"));
    Topic.same(entry.getFieldsV1().getAdditionalProperties(), Map.of("f:data", Map.of("f:a", Map.of())));
    Topic.same(apply(client, "one", bare("applied", Map.of("a", "1"))), applied);
  }

  static void conflict(NamespacedKubernetesClient client) throws Exception {
    apply(client, "one", bare("disputed", Map.of("a", "1", "b", "1")));
    ConfigMap other = bare("disputed", Map.of("a", "2"));
    var status = Topic.refused(409, "Conflict", "Apply failed with 1 conflict: conflict with \"one\": .data.a",
        () -> apply(client, "two", other));
    var cause = status.getDetails().getCauses().get(0);
    Topic.same(List.of(cause.getReason(), cause.getField(), cause.getMessage()),
        List.of("FieldManagerConflict", ".data.a", "conflict with \"one\""));
    ConfigMap forced = client.configMaps().resource(other).fieldManager("two").forceConflicts().serverSideApply();
    Topic.same(forced.getData(), Map.of("a", "2", "b", "1"));
    // What was taken from it is not its own any more: leaving it out removes nothing.
    Topic.same(apply(client, "one", bare("disputed", Map.of("b", "1"))).getData(), Map.of("a", "2", "b", "1"));
    // Both may want the same.
    Topic.same(apply(client, "one", bare("disputed", Map.of("a", "2", "b", "1"))).getMetadata().getManagedFields().size(), 2);
  }

  static void removed(NamespacedKubernetesClient client) {
    apply(client, "one", bare("shrunk", Map.of("a", "1", "b", "1", "c", "1")));
    client.configMaps().withName("shrunk").edit(map -> new ConfigMapBuilder(map).addToData("d", "1").build());
    apply(client, "two", bare("shrunk", Map.of("b", "1")));
    Topic.same(apply(client, "one", bare("shrunk", Map.of("a", "1"))).getData(), Map.of("a", "1", "b", "1", "d", "1"));
    Topic.same(apply(client, "two", bare("shrunk", null)).getData(), Map.of("a", "1", "d", "1"));
  }

  static Deployment withPort(Deployment base, int port, String name) {
    return new DeploymentBuilder(base).editSpec().editTemplate().editSpec().editFirstContainer().withImage("web:1")
        .withResources(null).withPorts().addNewPort().withContainerPort(port).withProtocol("TCP").withName(name).endPort()
        .endContainer().endSpec().endTemplate().endSpec().build();
  }

  static void merged(NamespacedKubernetesClient client) throws Exception {
    Deployment base = Typed.deployment("shared");
    client.apps().deployments().resource(withPort(base, 80, "http")).fieldManager("one").serverSideApply();
    Deployment both = client.apps().deployments().resource(withPort(base, 443, "https")).fieldManager("two").serverSideApply();
    Topic.same(ports(both), List.of(80, 443));
    Deployment one = client.apps().deployments().resource(withPort(base, 443, "https")).fieldManager("one").serverSideApply();
    Topic.same(ports(one), List.of(443));
    client.apps().deployments().withName("shared").scale(4);
    Deployment found = client.apps().deployments().withName("shared").get();
    var scale = found.getMetadata().getManagedFields().stream().filter(entry -> "scale".equals(entry.getSubresource())).toList();
    Topic.same(List.of(scale.size(), scale.get(0).getFieldsV1().getAdditionalProperties()),
        List.of(1, Map.of("f:spec", Map.of("f:replicas", Map.of()))));
    Topic.refused(409, "Conflict", "conflict with \"fabric8-kubernetes-client\" with subresource \"scale\" using apps/v1: .spec.replicas",
        () -> client.apps().deployments().resource(withPort(base, 443, "https")).fieldManager("one").serverSideApply());
  }

  static List<Integer> ports(Deployment deployment) {
    var container = deployment.getSpec().getTemplate().getSpec().getContainers().get(0);
    return container.getPorts().stream().map(port -> port.getContainerPort()).toList();
  }

  static void status(NamespacedKubernetesClient client) {
    client.apps().deployments().resource(Typed.deployment("observed")).fieldManager("author").serverSideApply();
    Deployment report = new DeploymentBuilder().withNewMetadata().withName("observed").endMetadata()
        .withNewStatus().withReplicas(2).addNewCondition().withType("Available").withStatus("True").endCondition().endStatus().build();
    PatchContext apply = new PatchContext.Builder().withPatchType(PatchType.SERVER_SIDE_APPLY).withFieldManager("observer").build();
    Deployment reported = client.apps().deployments().resource(report).subresource("status").patch(apply, report);
    Topic.same(List.of(reported.getStatus().getReplicas(), reported.getSpec().getReplicas()), List.of(2, 3));
    var managers = reported.getMetadata().getManagedFields().stream()
        .map(entry -> entry.getManager() + " " + entry.getSubresource()).sorted().toList();
    Topic.same(managers, List.of("author null", "observer status"));
  }

  static void patches(NamespacedKubernetesClient client) throws Exception {
    var patched = client.configMaps().withName("patched");
    client.configMaps().resource(bare("patched", Map.of("n", "0"))).create();
    PatchContext json = PatchContext.of(PatchType.JSON);
    Topic.same(patched.patch(json, "[{\"op\":\"add\",\"path\":\"/data/a\",\"value\":\"1\"}]").getData(), Map.of("n", "0", "a", "1"));
    Topic.refused(422, "Invalid", "the server rejected our request due to an error in our request",
        () -> patched.patch(json, "[{\"op\":\"test\",\"path\":\"/data/a\",\"value\":\"2\"}]"));
    PatchContext merge = PatchContext.of(PatchType.JSON_MERGE);
    Topic.same(patched.patch(merge, "{\"data\":{\"a\":null,\"b\":\"2\"}}").getData(), Map.of("n", "0", "b", "2"));
    PatchContext strategic = PatchContext.of(PatchType.STRATEGIC_MERGE);
    Topic.same(patched.patch(strategic, "{\"data\":{\"$patch\":\"replace\",\"c\":\"3\"}}").getData(), Map.of("c", "3"));
  }
}
