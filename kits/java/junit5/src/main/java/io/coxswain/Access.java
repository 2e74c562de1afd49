package io.coxswain;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** How the administrator reaches the server, and the few requests that this library itself makes. */
final class Access {
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(30);

  private final String server;
  private final String authority;
  private final String token;
  private final HttpClient http;

  private Access(String server, String authority, String token) {
    this.server = server;
    this.authority = authority;
    this.token = token;
    this.http = HttpClient.newBuilder().sslContext(trusting(Base64.getDecoder().decode(authority))).build();
  }

  /** Reads the kubeconfig that coxswain wrote, without a parser of YAML: the administrator's values stand on lines of their own. */
  static Access parse(String kubeconfig) {
    return new Access(value(kubeconfig, "server"), value(kubeconfig, "certificate-authority-data"), value(kubeconfig, "token"));
  }

  void createNamespace(String name) {
    HttpResponse<String> answer = send("POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"" + name + "\"}}");
    if (answer.statusCode() != 201) throw new ClusterException("the namespace " + name + " was not created: " + answer.body());
  }

  /** Returns once the deletion has begun; one that is gone is no error, nor one (409) that another deletes. */
  void deleteNamespace(String name) {
    HttpResponse<String> answer = send("DELETE", "/api/v1/namespaces/" + name, "");
    if (!Set.of(200, 202, 404, 409).contains(answer.statusCode()))
      throw new ClusterException("the namespace " + name + " was not deleted: " + answer.body());
  }

  /** JSON, which is YAML too. */
  String kubeconfig(String namespace) {
    return """
        {
          "apiVersion": "v1",
          "kind": "Config",
          "clusters": [{"name": "coxswain", "cluster": {"server": "%s", "certificate-authority-data": "%s"}}],
          "users": [{"name": "coxswain", "user": {"token": "%s"}}],
          "contexts": [{"name": "coxswain", "context": {"cluster": "coxswain", "user": "coxswain", "namespace": "%s"}}],
          "current-context": "coxswain"
        }
        """.formatted(server, authority, token, namespace);
  }

  private HttpResponse<String> send(String method, String path, String body) {
    HttpRequest request = HttpRequest.newBuilder(URI.create(server + path))
        .method(method, BodyPublishers.ofString(body))
        .header("Authorization", "Bearer " + token)
        .header("Content-Type", "application/json")
        .timeout(REQUEST_TIMEOUT)
        .build();
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (IOException error) {
      throw new ClusterException(method + " " + path + " at " + server + " failed: " + error.getMessage(), error);
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new ClusterException(method + " " + path + " was interrupted", error);
    }
  }

  private static String value(String kubeconfig, String key) {
    Matcher found = Pattern.compile("^\\s+" + key + ": \"?([^\"\\s]+)\"?$", Pattern.MULTILINE).matcher(kubeconfig);
    if (!found.find()) throw new ClusterException("the kubeconfig of coxswain has no " + key);
    return found.group(1);
  }

  private static SSLContext trusting(byte[] pem) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      store.setCertificateEntry("coxswain", CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem)));
      TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException error) {
      throw new ClusterException("the certificate authority of coxswain is not usable", error);
    }
  }
}
