package io.coxswain.junit5;

import io.coxswain.Cluster;
import io.coxswain.junit5.CoxswainTest.Sharing;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.platform.commons.support.AnnotationSupport;

/** Does what {@link CoxswainTest} says; with {@code @ExtendWith} alone, as an annotation without values would. */
public final class CoxswainExtension implements ParameterResolver, TestExecutionExceptionHandler {
  private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(CoxswainExtension.class);
  private static final String ARGS_PARAMETER = "coxswain.args";

  // Names, because few projects have both clients on the class path.
  private static final String OFFICIAL_TYPE = "io.kubernetes.client.openapi.ApiClient";
  private static final Set<String> FABRIC8_TYPES = Set.of(
      "io.fabric8.kubernetes.client.Config",
      "io.fabric8.kubernetes.client.KubernetesClient",
      "io.fabric8.kubernetes.client.NamespacedKubernetesClient");

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    if (parameter.isAnnotated(KubernetesNamespace.class)) return type == String.class;
    if (parameter.isAnnotated(Kubeconfig.class)) return type == Path.class;
    return type == Cluster.class || FABRIC8_TYPES.contains(type.getName()) || OFFICIAL_TYPE.equals(type.getName());
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    // What closes last has to be made first: the cluster, then the namespace, then clients.
    Cluster cluster = cluster(context);
    if (type == Cluster.class) return cluster;
    if (OFFICIAL_TYPE.equals(type.getName()))
      return ofThisContext(context, OfficialClients.class, key -> new OfficialClients(cluster)).client();
    String namespace = namespace(context, cluster);
    if (type == String.class) return namespace;
    if (type == Path.class) return cluster.kubeconfig(namespace);
    Fabric8Clients clients = ofThisContext(context, Fabric8Clients.class, key -> new Fabric8Clients(cluster, namespace));
    return type.isInstance(clients.config()) ? clients.config() : clients.client();
  }

  /** A server that is gone explains a failure better than the connection that a client misses. */
  @Override
  public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
    StoredCluster cluster = owner(context).getStore(NAMESPACE).get(clusterKey(context), StoredCluster.class);
    if (cluster != null && !cluster.cluster().isRunning())
      failure.addSuppressed(new IllegalStateException("coxswain has ended; the end of its log:\n" + cluster.cluster().log()));
    throw failure;
  }

  private static Cluster cluster(ExtensionContext context) {
    String[] args = args(context).toArray(String[]::new);
    return owner(context)
        .getStore(NAMESPACE)
        .getOrComputeIfAbsent(clusterKey(context), key -> new StoredCluster(Cluster.start(args)), StoredCluster.class)
        .cluster();
  }

  private static String namespace(ExtensionContext context, Cluster cluster) {
    String title = context.getTestMethod().map(Method::getName).orElse(context.getRequiredTestClass().getSimpleName());
    return ofThisContext(context, StoredNamespace.class, key -> new StoredNamespace(cluster.createNamespace(title))).namespace().name();
  }

  /** Made for a test or a class, and closed with it, last made first. A store also finds what its parents have: the key says whose it is. */
  private static <T extends AutoCloseable> T ofThisContext(ExtensionContext context, Class<T> type, Function<String, T> create) {
    return context.getStore(NAMESPACE).getOrComputeIfAbsent(type.getSimpleName() + context.getUniqueId(), create, type);
  }

  /** The context that the cluster lives as long as. */
  private static ExtensionContext owner(ExtensionContext context) {
    return switch (sharing(context)) {
      case RUN -> context.getRoot();
      case CLASS -> annotated(context);
      case METHOD -> {
        if (context.getTestMethod().isEmpty())
          throw new ParameterResolutionException("each test has a cluster of its own: there is none in @BeforeAll and constructors");
        yield context;
      }
    };
  }

  private static String clusterKey(ExtensionContext context) {
    return owner(context).getUniqueId() + "\0" + String.join("\0", args(context));
  }

  private static List<String> args(ExtensionContext context) {
    List<String> own = annotation(context).map(found -> List.of(found.args())).orElse(List.of());
    if (!own.isEmpty()) return own;
    return context.getConfigurationParameter(ARGS_PARAMETER)
        .map(text -> Arrays.stream(text.trim().split("\\s+")).filter(arg -> !arg.isEmpty()).toList())
        .orElse(List.of());
  }

  private static Sharing sharing(ExtensionContext context) {
    return annotation(context).map(CoxswainTest::cluster).orElse(Sharing.RUN);
  }

  private static Optional<CoxswainTest> annotation(ExtensionContext context) {
    return AnnotationSupport.findAnnotation(annotated(context).getTestClass(), CoxswainTest.class);
  }

  /** The context of the nearest class with the annotation: nested classes have their outer class's cluster. */
  private static ExtensionContext annotated(ExtensionContext context) {
    ExtensionContext outermost = null;
    for (ExtensionContext one = context; one.getTestClass().isPresent(); one = one.getParent().orElseThrow()) {
      if (one.getTestMethod().isPresent()) continue;
      if (AnnotationSupport.isAnnotated(one.getTestClass(), CoxswainTest.class)) return one;
      outermost = one;
    }
    if (outermost == null) throw new IllegalStateException("parameters belong to classes");
    return outermost;
  }

  private record StoredCluster(Cluster cluster) implements AutoCloseable {
    @Override
    public void close() {
      cluster.close();
    }
  }

  private record StoredNamespace(Cluster.Namespace namespace) implements AutoCloseable {
    @Override
    public void close() {
      namespace.close();
    }
  }
}
