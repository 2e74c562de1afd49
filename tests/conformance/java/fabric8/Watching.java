import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Watches: live, resumed, reconnected, expired; and informers on top of them. */
class Watching {
  static Topic topic() {
    return new Topic("watching")
        .check("live, and resumed from a version", Watching::resumed)
        .check("the client goes on when the server ends the stream", Watching::reconnected)
        .check("bookmarks are no events", Watching::bookmarks)
        .check("an expired version ends the watch", Watching::expired)
        .check("waiting for a condition", Watching::condition)
        .check("an informer, its index and its cache", Watching::informer)
        .check("an informer of one object", Watching::single);
  }

  record Seen(String type, String n, String version) {}

  /** What a watch delivered, and why it ended. */
  static class Recorder implements Watcher<ConfigMap> {
    final LinkedBlockingQueue<Seen> events = new LinkedBlockingQueue<>();
    final CompletableFuture<WatcherException> closed = new CompletableFuture<>();

    public void eventReceived(Action action, ConfigMap map) {
      events.add(new Seen(action.name(), map.getData() == null ? null : map.getData().get("n"), map.getMetadata().getResourceVersion()));
    }

    public void onClose(WatcherException cause) {
      closed.complete(cause);
    }

    Seen next(String type, String n) throws InterruptedException {
      Seen seen = events.poll(20, TimeUnit.SECONDS);
      if (seen == null || !seen.type().equals(type) || !n.equals(seen.n())) throw new AssertionError(seen + " is not " + type + " " + n);
      return seen;
    }
  }

  static ListOptions from(String version, Long timeoutSeconds) {
    return new ListOptionsBuilder().withResourceVersion(version).withTimeoutSeconds(timeoutSeconds).withAllowWatchBookmarks(true).build();
  }

  static String now(NamespacedKubernetesClient client) {
    return client.configMaps().list(new ListOptionsBuilder().withLimit(1L).build()).getMetadata().getResourceVersion();
  }

  static ConfigMap change(NamespacedKubernetesClient client, String name, String n) {
    return client.configMaps().withName(name).edit(map -> new ConfigMapBuilder(map).addToData("n", n).build());
  }

  static void resumed(NamespacedKubernetesClient client) throws Exception {
    String before = now(client);
    Recorder first = new Recorder();
    Recorder second = new Recorder();
    String seen;
    try (var watch = client.configMaps().withLabel("name", "live").watch(from(before, null), first)) {
      client.configMaps().resource(Topic.configMap("live", "0")).create();
      seen = first.next("ADDED", "0").version();
      change(client, "live", "1");
      Topic.same(first.next("MODIFIED", "1").version(), client.configMaps().withName("live").get().getMetadata().getResourceVersion());
      client.configMaps().withName("live").delete();
      first.next("DELETED", "1");
    }
    try (var watch = client.configMaps().withLabel("name", "live").watch(from(seen, null), second)) {
      second.next("MODIFIED", "1");
      second.next("DELETED", "1");
    }
  }

  static void reconnected(NamespacedKubernetesClient client) throws Exception {
    client.configMaps().resource(Topic.configMap("again", "0")).create();
    Recorder recorder = new Recorder();
    try (var watch = client.configMaps().withName("again").watch(from(now(client), 1L), recorder)) {
      // This client takes a stream that ends after a second without an event for a refusal, so each has one.
      for (int i = 1; i <= 3; i++) {
        change(client, "again", String.valueOf(i));
        recorder.next("MODIFIED", String.valueOf(i));
        Thread.sleep(1500);
      }
      Topic.same(List.copyOf(recorder.events), List.of());
    }
  }

  static void bookmarks(NamespacedKubernetesClient client) throws Exception {
    client.configMaps().resource(Topic.configMap("marked", "0")).create();
    Recorder recorder = new Recorder();
    ListOptions initial = new ListOptionsBuilder().withSendInitialEvents(true).withResourceVersionMatch("NotOlderThan")
        .withAllowWatchBookmarks(true).build();
    try (var watch = client.configMaps().withLabel("name", "marked").watch(initial, recorder)) {
      recorder.next("ADDED", "0");
      Seen mark = recorder.events.poll(20, TimeUnit.SECONDS);
      Topic.same(mark == null ? null : mark.type(), "BOOKMARK");
      change(client, "marked", "1");
      recorder.next("MODIFIED", "1");
    }
  }

