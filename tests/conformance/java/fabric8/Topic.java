import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.NamespacedKubernetesClient;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Checks that share a namespace, which has the topic's name. They run at the same time, so each has objects of its own. */
record Topic(String name, Map<String, Check> checks) {
  interface Check {
    void run(NamespacedKubernetesClient client) throws Exception;
  }

  interface Attempt {
    void run() throws Exception;
  }

  Topic(String name) {
    this(name, new LinkedHashMap<>());
  }

  Topic check(String name, Check check) {
    checks.put(name, check);
    return this;
  }

  static void same(Object actual, Object expected) {
    if (!Objects.equals(actual, expected)) throw new AssertionError(actual + " is not " + expected);
  }

  /** Returns what the server said beyond its code, its reason, and a part of its message. */
  static Status refused(int code, String reason, String text, Attempt attempt) throws Exception {
    try {
      attempt.run();
    } catch (KubernetesClientException error) {
      Status status = error.getStatus();
      if (status == null) throw error;
      same(List.of(error.getCode(), status.getCode(), String.valueOf(status.getReason())), List.of(code, code, reason));
      if (!status.getMessage().contains(text)) throw new AssertionError(status.getMessage());
      return status;
    }
    throw new AssertionError("no " + code + " " + reason);
  }

  /** Its only label is its name, and its only entry is `n`. */
  static ConfigMap configMap(String name, String n) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).addToLabels("name", name).endMetadata().addToData("n", n).build();
  }
}
