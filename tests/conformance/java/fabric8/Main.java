import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Drives a server as operators in Java do. Prints one line for each check and exits with 1 when one fails. The arguments are a kubeconfig
 * file and YAML files whose objects are created.
 */
public class Main {
  public static void main(String[] args) throws Exception {
    List<String> manifests = Arrays.asList(args).subList(1, args.length);
    List<Topic> topics = List.of(
        Typed.topic(), Conflicts.topic(), Applying.topic(), Reading.topic(), Watching.topic(), Generic.topic(manifests), Election.topic());
    KubernetesClient client = new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(new File(args[0]))).build();
    ExecutorService pool = Executors.newFixedThreadPool(8);
    List<Future<String>> lines = new ArrayList<>();
    for (Topic topic : topics) {
      client.namespaces().resource(new NamespaceBuilder().withNewMetadata().withName(topic.name()).endMetadata().build()).create();
      NamespacedKubernetesClient inside = client.adapt(NamespacedKubernetesClient.class).inNamespace(topic.name());
      topic.checks().forEach((name, check) -> lines.add(pool.submit(() -> attempt(topic.name() + ": " + name, check, inside))));
    }
    boolean ok = true;
    for (Future<String> line : lines) {
      System.out.println(line.get());
      ok &= line.get().startsWith("ok ");
    }
    System.exit(ok ? 0 : 1);
  }

  static String attempt(String name, Topic.Check check, NamespacedKubernetesClient client) {
    try {
      check.run(client);
      return "ok   " + name;
    } catch (Throwable error) {
      List<StackTraceElement> own =
          Arrays.stream(error.getStackTrace()).filter(element -> !element.getClassName().contains(".")).limit(3).toList();
      return "FAIL " + name + ": " + String.valueOf(error).replace("\n", " ") + " at " + own;
    }
  }
}
