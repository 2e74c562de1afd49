import io.fabric8.kubernetes.api.model.APIService;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.FlowSchema;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Objects without a class of their own, and files of objects. */
class Generic {
  static Topic topic(List<String> manifests) {
    Topic topic = new Topic("generic")
        .check("by kind", Generic::byKind)
        .check("without discovery", Generic::byContext)
        .check("an informer", Generic::informer);
    manifests.forEach(file -> topic.check("objects of " + Path.of(file).getParent().getFileName(), client -> objects(client, file)));
    return topic;
  }

  static GenericKubernetesResource map(String name, String n) {
    return new GenericKubernetesResourceBuilder().withApiVersion("v1").withKind("ConfigMap").withNewMetadata().withName(name)
        .endMetadata().addToAdditionalProperties("data", Map.of("n", n)).build();
  }

  static void byKind(NamespacedKubernetesClient client) throws Exception {
    var maps = client.genericKubernetesResources("v1", "ConfigMap");
    GenericKubernetesResource created = maps.resource(map("loose", "0")).create();
    Topic.same(maps.withName("loose").get(), created);
    String n = created.get("data", "n");
    Topic.same(n, "0");
    GenericKubernetesResource old = map("loose", "2");
    old.getMetadata().setResourceVersion(created.getMetadata().getResourceVersion());
    maps.resource(map("loose", "1")).update();
    Topic.refused(409, "Conflict", "the object has been modified", () -> maps.resource(old).update());
    GenericKubernetesResource applied = maps.resource(map("loose", "1")).fieldManager("generic").serverSideApply();
    Topic.same(applied.getMetadata().getManagedFields().stream().anyMatch(entry -> entry.getManager().equals("generic")), true);
    Topic.same(maps.withName("loose").delete().size(), 1);
    Topic.same(maps.withName("loose").get(), null);
  }

  static void byContext(NamespacedKubernetesClient client) {
    var context = new ResourceDefinitionContext.Builder().withGroup("apps").withVersion("v1").withKind("Deployment")
        .withPlural("deployments").withNamespaced(true).build();
    client.apps().deployments().resource(Typed.deployment("plain")).create();
    GenericKubernetesResource found = client.genericKubernetesResources(context).withName("plain").get();
    int replicas = found.get("spec", "replicas");
    Topic.same(replicas, 3);
    int scaled = client.genericKubernetesResources(context).withName("plain").scale(2).get("spec", "replicas");
    Topic.same(scaled, 2);
    Topic.same(client.genericKubernetesResources(context).list().getKind(), "DeploymentList");
  }

  static void informer(NamespacedKubernetesClient client) throws Exception {
    LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();
    var handler = new io.fabric8.kubernetes.client.informers.ResourceEventHandler<GenericKubernetesResource>() {
      public void onAdd(GenericKubernetesResource object) {
        seen.add("added " + object.getKind() + " " + object.getMetadata().getName());
      }

      public void onUpdate(GenericKubernetesResource old, GenericKubernetesResource object) {
        seen.add("updated");
      }

      public void onDelete(GenericKubernetesResource object, boolean unknown) {
        seen.add("deleted " + object.getMetadata().getName());
      }
    };
    var secrets = client.genericKubernetesResources("v1", "Secret");
    try (var informer = secrets.inform(handler)) {
      secrets.resource(new GenericKubernetesResourceBuilder().withApiVersion("v1").withKind("Secret").withNewMetadata().withName("whisper")
          .endMetadata().build()).create();
      Topic.same(seen.poll(20, TimeUnit.SECONDS), "added Secret whisper");
      secrets.withName("whisper").delete();
      Topic.same(seen.poll(20, TimeUnit.SECONDS), "deleted whisper");
    }
  }

  /** Created, read back the same, written again as they are, and deleted. */
  static void objects(NamespacedKubernetesClient client, String file) throws Exception {
    String text = Files.readString(Path.of(file)).replace("python-kinds", "generic");
    for (HasMetadata item : client.load(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8))).items()) {
      String name = item.getKind() + " " + item.getMetadata().getName();
      HasMetadata created = settled(client, client.resource(item).create());
      if (created.getMetadata().getUid() == null) throw new AssertionError(name + " is not kept");
      Topic.same(name + created.getClass(), name + item.getClass());
      Topic.same(client.resource(item).get(), created);
      Topic.same(client.resource(created).update(), created);
    }
  }

  /** The server goes on with definitions, flow schemas and API services after their creation, until they have a condition. */
  static HasMetadata settled(NamespacedKubernetesClient client, HasMetadata object) {
    if (object instanceof FlowSchema) {
      return client.resource((FlowSchema) object).waitUntilCondition(
          schema -> schema.getStatus() != null && schema.getStatus().getConditions() != null
              && schema.getStatus().getConditions().stream().anyMatch(condition -> condition.getType().equals("Dangling")),
          5, TimeUnit.MINUTES);
    }
    if (object instanceof APIService) {
      return client.resource((APIService) object).waitUntilCondition(
          service -> service.getStatus() != null && service.getStatus().getConditions() != null
              && service.getStatus().getConditions().stream().anyMatch(condition -> condition.getType().equals("Available")),
          5, TimeUnit.MINUTES);
    }
    if (!(object instanceof CustomResourceDefinition)) return object;
    return client.resource((CustomResourceDefinition) object).waitUntilCondition(
        // A new definition's conditions are null, not empty.
        definition -> definition.getStatus() != null && definition.getStatus().getConditions() != null
            && definition.getStatus().getConditions().stream().anyMatch(condition -> condition.getType().equals("Established") && condition.getStatus().equals("True")),
        5, TimeUnit.MINUTES);
  }
}
