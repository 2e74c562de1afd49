package io.coxswain;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The line that the command prints when it is ready: an object of strings and a number, as JSON. */
record Started(URI server, Path kubeconfig, long pid, String version) {
  static Optional<Started> parse(String line) {
    Optional<String> server = text(line, "server");
    Optional<String> kubeconfig = text(line, "kubeconfig");
    Optional<String> version = text(line, "version");
    Matcher pid = Pattern.compile("\"pid\":\\s*(\\d+)").matcher(line);
    if (server.isEmpty() || kubeconfig.isEmpty() || version.isEmpty() || !pid.find()) return Optional.empty();
    return Optional.of(new Started(URI.create(server.get()), Path.of(kubeconfig.get()), Long.parseLong(pid.group(1)), version.get()));
  }

  private static Optional<String> text(String line, String key) {
    Matcher found = Pattern.compile("\"" + key + "\":\\s*\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(line);
    return found.find() ? Optional.of(unescape(found.group(1))) : Optional.empty();
  }

  private static String unescape(String text) {
    return Pattern.compile("\\\\(u([0-9a-fA-F]{4})|.)").matcher(text).replaceAll(escape -> {
      if (escape.group(2) != null) return Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(escape.group(2), 16)));
      return Matcher.quoteReplacement(switch (escape.group(1)) {
        case "n" -> "\n";
        case "t" -> "\t";
        case "r" -> "\r";
        case "b" -> "\b";
        case "f" -> "\f";
        default -> escape.group(1);
      });
    });
  }
}
