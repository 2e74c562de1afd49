package io.coxswain.junit5;

import io.coxswain.Cluster;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.Config;
import java.io.IOException;
import java.io.UncheckedIOException;

/** What the official client needs; the class is loaded only where a test asks for one. */
final class OfficialClients implements AutoCloseable {
  private final ApiClient client;

  OfficialClients(Cluster cluster) {
    try {
      client = Config.fromConfig(cluster.kubeconfig().toString());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  ApiClient client() {
    return client;
  }

  /** Its idle threads and connections would be there for minutes. */
  @Override
  public void close() {
    client.getHttpClient().dispatcher().executorService().shutdown();
    client.getHttpClient().connectionPool().evictAll();
  }
}
