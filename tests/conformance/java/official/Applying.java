import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Status;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.generic.KubernetesApiResponse;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;
import io.kubernetes.client.util.generic.options.PatchOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Server-side apply. Bodies are maps: a model would send empty ones for what is not set, and so want to own them. */
class Applying {
  static DynamicKubernetesApi maps() {
    return new DynamicKubernetesApi("", "v1", "configmaps", Main.client);
  }

  static KubernetesApiResponse<DynamicKubernetesObject> apply(String name, String manager, boolean force, Map<String, String> data) {
    var body = Map.of("apiVersion", "v1", "kind", "ConfigMap", "metadata", Map.of("name", name), "data", data);
    PatchOptions options = new PatchOptions();
    options.setFieldManager(manager);
    options.setForce(force);
    return maps().patch(Main.NAMESPACE, name, V1Patch.PATCH_FORMAT_APPLY_YAML, new V1Patch(json(body)), options);
  }

  static String json(Object body) {
    return Main.client.getJSON().getGson().toJson(body);
  }

  static DynamicKubernetesObject applied(String name, String manager, boolean force, Map<String, String> data) throws ApiException {
    return apply(name, manager, force, data).throwsApiException().getObject();
  }

  static Map<?, ?> data(DynamicKubernetesObject map) {
    return Main.client.getJSON().getGson().fromJson(map.getRaw().get("data"), Map.class);
  }

  /** Who manages what, which the models of this client never read: the fields by manager, operation and subresource. */
  static Map<String, JsonElement> owned(DynamicKubernetesObject object) {
    Map<String, JsonElement> fields = new TreeMap<>();
    for (JsonElement element : object.getRaw().getAsJsonObject("metadata").getAsJsonArray("managedFields")) {
      var entry = element.getAsJsonObject();
      String by = entry.get("manager").getAsString() + " " + entry.get("operation").getAsString();
      fields.put(entry.has("subresource") ? by + " " + entry.get("subresource").getAsString() : by, entry.get("fieldsV1"));
    }
    return fields;
  }

  static JsonElement fields(String text) {
    return JsonParser.parseString(text);
  }

  static void conflict(V1Status status, List<String> expected) {
    Main.same(List.of(status.getCode(), status.getReason()), List.of(409, "Conflict"));
    List<String> causes = new ArrayList<>();
    status.getDetails().getCauses()
        .forEach(cause -> causes.add(cause.getReason() + " " + cause.getField() + ": " + cause.getMessage()));
    Main.same(causes, expected);
  }

  static void contended() throws Exception {
    DynamicKubernetesObject first = applied("applied", "one", false, Map.of("a", "1", "b", "1"));
    Main.same(owned(first), Map.of("one Apply", fields("{\"f:data\":{\"f:a\":{},\"f:b\":{}}}")));
    Main.same(applied("applied", "one", false, Map.of("a", "1", "b", "1")).getRaw(), first.getRaw());
    V1Status status = apply("applied", "two", false, Map.of("a", "2", "b", "2", "c", "2")).getStatus();
    conflict(status, List.of("FieldManagerConflict .data.a: conflict with \"one\"", "FieldManagerConflict .data.b: conflict with \"one\""));
    Main.same(status.getMessage(), "Apply failed with 2 conflicts: conflicts with \"one\":\n- .data.a\n- .data.b");
    Main.same(maps().get(Main.NAMESPACE, "applied").throwsApiException().getObject().getRaw(), first.getRaw());
    DynamicKubernetesObject forced = applied("applied", "two", true, Map.of("a", "2"));
    Main.same(data(forced), Map.of("a", "2", "b", "1"));
    Main.same(owned(forced),
        Map.of("one Apply", fields("{\"f:data\":{\"f:b\":{}}}"), "two Apply", fields("{\"f:data\":{\"f:a\":{}}}")));
    conflict(apply("applied", "one", false, Map.of("a", "1")).getStatus(),
        List.of("FieldManagerConflict .data.a: conflict with \"two\""));
  }

  static void givenUp() throws Exception {
    applied("shrunk", "one", false, Map.of("a", "1", "b", "1"));
    applied("shrunk", "two", false, Map.of("b", "1", "c", "1"));
    // What another wants as well stays, and is the other's alone.
    DynamicKubernetesObject left = applied("shrunk", "one", false, Map.of("d", "1"));
    Main.same(data(left), Map.of("b", "1", "c", "1", "d", "1"));
    Main.same(owned(left),
        Map.of("one Apply", fields("{\"f:data\":{\"f:d\":{}}}"), "two Apply", fields("{\"f:data\":{\"f:b\":{},\"f:c\":{}}}")));
  }

  static V1Deployment report(String manager, int ready) throws ApiException {
    var body = Map.of("apiVersion", "apps/v1", "kind", "Deployment", "metadata", Map.of("name", "observed"), "spec",
        Map.of("replicas", 9), "status", Map.of("replicas", 3, "readyReplicas", ready));
    return PatchUtils.patch(V1Deployment.class,
        () -> new AppsV1Api(Main.client).patchNamespacedDeploymentStatus("observed", Main.NAMESPACE, new V1Patch(json(body)))
            .fieldManager(manager).buildCall(null),
        V1Patch.PATCH_FORMAT_APPLY_YAML, Main.client);
  }

  static void status() throws Exception {
    new AppsV1Api(Main.client).createNamespacedDeployment(Main.NAMESPACE, Main.deployment("observed")).fieldManager("author").execute();
    V1Deployment reported = report("observer", 1);
    Main.same(List.of(reported.getStatus().getReadyReplicas(), reported.getSpec().getReplicas()), List.of(1, 3));
    var found = new DynamicKubernetesApi("apps", "v1", "deployments", Main.client).get(Main.NAMESPACE, "observed");
    Map<String, JsonElement> owned = owned(found.throwsApiException().getObject());
    Main.same(List.copyOf(owned.keySet()), List.of("author Update", "observer Apply status"));
    Main.same(owned.get("observer Apply status"), fields("{\"f:status\":{\"f:replicas\":{},\"f:readyReplicas\":{}}}"));
    conflict(
        Main.refused(409, "Conflict", "Apply failed with 1 conflict: conflict with \"observer\" with subresource \"status\"",
            () -> report("meddler", 2)),
        List.of("FieldManagerConflict .status.readyReplicas: conflict with \"observer\" with subresource \"status\""));
  }
}
