package io.coxswain.junit5;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.coxswain.Cluster;
import io.coxswain.junit5.CoxswainTest.Sharing;
import io.kubernetes.client.openapi.ApiClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The extension, in runs of JUnit of their own. The classes that those run are not found by surefire: they are nested. */
class CoxswainExtensionTest {
  private record Seen(long pid, String namespace, Path kubeconfig) {}

  private static final ConcurrentLinkedQueue<Seen> SEEN = new ConcurrentLinkedQueue<>();

  private static EngineExecutionResults run(Class<?>... classes) {
    SEEN.clear();
    return EngineTestKit.engine("junit-jupiter")
        .selectors(List.of(classes).stream().map(one -> selectClass(one)).toArray(org.junit.platform.engine.DiscoverySelector[]::new))
        .configurationParameter("coxswain.args", "--apiserver-only")
        .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
        .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
        .execute();
  }

  private static Set<Long> servers() {
    return SEEN.stream().map(Seen::pid).collect(Collectors.toSet());
  }

  @Test
  void oneClusterServesARunAndEachTestHasItsNamespace() {
    run(First.class, Second.class).testEvents().assertStatistics(stats -> stats.succeeded(4).failed(0));
    assertEquals(1, servers().size());
    assertEquals(4, SEEN.stream().map(Seen::namespace).distinct().count());
    for (Seen seen : SEEN) {
      assertFalse(Files.exists(seen.kubeconfig()));
      assertFalse(ProcessHandle.of(seen.pid()).map(ProcessHandle::isAlive).orElse(false));
    }
  }

  @Test
  void aClassOfItsOwnHasAClusterOfItsOwnAndItsNestedClassesShareIt() {
    run(First.class, OwnCluster.class).testEvents().assertStatistics(stats -> stats.succeeded(4).failed(0));
    assertEquals(2, servers().size());
  }

  @Test
  void eachTestMayHaveACluster() {
    run(ClusterPerTest.class).testEvents().assertStatistics(stats -> stats.succeeded(2).failed(0));
    assertEquals(2, servers().size());
  }

  @Test
  void thereIsNoClusterOfATestBeforeThereIsATest() {
    EngineExecutionResults results = run(ClusterPerTestTooEarly.class);
    results.containerEvents().assertStatistics(stats -> stats.failed(1));
  }

  @Test
  void aClassHasANamespaceBesideThoseOfItsTests() {
    run(NamespaceOfClass.class).testEvents().assertStatistics(stats -> stats.succeeded(1).failed(0));
  }

  @Test
  void aServerThatIsGoneIsNamedInTheFailure() {
    EngineExecutionResults results = run(KillsItsServer.class);
    Throwable failure = results.testEvents().failed().list().get(0)
        .getRequiredPayload(org.junit.platform.engine.TestExecutionResult.class).getThrowable().orElseThrow();
    assertTrue(List.of(failure.getSuppressed()).stream().anyMatch(one -> one.getMessage().startsWith("coxswain has ended")), failure.toString());
  }

  @Test
  void withoutAClientOnTheClassPathTheRestWorks() throws Exception {
    // The extension's own class must not need classes of clients.
    ClassLoader without = new ClassLoader(getClass().getClassLoader()) {
      @Override
      protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.startsWith("io.fabric8.") || name.startsWith("io.kubernetes.")) throw new ClassNotFoundException(name);
        if (!name.equals(CoxswainExtension.class.getName())) return super.loadClass(name, resolve);
        try (var bytes = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
          byte[] read = bytes.readAllBytes();
          return defineClass(name, read, 0, read.length);
        } catch (java.io.IOException error) {
          throw new ClassNotFoundException(name, error);
        }
      }
    };
    Class<?> extension = Class.forName(CoxswainExtension.class.getName(), true, without);
    assertNotEquals(CoxswainExtension.class, extension);
    extension.getDeclaredConstructor().newInstance();
    assertThrows(ClassNotFoundException.class, () -> without.loadClass(ApiClient.class.getName()));
  }

  @CoxswainTest
  static class First {
    @Test
    void one(Cluster cluster, @KubernetesNamespace String namespace, @Kubeconfig Path kubeconfig) throws Exception {
      assertTrue(Files.readString(kubeconfig).contains("\"namespace\": \"" + namespace + "\""));
      SEEN.add(new Seen(cluster.pid(), namespace, kubeconfig));
    }

    @Test
    void two(Cluster cluster, @KubernetesNamespace String namespace, @Kubeconfig Path kubeconfig) {
      SEEN.add(new Seen(cluster.pid(), namespace, kubeconfig));
    }
  }

  static class Second extends First {}

  @CoxswainTest(cluster = Sharing.CLASS)
  static class OwnCluster {
    @Test
    void one(Cluster cluster) {
      SEEN.add(new Seen(cluster.pid(), null, null));
    }

    @Nested
    class Inner {
      @Test
      void two(Cluster cluster) {
        SEEN.add(new Seen(cluster.pid(), null, null));
      }
    }
  }

  @CoxswainTest(cluster = Sharing.METHOD)
  static class ClusterPerTest {
    @Test
    void one(Cluster cluster, @KubernetesNamespace String namespace) {
      SEEN.add(new Seen(cluster.pid(), namespace, null));
    }

    @Test
    void two(Cluster cluster, @KubernetesNamespace String namespace) {
      SEEN.add(new Seen(cluster.pid(), namespace, null));
    }
  }

  @CoxswainTest(cluster = Sharing.METHOD)
  static class ClusterPerTestTooEarly {
    @BeforeAll
    static void early(Cluster cluster) {}

    @Test
    void one() {}
  }

  @CoxswainTest
  static class NamespaceOfClass {
    private static String ofClass;
    private String ofTest;

    @BeforeAll
    static void forAll(@KubernetesNamespace String namespace) {
      ofClass = namespace;
    }

    @BeforeEach
    void forEach(@KubernetesNamespace String namespace) {
      ofTest = namespace;
    }

    @Test
    void one(@KubernetesNamespace String namespace) {
      assertEquals(ofTest, namespace);
      assertNotEquals(ofClass, namespace);
    }
  }

  @CoxswainTest(cluster = Sharing.CLASS)
  static class KillsItsServer {
    @Test
    void one(Cluster cluster) {
      ProcessHandle server = ProcessHandle.of(cluster.pid()).orElseThrow();
      server.destroyForcibly();
      server.onExit().join();
      throw new AssertionError("the server is gone");
    }
  }
}
