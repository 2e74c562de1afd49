import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.EphemeralContainerBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.autoscaling.v1.Scale;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Objects with classes of their own, and their subresources. */
class Typed {
  static Topic topic() {
    return new Topic("typed")
        .check("a deployment goes round", Typed::deployment)
        .check("scale", Typed::scale)
        .check("status", Typed::status)
        .check("rollouts", Typed::rollout)
        .check("deletion in the foreground", Typed::foreground)
        .check("pods", Typed::pod)
        .check("services and secrets", Typed::allocated)
        .check("tokens", Typed::token);
  }

  static Container container() {
    return new ContainerBuilder().withName("main").withImage("web:1").addNewPort().withContainerPort(80).endPort().withNewResources()
        .addToRequests("cpu", new Quantity("0.25")).endResources().build();
  }

  static Deployment deployment(String name) {
    return new DeploymentBuilder().withNewMetadata().withName(name).endMetadata().withNewSpec().withReplicas(3)
        .withNewSelector().addToMatchLabels("app", name).endSelector()
        .withNewTemplate().withNewMetadata().addToLabels("app", name).endMetadata()
        .withNewSpec().withContainers(container()).endSpec().endTemplate().endSpec().build();
  }

  static void deployment(NamespacedKubernetesClient client) {
    var deployments = client.apps().deployments();
    Deployment created = deployments.resource(deployment("web")).create();
    Topic.same(created.getSpec().getStrategy().getRollingUpdate().getMaxSurge(), new IntOrString("25%"));
    var main = created.getSpec().getTemplate().getSpec().getContainers().get(0);
    Topic.same(main.getResources().getRequests(), Map.of("cpu", new Quantity("250m")));
    Topic.same(List.of(main.getImagePullPolicy(), main.getPorts().get(0).getProtocol()), List.of("IfNotPresent", "TCP"));
    Topic.same(deployments.withName("web").get(), created);
    Deployment next = new DeploymentBuilder(created).editSpec().withReplicas(5).endSpec().build();
    Deployment replaced = deployments.resource(next).update();
    Topic.same(List.of(replaced.getSpec().getReplicas(), replaced.getMetadata().getGeneration()), List.of(5, 2L));
    Topic.same(replaced.getMetadata().getUid(), created.getMetadata().getUid());
    Deployment edited = deployments.withName("web").edit(d -> new DeploymentBuilder(d).editSpec().withPaused(true).endSpec().build());
    Topic.same(List.of(edited.getSpec().getPaused(), edited.getMetadata().getGeneration()), List.of(true, 3L));
    deployments.withName("web").delete();
    Topic.same(deployments.withName("web").get(), null);
  }

  static void scale(NamespacedKubernetesClient client) throws Exception {
    var scaled = client.apps().deployments().withName("scaled");
    client.apps().deployments().resource(deployment("scaled")).create();
    Topic.same(scaled.scale(4).getSpec().getReplicas(), 4);
    Scale found = scaled.scale();
    Topic.same(List.of(found.getSpec().getReplicas(), found.getStatus().getSelector()), List.of(4, "app=scaled"));
    found.getSpec().setReplicas(6);
    Topic.same(scaled.scale(found).getSpec().getReplicas(), 6);
    Topic.same(List.of(scaled.get().getSpec().getReplicas(), scaled.get().getMetadata().getGeneration()), List.of(6, 3L));
    found.getSpec().setReplicas(-1);
    Topic.refused(422, "Invalid", "must be greater than or equal to 0", () -> scaled.scale(found));
  }

  static void status(NamespacedKubernetesClient client) throws Exception {
    var deployments = client.apps().deployments();
    Deployment created = deployments.resource(deployment("reported")).create();
    Deployment report = new DeploymentBuilder(created).editSpec().withReplicas(9).endSpec()
        .withNewStatus().withObservedGeneration(1L).withReplicas(2)
        .addNewCondition().withType("Available").withStatus("True").withReason("Seen").endCondition().endStatus().build();
    Deployment reported = deployments.resource(report).updateStatus();
    Topic.same(List.of(reported.getSpec().getReplicas(), reported.getMetadata().getGeneration()), List.of(3, 1L));
    Topic.same(reported.getStatus().getConditions().get(0).getReason(), "Seen");
    Topic.refused(409, "Conflict", "the object has been modified", () -> deployments.resource(report).updateStatus());
    // A write of the object leaves the status alone.
    reported.getStatus().setReplicas(7);
    Topic.same(deployments.resource(reported).update().getStatus().getReplicas(), 2);
    Deployment edited = deployments.withName("reported")
        .editStatus(d -> new DeploymentBuilder(d).editStatus().withReplicas(3).endStatus().build());
    Topic.same(List.of(edited.getStatus().getReplicas(), edited.getStatus().getConditions().size()), List.of(3, 1));
  }

