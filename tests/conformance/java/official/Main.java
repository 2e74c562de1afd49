import com.google.gson.reflect.TypeToken;
import io.kubernetes.client.ProtoClient;
import io.kubernetes.client.custom.IntOrString;
import io.kubernetes.client.custom.Quantity;
import io.kubernetes.client.custom.V1Patch;
import io.kubernetes.client.informer.ResourceEventHandler;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.AppsV1Api;
import io.kubernetes.client.openapi.apis.CoordinationV1Api;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.*;
import io.kubernetes.client.proto.Meta;
import io.kubernetes.client.proto.V1;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import io.kubernetes.client.util.PatchUtils;
import io.kubernetes.client.util.Watch;
import io.kubernetes.client.util.Yaml;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesApi;
import java.io.FileReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Drives a server as programs in Java do. Prints one line for each check and exits with 1 when one fails. The arguments are a kubeconfig
 * file and YAML files whose objects are created.
 */
public class Main {
  static final String NAMESPACE = "java";
  static ApiClient client;
  static CoreV1Api core;

  interface Check {
    void run() throws Exception;
  }

  public static void main(String[] args) throws Exception {
    client = ClientBuilder.kubeconfig(KubeConfig.loadKubeConfig(new FileReader(args[0]))).build();
    // Informers take no other: their streams are silent for as long as nothing changes.
    client.setReadTimeout(0);
    core = new CoreV1Api(client);
    core.createNamespace(new V1Namespace().metadata(new V1ObjectMeta().name(NAMESPACE))).execute();
    boolean ok = attempt("a deployment goes round", Main::deployment);
    ok &= attempt("stale writes and deletions are refused", Main::conflict);
    ok &= attempt("patches of three kinds", Main::patches);
    ok &= attempt("pages are one snapshot", Main::pages);
    ok &= attempt("leases keep microseconds", Main::lease);
    ok &= attempt("watches, resumed and expired", Main::watches);
    ok &= attempt("an informer", Main::informer);
    ok &= attempt("protobuf", Main::protobuf);
    ok &= attempt("the dynamic client", Main::dynamic);
    ok &= attempt("retries on conflict count exactly", Controlling::contended);
    ok &= attempt("apply, conflict and force", Applying::contended);
    ok &= attempt("apply gives up what it no longer says", Applying::givenUp);
    ok &= attempt("apply to the status", Applying::status);
    ok &= attempt("status", Controlling::status);
    ok &= attempt("scale", Controlling::scale);
    ok &= attempt("the generic client", Controlling::generic);
    ok &= attempt("leader election", Controlling::election);
    for (String file : Arrays.asList(args).subList(1, args.length)) ok &= attempt("objects of " + file, () -> objects(file));
    System.exit(ok ? 0 : 1);
  }

  static boolean attempt(String name, Check check) {
    try {
      check.run();
      System.out.println("ok   " + name);
      return true;
    } catch (Throwable error) {
      String body = error instanceof ApiException refused ? " " + refused.getResponseBody() : "";
      System.out.println("FAIL " + name + ": " + (error + body).replace("\n", " ") + " at " + Arrays.asList(error.getStackTrace()));
      return false;
    }
  }

  static void same(Object actual, Object expected) {
    if (!Objects.equals(actual, expected)) throw new AssertionError(actual + " is not " + expected);
  }

  static V1Status refused(int code, String reason, String text, Check check) throws Exception {
    try {
      check.run();
    } catch (ApiException error) {
      V1Status status = client.getJSON().getGson().fromJson(error.getResponseBody(), V1Status.class);
      same(List.of(error.getCode(), status.getCode(), status.getReason()), List.of(code, code, reason));
      if (!status.getMessage().contains(text)) throw new AssertionError(status.getMessage());
      return status;
    }
    throw new AssertionError("no " + code + " " + reason);
  }

  static V1ConfigMap configMap(String name, String n) {
    return new V1ConfigMap().metadata(new V1ObjectMeta().name(name).putLabelsItem("name", name)).putDataItem("n", n);
  }

  static V1Deployment deployment(String name) {
    V1Container container = new V1Container().name("main").image("web:1").addPortsItem(new V1ContainerPort().containerPort(80));
    container.resources(new V1ResourceRequirements().putRequestsItem("cpu", new Quantity("250m")));
    V1PodTemplateSpec template = new V1PodTemplateSpec().metadata(new V1ObjectMeta().putLabelsItem("app", name));
    template.spec(new V1PodSpec().addContainersItem(container));
    V1DeploymentSpec spec = new V1DeploymentSpec().replicas(3).template(template);
    spec.selector(new V1LabelSelector().putMatchLabelsItem("app", name));
    return new V1Deployment().metadata(new V1ObjectMeta().name(name)).spec(spec);
  }