  static void expired(NamespacedKubernetesClient client) throws Exception {
    Recorder recorder = new Recorder();
    try (var watch = client.configMaps().watch(from("1", null), recorder)) {
      WatcherException cause = recorder.closed.get(20, TimeUnit.SECONDS);
      Topic.same(cause == null ? null : cause.isHttpGone(), true);
      if (!cause.getMessage().contains("too old resource version: 1 (")) throw new AssertionError(cause.getMessage());
    }
  }

  static void condition(NamespacedKubernetesClient client) {
    client.configMaps().resource(Topic.configMap("awaited", "0")).create();
    var later = CompletableFuture.runAsync(() -> change(client, "awaited", "1"));
    ConfigMap found = client.configMaps().withName("awaited")
        .waitUntilCondition(map -> map != null && "1".equals(map.getData().get("n")), 20, TimeUnit.SECONDS);
    later.join();
    Topic.same(found, client.configMaps().withName("awaited").get());
  }

  static class Handler implements ResourceEventHandler<ConfigMap> {
    final LinkedBlockingQueue<String> seen = new LinkedBlockingQueue<>();

    public void onAdd(ConfigMap map) {
      seen.add("added " + map.getMetadata().getName());
    }

    public void onUpdate(ConfigMap old, ConfigMap map) {
      seen.add("updated " + map.getMetadata().getName() + " " + old.getData().get("n") + " " + map.getData().get("n"));
    }

    public void onDelete(ConfigMap map, boolean unknown) {
      seen.add("deleted " + map.getMetadata().getName() + " " + map.getData().get("n"));
    }

    void next(String expected) throws InterruptedException {
      Topic.same(seen.poll(20, TimeUnit.SECONDS), expected);
    }
  }

  static ConfigMap watched(String name, String n) {
    ConfigMap map = Topic.configMap(name, n);
    map.getMetadata().setLabels(Map.of("set", "informed"));
    return map;
  }

  static void informer(NamespacedKubernetesClient client) throws Exception {
    client.configMaps().resource(watched("informed-a", "0")).create();
    Handler handler = new Handler();
    try (var informer = client.configMaps().withLabel("set", "informed").runnableInformer(0)) {
      informer.addIndexers(Map.of("n", map -> List.of(map.getData().get("n"))));
      informer.addEventHandler(handler);
      informer.start().toCompletableFuture().get(20, TimeUnit.SECONDS);
      handler.next("added informed-a");
      Topic.same(List.of(informer.hasSynced(), informer.isWatching()), List.of(true, true));
      client.configMaps().resource(watched("informed-b", "0")).create();
      handler.next("added informed-b");
      Topic.same(informer.getIndexer().byIndex("n", "0").size(), 2);
      ConfigMap changed = change(client, "informed-a", "1");
      handler.next("updated informed-a 0 1");
      Topic.same(informer.getIndexer().byIndex("n", "1"), List.of(changed));
      // An object that no longer fits the selector is gone for the informer.
      client.configMaps().withName("informed-b")
          .edit(map -> new ConfigMapBuilder(map).editMetadata().withLabels(Map.of()).endMetadata().build());
      handler.next("deleted informed-b 0");
      client.configMaps().withName("informed-a").delete();
      handler.next("deleted informed-a 1");
      Topic.same(informer.getStore().list(), List.of());
    }
  }

  static void single(NamespacedKubernetesClient client) throws Exception {
    Handler handler = new Handler();
    try (var informer = client.configMaps().withName("lone").inform(handler)) {
      client.configMaps().resource(Topic.configMap("other", "0")).create();
      client.configMaps().resource(Topic.configMap("lone", "0")).create();
      handler.next("added lone");
      client.configMaps().withName("lone").delete();
      handler.next("deleted lone 0");
    }
  }
}
