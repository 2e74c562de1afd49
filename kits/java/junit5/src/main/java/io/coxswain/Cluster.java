package io.coxswain;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/**
 * A Kubernetes control plane in a process of its own; it is ready when {@link #start} returns.
 *
 * <p>Nothing of it is kept: its state is in memory, its kubeconfig in a temporary folder that the server removes. It ends with
 * {@link #close}, and with this process, even if that is killed.
 */
public final class Cluster implements AutoCloseable {
  private static final Duration START_TIMEOUT = Duration.ofSeconds(60);
  private static final List<String> FIXED = List.of("--ephemeral", "--port=0", "--output=json", "--stop-on-stdin-close");
  private static final Set<String> CHOOSES_NODES = Set.of("--runtime", "--apiserver-only", "--no-node");
  private static final int LONGEST_NAME = 63;

  private final ServerProcess process;
  private final Access access;

  private Cluster(ServerProcess process, Access access) {
    this.process = process;
    this.access = access;
  }

  /**
   * Starts one and waits until it is ready. Its Pods run on simulated nodes, unless the options say otherwise.
   *
   * @param args options of {@code coxswain}, such as {@code --apiserver-only} or {@code --nodes=3}
   * @throws ClusterException when there is no command, or it does not start; the message has the end of its log
   */
  public static Cluster start(String... args) {
    return start(Executable.find(System.getenv(), Executable.CACHE), START_TIMEOUT, args);
  }

  static Cluster start(Path executable, Duration timeout, String... args) {
    List<String> command = new ArrayList<>(List.of(executable.toString()));
    command.addAll(FIXED);
    command.addAll(withSimulatedNodes(List.of(args)));
    ServerProcess process = ServerProcess.start(command, timeout);
    try {
      return new Cluster(process, Access.parse(Files.readString(process.started().kubeconfig())));
    } catch (IOException error) {
      process.close();
      throw new UncheckedIOException(error);
    } catch (ClusterException error) {
      process.close();
      throw error;
    }
  }

  /** Its URL, {@code https://127.0.0.1:PORT}. */
  public URI server() {
    return process.started().server();
  }

  /** The administrator's kubeconfig; it is gone after {@link #close}. */
  public Path kubeconfig() {
    return process.started().kubeconfig();
  }

  /** Of the server. */
  public long pid() {
    return process.started().pid();
  }

  /** Of coxswain. */
  public String version() {
    return process.started().version();
  }

  public boolean isRunning() {
    return process.isRunning();
  }

  /** The last lines that the server has logged. */
  public String log() {
    return process.log();
  }

  /** Creates a namespace that nobody else has, whose name starts like {@code prefix} as far as names may. */
  public Namespace createNamespace(String prefix) {
    String name = uniqueName(prefix);
    access.createNamespace(name);
    return new Namespace(name);
  }

  /**
   * Writes a kubeconfig of the administrator in which the namespace is the one that commands use by default. It stands beside the
   * one of the cluster, and is gone with it.
   */
  public Path kubeconfig(String namespace) {
    Path path = kubeconfig().resolveSibling("kubeconfig-" + namespace);
    try {
      if (Files.notExists(path))
        Files.createFile(path, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      return Files.writeString(path, access.kubeconfig(namespace));
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  /**
   * Ends it and waits until it has cleaned up; more than once is no error.
   *
   * @throws ClusterException with the end of the log when the server had ended before, or did not end in order
   */
  @Override
  public void close() {
    process.close();
  }

  @Override
  public String toString() {
    return "Cluster[" + server() + "]";
  }

  /** A namespace that is deleted when it is closed, without waiting for its objects to be gone. */
  public final class Namespace implements AutoCloseable {
    private final String name;

    private Namespace(String name) {
      this.name = name;
    }

    public String name() {
      return name;
    }

    @Override
    public void close() {
      access.deleteNamespace(name);
    }
  }

  static String uniqueName(String prefix) {
    String suffix = UUID.randomUUID().toString().replace("-", "").substring(0, 10);
    String letters = prefix.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    String stem = letters.substring(0, Math.min(letters.length(), LONGEST_NAME - suffix.length() - 1)).replaceAll("^-+|-+$", "");
    return (stem.isEmpty() ? "test" : stem) + "-" + suffix;
  }

  /** By itself coxswain takes what runs containers on this machine, if anything does: tests should not depend on that. */
  static List<String> withSimulatedNodes(List<String> args) {
    if (args.stream().anyMatch(arg -> CHOOSES_NODES.contains(arg.split("=", 2)[0]))) return args;
    List<String> all = new ArrayList<>(List.of("--runtime=simulated"));
    all.addAll(args);
    return all;
  }
}