  static void deployment() throws Exception {
    AppsV1Api apps = new AppsV1Api(client);
    V1Deployment created = apps.createNamespacedDeployment(NAMESPACE, deployment("web")).execute();
    same(created.getSpec().getStrategy().getRollingUpdate().getMaxSurge(), new IntOrString("25%"));
    same(apps.readNamespacedDeployment("web", NAMESPACE).execute(), created);
    created.getSpec().replicas(5);
    V1Deployment replaced = apps.replaceNamespacedDeployment("web", NAMESPACE, created).execute();
    same(List.of(replaced.getSpec().getReplicas(), replaced.getMetadata().getGeneration()), List.of(5, 2L));
    V1Scale scale = apps.readNamespacedDeploymentScale("web", NAMESPACE).execute();
    same(List.of(scale.getSpec().getReplicas(), scale.getStatus().getSelector()), List.of(5, "app=web"));
  }

  static void conflict() throws Exception {
    V1ConfigMap old = core.createNamespacedConfigMap(NAMESPACE, configMap("raced", "0")).execute();
    V1ConfigMap next = client.getJSON().getGson().fromJson(old.toJson(), V1ConfigMap.class).putDataItem("n", "1");
    V1ConfigMap replaced = core.replaceNamespacedConfigMap("raced", NAMESPACE, next).execute();
    refused(409, "Conflict", "the object has been modified; please apply your changes to the latest version and try again",
        () -> core.replaceNamespacedConfigMap("raced", NAMESPACE, old).execute());
    refused(409, "Conflict", "the ResourceVersion in the precondition", () -> delete(old.getMetadata().getResourceVersion()));
    same(delete(replaced.getMetadata().getResourceVersion()).getStatus(), "Success");
    refused(404, "NotFound", "configmaps \"raced\" not found", () -> core.readNamespacedConfigMap("raced", NAMESPACE).execute());
  }

  static V1Status delete(String resourceVersion) throws ApiException {
    V1DeleteOptions options = new V1DeleteOptions().preconditions(new V1Preconditions().resourceVersion(resourceVersion));
    return core.deleteNamespacedConfigMap("raced", NAMESPACE).body(options).execute();
  }

  static V1ConfigMap patch(String format, String patch) throws ApiException {
    return PatchUtils.patch(V1ConfigMap.class,
        () -> core.patchNamespacedConfigMap("patched", NAMESPACE, new V1Patch(patch)).buildCall(null), format, client);
  }

  static void patches() throws Exception {
    core.createNamespacedConfigMap(NAMESPACE, configMap("patched", "0")).execute();
    V1ConfigMap patched = patch(V1Patch.PATCH_FORMAT_JSON_PATCH, "[{\"op\":\"add\",\"path\":\"/data/a\",\"value\":\"1\"}]");
    same(patched.getData(), Map.of("n", "0", "a", "1"));
    same(patch(V1Patch.PATCH_FORMAT_JSON_MERGE_PATCH, "{\"data\":{\"a\":null,\"b\":\"2\"}}").getData(), Map.of("n", "0", "b", "2"));
    String replace = "{\"data\":{\"$patch\":\"replace\",\"c\":\"3\"}}";
    same(patch(V1Patch.PATCH_FORMAT_STRATEGIC_MERGE_PATCH, replace).getData(), Map.of("c", "3"));
  }

  static void pages() throws Exception {
    for (int i = 0; i < 25; i++) {
      V1ConfigMap map = configMap(String.format("page-%02d", i), "0");
      map.getMetadata().putLabelsItem("set", "page");
      core.createNamespacedConfigMap(NAMESPACE, map).execute();
    }
    List<String> names = new ArrayList<>();
    HashSet<String> versions = new HashSet<>();
    String token = null;
    do {
      V1ConfigMapList page = core.listNamespacedConfigMap(NAMESPACE).labelSelector("set=page").limit(10)._continue(token).execute();
      page.getItems().forEach(item -> names.add(item.getMetadata().getName()));
      versions.add(page.getMetadata().getResourceVersion());
      token = page.getMetadata().getContinue();
      // Gone between two pages, and yet part of the snapshot.
      if (versions.size() == 1 && names.size() == 10) core.deleteNamespacedConfigMap("page-24", NAMESPACE).execute();
    } while (token != null && !token.isEmpty());
    same(List.of(names.size(), new HashSet<>(names).size(), versions.size()), List.of(25, 25, 1));
  }

  static void lease() throws Exception {
    CoordinationV1Api coordination = new CoordinationV1Api(client);
    OffsetDateTime time = OffsetDateTime.parse("2026-01-02T03:04:05.000006Z");
    V1Lease body = new V1Lease().metadata(new V1ObjectMeta().name("lease"));
    body.spec(new V1LeaseSpec().holderIdentity("me").leaseDurationSeconds(15).renewTime(time));
    V1Lease created = coordination.createNamespacedLease(NAMESPACE, body).execute();
    same(created.getSpec().getRenewTime().toInstant(), time.toInstant());
    created.getMetadata().resourceVersion(null);
    refused(422, "Invalid", "must be specified for an update",
        () -> coordination.replaceNamespacedLease("lease", NAMESPACE, created).execute());
  }

