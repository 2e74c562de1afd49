package io.coxswain;

/** A cluster that does not start, does not do what it is asked, or does not end as it should. */
public final class ClusterException extends RuntimeException {
  private static final long serialVersionUID = 1;

  ClusterException(String message) {
    super(message);
  }

  ClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
