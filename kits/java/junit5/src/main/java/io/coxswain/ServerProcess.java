package io.coxswain;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A server as a child process that ends with its parent: it stops when its standard input reaches its end. */
final class ServerProcess implements AutoCloseable {
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(15);
  private static final int LINES_KEPT = 200;
  private static final int LINES_IN_ERRORS = 30;

  private final Process process;
  private final Deque<String> log = new ArrayDeque<>();
  private final Thread logReader;
  private Started started;
  private boolean closed;

  private ServerProcess(Process process) {
    this.process = process;
    this.logReader = daemon("coxswain-log", this::readLog);
  }

  static ServerProcess start(List<String> command, Duration timeout) {
    Process process;
    try {
      process = new ProcessBuilder(command).start();
    } catch (IOException error) {
      throw new ClusterException(command.get(0) + " cannot be run: " + error.getMessage(), error);
    }
    ServerProcess server = new ServerProcess(process);
    try {
      server.started = server.waitUntilReady(timeout);
      return server;
    } catch (RuntimeException error) {
      process.destroyForcibly().onExit().join();
      throw error;
    }
  }

  Started started() {
    return started;
  }

  boolean isRunning() {
    return process.isAlive();
  }

  String log() {
    synchronized (log) {
      return String.join("\n", log);
    }
  }

  @Override
  public synchronized void close() {
    if (closed) return;
    closed = true;
    try {
      process.getOutputStream().close();
      if (!process.waitFor(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor();
        throw withLog("coxswain did not stop within " + STOP_TIMEOUT.toSeconds() + " s and was killed");
      }
      logReader.join();
    } catch (IOException error) {
      process.destroyForcibly();
      throw new ClusterException("the standard input of coxswain could not be closed", error);
    } catch (InterruptedException error) {
      // The server has been asked to stop, and does so while nobody waits for it.
      Thread.currentThread().interrupt();
      return;
    }
    if (process.exitValue() != 0) throw withLog("coxswain ended with " + process.exitValue());
  }

  ClusterException withLog(String problem) {
    String text;
    synchronized (log) {
      text = String.join("\n  ", log.stream().skip(Math.max(0, log.size() - LINES_IN_ERRORS)).toList());
    }
    return new ClusterException(text.isEmpty() ? problem : problem + "\n  " + text);
  }

  private Started waitUntilReady(Duration timeout) {
    CompletableFuture<String> line = new CompletableFuture<>();
    daemon("coxswain-start", () -> {
      try {
        line.complete(process.inputReader(StandardCharsets.UTF_8).readLine());
      } catch (IOException error) {
        line.completeExceptionally(error);
      }
    });
    try {
      String said = line.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (said == null) {
        int code = process.waitFor();
        logReader.join();
        throw withLog("coxswain ended with " + code + " before it was ready");
      }
      return Started.parse(said).orElseThrow(
          () -> withLog("coxswain printed \"" + said + "\", which is not what --output=json prints; is it older than this library?"));
    } catch (TimeoutException error) {
      throw withLog("coxswain was not ready within " + timeout.toMillis() + " ms");
    } catch (ExecutionException error) {
      throw new ClusterException("the output of coxswain could not be read", error.getCause());
    } catch (InterruptedException error) {
      Thread.currentThread().interrupt();
      throw new ClusterException("interrupted while coxswain started", error);
    }
  }

  /** Reads to the end, so that the server never waits for a reader. */
  private void readLog() {
    try (BufferedReader reader = new BufferedReader(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        synchronized (log) {
          log.addLast(line);
          if (log.size() > LINES_KEPT) log.removeFirst();
        }
      }
    } catch (IOException error) {
      synchronized (log) {
        log.addLast("the rest of the log could not be read: " + error.getMessage());
      }
    }
  }

  private static Thread daemon(String name, Runnable task) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
