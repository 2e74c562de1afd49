package io.coxswain;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Where the command is: what COXSWAIN_EXECUTABLE names, else what a platform's jar carries, else {@code coxswain} on PATH. */
final class Executable {
  static final String VARIABLE = "COXSWAIN_EXECUTABLE";

  /** {@code $XDG_CACHE_HOME} or {@code ~/.cache}: what was extracted is there for later runs. */
  static final Path CACHE = Optional.ofNullable(System.getenv("XDG_CACHE_HOME"))
      .map(Path::of)
      .filter(Path::isAbsolute)
      .orElseGet(() -> Path.of(System.getProperty("user.home"), ".cache"))
      .resolve("coxswain");

  private static final FileAttribute<Set<PosixFilePermission>> ONLY_OWNER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private static final Set<PosixFilePermission> WRITABLE_BY_OTHERS =
      Set.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

  private Executable() {}

  static Path find(Map<String, String> environment, Path cache) {
    return find(environment, Executable.class.getResource("/io/coxswain/executable/" + platform() + "/coxswain"), cache);
  }

  /** @param carried the executable in a platform's jar, with its checksum beside it; null when there is no such jar */
  static Path find(Map<String, String> environment, URL carried, Path cache) {
    String named = environment.getOrDefault(VARIABLE, "");
    if (!named.isEmpty()) {
      if (isExecutable(Path.of(named))) return Path.of(named);
      throw new ClusterException(VARIABLE + " names " + named + ", which is not an executable file");
    }
    if (carried != null) return extracted(carried, cache);
    return Stream.of(environment.getOrDefault("PATH", "").split(File.pathSeparator))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, "coxswain"))
        .filter(Executable::isExecutable)
        .findFirst()
        .orElseThrow(() -> new ClusterException("there is no coxswain to run: " + VARIABLE + " is not set, the class path has no"
            + " io.coxswain:coxswain-executable-" + platform() + ", and there is no coxswain on PATH"
            + " (`npm install --global coxswain` puts one there)"));
  }

  /** As the artifacts are named: {@code linux-x86_64}. */
  static String platform() {
    String system = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac") ? "darwin" : "linux";
    String machine = System.getProperty("os.arch");
    return system + "-" + (machine.equals("amd64") ? "x86_64" : machine);
  }

  /** Copied once into a folder that only this user can write to; whole and checked before it has its name. */
  private static Path extracted(URL carried, Path cache) {
    try {
      String checksum = checksum(carried);
      Path target = cache.resolve("executable-" + checksum).resolve("coxswain");
      Path folder = Files.createDirectories(target.getParent(), ONLY_OWNER);
      if (!Collections.disjoint(Files.getPosixFilePermissions(folder), WRITABLE_BY_OTHERS))
        throw new ClusterException(folder + " can be written to by other users, who could put another program there");
      if (isExecutable(target)) return target;
      Path unfinished = Files.createTempFile(folder, "unfinished-", "", ONLY_OWNER);
      try {
        String copied = copy(carried, unfinished);
        if (!copied.equals(checksum))
          throw new ClusterException(carried + " has the checksum " + copied + ", and its jar says " + checksum);
        // Of two that extract at once the second replaces the first's by the same bytes; who runs the first's goes on with it.
        Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Files.deleteIfExists(unfinished);
      }
      return target;
    } catch (IOException error) {
      throw new UncheckedIOException("the executable of coxswain could not be extracted into " + cache, error);
    }
  }

  private static String checksum(URL carried) throws IOException {
    try (InputStream stream = new URL(carried + ".sha256").openStream()) {
      String checksum = new String(stream.readAllBytes(), StandardCharsets.US_ASCII).strip();
      if (!checksum.matches("[0-9a-f]{64}")) throw new ClusterException(carried + ".sha256 has no checksum");
      return checksum;
    }
  }

  private static String copy(URL from, Path to) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException error) {
      throw new IllegalStateException("every Java has SHA-256", error);
    }
    try (InputStream in = from.openStream(); OutputStream out = new DigestOutputStream(Files.newOutputStream(to), digest)) {
      in.transferTo(out);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static boolean isExecutable(Path path) {
    return Files.isRegularFile(path) && Files.isExecutable(path);
  }
}
