package io.coxswain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The life of a server, and what is said when it has none. */
class ClusterTest {
  @TempDir
  Path folder;

  /** A command of lines of shell, for what the real one does seldom. */
  private Path command(String lines) throws IOException {
    Path path = folder.resolve("coxswain");
    Files.writeString(path, "#!/bin/sh\n" + lines + "\n");
    return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx------"));
  }

  private String failure(String lines, Duration timeout, String... args) throws IOException {
    Path command = command(lines);
    return assertThrows(ClusterException.class, () -> Cluster.start(command, timeout, args)).getMessage();
  }

  @Test
  void nothingIsLeftOfIt() {
    Cluster cluster = Cluster.start("--apiserver-only");
    Path kubeconfig = cluster.kubeconfig();
    try (cluster; Cluster.Namespace namespace = cluster.createNamespace("first")) {
      assertTrue(namespace.name().startsWith("first-"));
      assertTrue(Files.isRegularFile(kubeconfig));
      Path own = cluster.kubeconfig(namespace.name());
      assertEquals("rw-------", permissions(own));
      assertTrue(cluster.isRunning());
    }
    assertFalse(Files.exists(kubeconfig.getParent()));
    assertFalse(ProcessHandle.of(cluster.pid()).map(ProcessHandle::isAlive).orElse(false));
    cluster.close();
  }

  @Test
  void oneThatWasKilledIsReported() {
    Cluster cluster = Cluster.start("--apiserver-only");
    ProcessHandle server = ProcessHandle.of(cluster.pid()).orElseThrow();
    server.destroyForcibly();
    server.onExit().join();
    assertTrue(assertThrows(ClusterException.class, cluster::close).getMessage().startsWith("coxswain ended with "));
    cluster.close();
  }

  /** The main program of a JVM that is killed. */
  static final class Starts {
    public static void main(String[] args) throws InterruptedException {
      Cluster cluster = Cluster.start("--runtime=simulated");
      System.out.println(cluster.pid() + " " + cluster.kubeconfig());
      Thread.sleep(Long.MAX_VALUE);
    }
  }

  @Test
  void aJvmThatIsKilledLeavesNothing() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    ProcessBuilder builder = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), Starts.class.getName());
    builder.environment().put("TMPDIR", folder.toString());
    builder.environment().put("NODE_DISABLE_COMPILE_CACHE", "1");
    Process jvm = builder.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String[] started = jvm.inputReader().readLine().split(" ", 2);
    ProcessHandle server = ProcessHandle.of(Long.parseLong(started[0])).orElseThrow();
    assertTrue(Path.of(started[1]).startsWith(folder));
    jvm.destroyForcibly().waitFor();
    server.onExit().join();
    try (var left = Files.list(folder)) {
      assertEquals(List.of(), left.toList());
    }
  }

  @Test
  void aRefusedOptionIsInTheError() {
    String message = assertThrows(ClusterException.class, () -> Cluster.start("--nonsense")).getMessage();
    assertTrue(message.contains("unknown option '--nonsense'"), message);
  }

  @Test
  void anEndBeforeItIsReadyShowsTheLog() throws IOException {
    assertEquals("coxswain ended with 3 before it was ready\n  no room", failure("echo no room >&2; exit 3", Duration.ofSeconds(30)));
  }

  @Test
  void aStartThatTakesTooLongIsEnded() throws IOException {
    assertEquals("coxswain was not ready within 200 ms", failure("exec sleep 600", Duration.ofMillis(200)));
    assertTrue(ProcessHandle.current().children().noneMatch(child -> child.info().command().orElse("").endsWith("sleep")));
  }

  @Test
  void anotherLineThanExpectedIsShown() throws IOException {
    String message = failure("echo coxswain 0.0.1; cat >/dev/null", Duration.ofSeconds(30));
    assertTrue(message.startsWith("coxswain printed \"coxswain 0.0.1\", which is not what"), message);
  }

  @Test
  void whatCannotBeRunIsNamed() {
    Path absent = folder.resolve("absent");
    String message = assertThrows(ClusterException.class, () -> Cluster.start(absent, Duration.ofSeconds(1))).getMessage();
    assertTrue(message.startsWith(absent + " cannot be run"), message);
  }

  @ParameterizedTest
  @CsvSource({
    "--nodes=3, --runtime=simulated --nodes=3",
    "--apiserver-only, --apiserver-only",
    "--runtime process, --runtime process",
    "--no-node, --no-node",
  })
  void nodesAreSimulatedUnlessSaidOtherwise(String args, String expected) {
    assertEquals(List.of(expected.split(" ")), Cluster.withSimulatedNodes(List.of(args.split(" "))));
  }

  @ParameterizedTest
  @CsvSource({"createsOne, createsone", "tests_[1]_A, tests-1-a", "--, test", "测试, test"})
  void namesOfNamespacesFollowThoseOfTests(String prefix, String stem) {
    assertTrue(Cluster.uniqueName(prefix).matches(stem + "-[0-9a-f]{10}"), Cluster.uniqueName(prefix));
    assertEquals(63, Cluster.uniqueName("x".repeat(100)).length());
    assertNotEquals(Cluster.uniqueName(prefix), Cluster.uniqueName(prefix));
  }

  @Test
  void theLineOfAStartIsJson() {
    String line = "{\"server\":\"https://127.0.0.1:1\",\"kubeconfig\":\"/a \\\"b\\\"\\u00e9\\\\n\",\"pid\":7,\"version\":\"1.2.3\"}";
    Started started = Started.parse(line).orElseThrow();
    assertEquals(Path.of("/a \"b\"é\\n"), started.kubeconfig());
    assertEquals(7, started.pid());
    assertTrue(Started.parse("{}").isEmpty());
  }

  private static String permissions(Path path) {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    } catch (IOException error) {
      throw new AssertionError(error);
    }
  }
}
