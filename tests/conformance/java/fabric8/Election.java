import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElector;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import java.time.Duration;
import java.time.ZonedDateTime;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Leader election: one leads, and the other follows it once it stops. */
class Election {
  static Topic topic() {
    return new Topic("election")
        .check("on a lease", Election::lease)
        .check("a leader that dies is followed", Election::died);
  }

  static LeaderElector candidate(
      NamespacedKubernetesClient client, String lock, String identity, boolean release, LinkedBlockingQueue<String> events) {
    LeaderCallbacks callbacks =
        new LeaderCallbacks(() -> events.add(identity + " leads"), () -> events.add(identity + " stops"), leader -> {});
    return client.leaderElector().withConfig(new LeaderElectionConfigBuilder().withName(lock).withReleaseOnCancel(release)
        .withLeaseDuration(Duration.ofSeconds(3)).withRenewDeadline(Duration.ofSeconds(2)).withRetryPeriod(Duration.ofMillis(200))
        .withLock(new LeaseLock("election", lock, identity)).withLeaderCallbacks(callbacks).build()).build();
  }

  static void next(LinkedBlockingQueue<String> events, String expected) throws InterruptedException {
    Topic.same(events.poll(20, TimeUnit.SECONDS), expected);
  }

  static void lease(NamespacedKubernetesClient client) throws Exception {
    LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
    var first = candidate(client, "released", "a", true, events).start();
    next(events, "a leads");
    var second = candidate(client, "released", "b", true, events).start();
    Lease held = client.leases().withName("released").get();
    Topic.same(held.getSpec().getHolderIdentity(), "a");
    Topic.same(events.poll(1, TimeUnit.SECONDS), null);
    first.cancel(true);
    next(events, "a stops");
    next(events, "b leads");
    Lease taken = client.leases().withName("released").get();
    Topic.same(taken.getSpec().getHolderIdentity(), "b");
    if (taken.getSpec().getRenewTime().isBefore(held.getSpec().getRenewTime())) throw new AssertionError(taken.toString());
    second.cancel(true);
    next(events, "b stops");
  }

  static void died(NamespacedKubernetesClient client) throws Exception {
    LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
    var first = candidate(client, "left", "a", false, events).start();
    next(events, "a leads");
    first.cancel(true);
    next(events, "a stops");
    Lease left = client.leases().withName("left").get();
    Topic.same(left.getSpec().getHolderIdentity(), "a");
    ZonedDateTime renewed = left.getSpec().getRenewTime();
    var second = candidate(client, "left", "b", true, events).start();
    next(events, "b leads");
    Lease taken = client.leases().withName("left").get();
    Topic.same(taken.getSpec().getHolderIdentity(), "b");
    if (!taken.getSpec().getRenewTime().isAfter(renewed.plusSeconds(2))) throw new AssertionError(taken.toString());
    second.cancel(true);
  }
}