  static void rollout(NamespacedKubernetesClient client) {
    var rolled = client.apps().deployments().withName("rolled");
    client.apps().deployments().resource(deployment("rolled")).create();
    Topic.same(rolled.rolling().pause().getSpec().getPaused(), true);
    Deployment restarted = rolled.rolling().resume();
    Topic.same(restarted.getSpec().getPaused(), null);
    rolled.rolling().restart();
    var annotations = rolled.get().getSpec().getTemplate().getMetadata().getAnnotations();
    Topic.same(annotations.keySet(), Set.of("kubectl.kubernetes.io/restartedAt"));
    rolled.rolling().updateImage(Map.of("main", "web:2"));
    Topic.same(rolled.get().getSpec().getTemplate().getSpec().getContainers().get(0).getImage(), "web:2");
  }

  static void foreground(NamespacedKubernetesClient client) {
    var kept = client.apps().deployments().withName("kept");
    client.apps().deployments().resource(deployment("kept")).create();
    kept.withPropagationPolicy(DeletionPropagation.FOREGROUND).delete();
    Deployment left = kept.get();
    Topic.same(left.getMetadata().getFinalizers(), List.of("foregroundDeletion"));
    if (!left.isMarkedForDeletion()) throw new AssertionError("it has no deletionTimestamp");
    kept.edit(d -> new DeploymentBuilder(d).editMetadata().withFinalizers(List.of()).endMetadata().build());
    Topic.same(kept.get(), null);
  }

  static void pod(NamespacedKubernetesClient client) throws Exception {
    Pod body = new PodBuilder().withNewMetadata().withGenerateName("pod-").addToLabels("app", "pod").endMetadata()
        .withNewSpec().withContainers(container()).endSpec().build();
    Pod created = client.pods().resource(body).create();
    String name = created.getMetadata().getName();
    Topic.same(List.of(name.length(), created.getStatus().getPhase(), created.getStatus().getQosClass()),
        List.of(9, "Pending", "Burstable"));
    var pod = client.pods().withName(name);
    Topic.refused(422, "Invalid", "pod updates may not change fields other than",
        () -> pod.edit(p -> new PodBuilder(p).editSpec().withHostname("other").endSpec().build()));
    var debug = new EphemeralContainerBuilder().withName("debug").withImage("debug:1").build();
    Pod debugged = pod.ephemeralContainers()
        .edit(p -> new PodBuilder(p).editSpec().addToEphemeralContainers(debug).endSpec().build());
    Topic.same(debugged.getSpec().getEphemeralContainers().get(0).getTerminationMessagePath(), "/dev/termination-log");
    Topic.same(pod.evict(), true);
    Topic.same(pod.get(), null);
  }

  static void allocated(NamespacedKubernetesClient client) throws Exception {
    Service service = client.services().resource(new ServiceBuilder().withNewMetadata().withName("front").endMetadata()
        .withNewSpec().withType("NodePort").addToSelector("app", "web").addNewPort().withPort(80).endPort().endSpec().build()).create();
    Topic.same(service.getSpec().getClusterIPs(), List.of(service.getSpec().getClusterIP()));
    int nodePort = service.getSpec().getPorts().get(0).getNodePort();
    if (nodePort < 30000 || nodePort > 32767) throw new AssertionError("node port " + nodePort);
    Topic.same(service.getSpec().getPorts().get(0).getTargetPort(), new IntOrString(80));
    Secret secret = client.secrets().resource(new SecretBuilder().withNewMetadata().withName("said").endMetadata()
        .addToStringData("word", "hello").withImmutable(true).build()).create();
    Topic.same(List.of(secret.getType(), secret.getData()), List.of("Opaque", Map.of("word", "aGVsbG8=")));
    secret.getData().put("word", "Ynll");
    Topic.refused(422, "Invalid", "field is immutable when `immutable` is set", () -> client.secrets().resource(secret).update());
  }

  static void token(NamespacedKubernetesClient client) {
    client.serviceAccounts().resource(new ServiceAccountBuilder().withNewMetadata().withName("robot").endMetadata().build()).create();
    var request = new TokenRequestBuilder().withNewSpec().withExpirationSeconds(3600L).endSpec().build();
    var answer = client.serviceAccounts().withName("robot").tokenRequest(request);
    Topic.same(List.of(answer.getStatus().getToken().split("\\.").length, answer.getSpec().getExpirationSeconds()), List.of(3, 3600L));
  }
}