  static Watch<V1ConfigMap> watch(String name, String version) throws ApiException {
    return Watch.createWatch(client,
        core.listNamespacedConfigMap(NAMESPACE).watch(true).labelSelector("name=" + name).resourceVersion(version).timeoutSeconds(10)
            .allowWatchBookmarks(true).buildCall(null),
        new TypeToken<Watch.Response<V1ConfigMap>>() {}.getType());
  }

  static void watches() throws Exception {
    String before = core.listNamespacedConfigMap(NAMESPACE).execute().getMetadata().getResourceVersion();
    try (Watch<V1ConfigMap> watch = watch("watched", before)) {
      String created = core.createNamespacedConfigMap(NAMESPACE, configMap("watched", "0")).execute().getMetadata().getResourceVersion();
      core.deleteNamespacedConfigMap("watched", NAMESPACE).execute();
      same(watch.next().type, "ADDED");
      same(watch.next().type, "DELETED");
      try (Watch<V1ConfigMap> resumed = watch("watched", created)) {
        same(resumed.next().type, "DELETED");
      }
    }
    try (Watch<V1ConfigMap> expired = watch("watched", "1")) {
      Watch.Response<V1ConfigMap> error = expired.next();
      same(List.of(error.type, error.status.getCode(), error.status.getReason()), List.of("ERROR", 410, "Expired"));
    }
  }

  static void informer() throws Exception {
    core.createNamespacedConfigMap(NAMESPACE, configMap("informed", "0")).execute();
    LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();
    SharedInformerFactory factory = new SharedInformerFactory(client);
    var informer = factory.sharedIndexInformerFor(
        params -> core.listNamespacedConfigMap(NAMESPACE).labelSelector("name=informed").resourceVersion(params.resourceVersion)
            .timeoutSeconds(params.timeoutSeconds).watch(params.watch).buildCall(null),
        V1ConfigMap.class, V1ConfigMapList.class);
    informer.addEventHandler(new ResourceEventHandler<V1ConfigMap>() {
      public void onAdd(V1ConfigMap map) {
        seen.add("added " + map.getData().get("n"));
      }

      public void onUpdate(V1ConfigMap old, V1ConfigMap map) {
        seen.add("updated " + map.getData().get("n"));
      }

      public void onDelete(V1ConfigMap map, boolean unknown) {
        seen.add("deleted " + map.getData().get("n"));
      }
    });
    factory.startAllRegisteredInformers();
    same(seen.poll(15, TimeUnit.SECONDS), "added 0");
    core.replaceNamespacedConfigMap("informed", NAMESPACE, configMap("informed", "1")).execute();
    same(seen.poll(15, TimeUnit.SECONDS), "updated 1");
    core.deleteNamespacedConfigMap("informed", NAMESPACE).execute();
    same(seen.poll(15, TimeUnit.SECONDS), "deleted 1");
    factory.stopAllRegisteredInformers();
  }

  static void protobuf() throws Exception {
    ProtoClient protobuf = new ProtoClient(client);
    String path = "/api/v1/namespaces/" + NAMESPACE + "/configmaps";
    V1.ConfigMap body = V1.ConfigMap.newBuilder().setMetadata(Meta.ObjectMeta.newBuilder().setName("binary")).putData("n", "0").build();
    V1.ConfigMap created = protobuf.create(body, path, "v1", "ConfigMap").object;
    same(created.getDataMap(), Map.of("n", "0"));
    V1.ConfigMap next = created.toBuilder().putData("n", "1").build();
    same(protobuf.update(next, path + "/binary", "v1", "ConfigMap").object.getDataMap(), Map.of("n", "1"));
    same(protobuf.update(next, path + "/binary", "v1", "ConfigMap").status.getReason(), "Conflict");
    ProtoClient.ObjectOrStatus<V1.ConfigMapList> list = protobuf.list(V1.ConfigMapList.newBuilder(), path);
    same(list.object.getItemsList().stream().anyMatch(item -> item.getMetadata().getName().equals("binary")), true);
  }

  static void dynamic() throws Exception {
    DynamicKubernetesApi maps = new DynamicKubernetesApi("", "v1", "configmaps", client);
    core.createNamespacedConfigMap(NAMESPACE, configMap("loose", "0")).execute();
    var found = maps.get(NAMESPACE, "loose").throwsApiException().getObject();
    same(List.of(found.getKind(), found.getRaw().getAsJsonObject("data").get("n").getAsString()), List.of("ConfigMap", "0"));
    same(maps.get(NAMESPACE, "absent").getStatus().getReason(), "NotFound");
    same(maps.delete(NAMESPACE, "loose").isSuccess(), true);
  }

  /** The models refuse fields that they do not know. */
  static void objects(String file) throws Exception {
    for (String document : Files.readString(Path.of(file)).replace("python-kinds", "default").split("\n---\n")) {
      Object created = Yaml.createResource(client, document);
      if (!created.getClass().getSimpleName().endsWith((String) created.getClass().getMethod("getKind").invoke(created)))
        throw new AssertionError(created.toString());
    }
  }
}
