import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Lists, selectors, and what the server says of itself. */
class Reading {
  static Topic topic() {
    return new Topic("reading")
        .check("pages are one snapshot", Reading::pages)
        .check("selectors", Reading::selectors)
        .check("a collection is deleted", Reading::collection)
        .check("versions and groups", Reading::groups)
        .check("what may I do", Reading::access);
  }

  static void create(NamespacedKubernetesClient client, String set, int count) {
    for (int i = 0; i < count; i++) {
      ConfigMap map = Topic.configMap(String.format("%s-%02d", set, i), String.valueOf(i));
      map.getMetadata().getLabels().put("set", set);
      map.getMetadata().getLabels().put("parity", i % 2 == 0 ? "even" : "odd");
      client.configMaps().resource(map).create();
    }
  }

  static void pages(NamespacedKubernetesClient client) throws Exception {
    create(client, "page", 25);
    List<String> names = new ArrayList<>();
    Set<String> versions = new HashSet<>();
    List<Long> remaining = new ArrayList<>();
    String token = null;
    do {
      ConfigMapList page = client.configMaps().list(
          new ListOptionsBuilder().withLimit(10L).withContinue(token).withFieldSelector("metadata.namespace=reading").build());
      page.getItems().stream().map(item -> item.getMetadata().getName()).filter(name -> name.startsWith("page-")).forEach(names::add);
      versions.add(page.getMetadata().getResourceVersion());
      token = page.getMetadata().getContinue();
      // Gone between two pages, and yet part of the snapshot.
      if (versions.size() == 1 && names.size() <= 10) client.configMaps().withName("page-24").delete();
    } while (token != null && !token.isEmpty());
    Topic.same(List.of(names.size(), new HashSet<>(names).size(), versions.size()), List.of(25, 25, 1));
    Topic.refused(400, "BadRequest", "continue key is not valid",
        () -> client.configMaps().list(new ListOptionsBuilder().withLimit(10L).withContinue("nonsense").build()));
  }

  static void selectors(NamespacedKubernetesClient client) throws Exception {
    create(client, "some", 4);
    var some = client.configMaps().withLabel("set", "some");
    Topic.same(names(some.withLabelIn("parity", "odd", "other")), List.of("some-01", "some-03"));
    Topic.same(names(client.configMaps().withLabel("set", "some").withLabelNotIn("parity", "odd")), List.of("some-00", "some-02"));
    Topic.same(names(client.configMaps().withLabel("set", "some").withoutLabel("name", "some-00")),
        List.of("some-01", "some-02", "some-03"));
    Topic.same(names(client.configMaps().withLabel("set", "some").withoutLabel("parity")), List.of());
    Topic.same(names(client.configMaps().withField("metadata.name", "some-02")), List.of("some-02"));
    Topic.same(names(client.configMaps().withLabel("set", "some").withoutField("metadata.name", "some-02")),
        List.of("some-00", "some-01", "some-03"));
    Topic.refused(400, "BadRequest",
        "\"data.n\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
        () -> client.configMaps().withField("data.n", "1").list());
    boolean everywhere = client.configMaps().inAnyNamespace().withLabel("set", "some").list().getItems().size() == 4;
    Topic.same(everywhere, true);
  }

  static List<String> names(FilterWatchListDeletable<ConfigMap, ConfigMapList, Resource<ConfigMap>> selected) {
    return selected.list().getItems().stream().map(item -> item.getMetadata().getName()).toList();
  }

  static void collection(NamespacedKubernetesClient client) {
    create(client, "many", 5);
    Topic.same(client.configMaps().withLabel("set", "many").withLabel("parity", "even").delete().size(), 3);
    Topic.same(names(client.configMaps().withLabel("set", "many")), List.of("many-01", "many-03"));
    client.raw("/api/v1/namespaces/reading/configmaps?labelSelector=set%3Dmany", "DELETE", null);
    Topic.same(names(client.configMaps().withLabel("set", "many")), List.of());
  }

  static void groups(NamespacedKubernetesClient client) {
    var version = client.getKubernetesVersion();
    Topic.same(List.of(version.getMajor(), version.getMinor()), List.of("1", "36"));
    if (version.getBuildDate() == null) throw new AssertionError("no build date");
    Set<String> groups = new TreeSet<>();
    client.getApiGroups().getGroups().forEach(group -> groups.add(group.getName()));
    if (!groups.containsAll(List.of("apps", "batch", "coordination.k8s.io", "rbac.authorization.k8s.io")))
      throw new AssertionError(groups.toString());
    Topic.same(client.supports(io.fabric8.kubernetes.api.model.apps.Deployment.class), true);
    Topic.same(client.hasApiGroup("example.com", true), false);
    var scale = client.getApiResources("apps/v1").getResources().stream().filter(r -> r.getName().equals("deployments/scale")).findFirst();
    Topic.same(List.of(scale.get().getGroup(), scale.get().getVersion(), scale.get().getKind()), List.of("autoscaling", "v1", "Scale"));
  }

  static void access(NamespacedKubernetesClient client) {
    var review = new SelfSubjectAccessReviewBuilder().withNewSpec().withNewResourceAttributes().withNamespace("reading").withVerb("list")
        .withResource("pods").endResourceAttributes().endSpec().build();
    Topic.same(client.authorization().v1().selfSubjectAccessReview().create(review).getStatus().getAllowed(), true);
  }
}
