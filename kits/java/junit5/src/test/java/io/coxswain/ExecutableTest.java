package io.coxswain;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which command runs. */
class ExecutableTest {
  private static final byte[] PROGRAM = "#!/bin/sh\nexit 0\n".getBytes();

  @TempDir
  Path folder;

  private Path program(String... names) throws IOException {
    Path path = Path.of(folder.toString(), names);
    Files.createDirectories(path.getParent());
    Files.write(path, PROGRAM);
    return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private URL carried(String checksum) throws IOException {
    Files.writeString(folder.resolve("coxswain.sha256"), checksum + "\n");
    return Files.write(folder.resolve("coxswain"), PROGRAM).toUri().toURL();
  }

  private static String sha256() throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(PROGRAM));
  }

  @Test
  void theVariableComesFirst() throws Exception {
    Path named = program("named");
    Map<String, String> environment = Map.of("COXSWAIN_EXECUTABLE", named.toString(), "PATH", program("bin", "coxswain").getParent().toString());
    assertEquals(named, Executable.find(environment, carried(sha256()), folder.resolve("cache")));
  }

  @Test
  void aVariableThatNamesNothingIsNoReasonToGoOn() throws Exception {
    Map<String, String> environment = Map.of("COXSWAIN_EXECUTABLE", "/absent", "PATH", program("bin", "coxswain").getParent().toString());
    ClusterException error = assertThrows(ClusterException.class, () -> Executable.find(environment, (URL) null, folder));
    assertTrue(error.getMessage().contains("COXSWAIN_EXECUTABLE names /absent"), error.getMessage());
  }

  @Test
  void whatAJarCarriesIsExtractedOnce() throws Exception {
    URL carried = carried(sha256());
    Map<String, String> environment = Map.of("PATH", program("bin", "coxswain").getParent().toString());
    Path extracted = Executable.find(environment, carried, folder.resolve("cache"));
    assertArrayEquals(PROGRAM, Files.readAllBytes(extracted));
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(extracted)));
    assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(extracted.getParent())));
    Files.delete(folder.resolve("coxswain"));
    assertEquals(extracted, Executable.find(environment, carried, folder.resolve("cache")));
  }

  @Test
  void whatIsNotWholeIsNotUsed() throws Exception {
    Path cache = folder.resolve("cache");
    URL carried = carried("0".repeat(64));
    ClusterException error = assertThrows(ClusterException.class, () -> Executable.find(Map.of(), carried, cache));
    assertTrue(error.getMessage().contains("has the checksum " + sha256()), error.getMessage());
    try (var left = Files.walk(cache)) {
      assertEquals(List.of(), left.filter(Files::isRegularFile).toList());
    }
  }

  @Test
  void aFolderThatOthersWriteToIsNotUsed() throws Exception {
    Path cache = folder.resolve("cache");
    URL carried = carried(sha256());
    Path extracted = Executable.find(Map.of(), carried, cache);
    Files.setPosixFilePermissions(extracted.getParent(), PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThrows(ClusterException.class, () -> Executable.find(Map.of(), carried, cache));
  }

  @Test
  void pathComesLast() throws Exception {
    Path onPath = program("bin", "coxswain");
    assertEquals(onPath, Executable.find(Map.of("PATH", "/absent:" + onPath.getParent()), (URL) null, folder));
  }

  @Test
  void theErrorNamesTheThreePlaces() {
    ClusterException error = assertThrows(ClusterException.class, () -> Executable.find(Map.of("PATH", "/absent"), (URL) null, folder));
    for (String place : List.of("COXSWAIN_EXECUTABLE", "coxswain-executable-", "PATH"))
      assertTrue(error.getMessage().contains(place), error.getMessage());
    assertFalse(Executable.platform().contains("amd64"));
  }
}
