import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import javax.naming.NameNotFoundException;
import javax.naming.directory.Attribute;
import javax.naming.directory.InitialDirContext;

/**
 * Prints for each argument a line: it, a tab, and what is found: names and `ptr:` as all Java programs do, `srv:`, `txt:` and `cname:` by
 * the DNS client that Java has in JNDI.
 */
class Lookup {
  public static void main(String[] arguments) throws Exception {
    for (String asked : arguments) System.out.println(asked + "\t" + String.join(" ", lookup(asked)));
  }

  static List<String> lookup(String asked) throws Exception {
    int colon = asked.indexOf(':');
    if (colon < 0) return addresses(asked);
    String kind = asked.substring(0, colon);
    String name = asked.substring(colon + 1);
    return kind.equals("ptr") ? nameOf(name) : records(kind.toUpperCase(), name);
  }

  static List<String> addresses(String name) {
    try {
      List<String> found = new ArrayList<>();
      for (InetAddress address : InetAddress.getAllByName(name)) found.add(shortened(address.getHostAddress()));
      return found;
    } catch (UnknownHostException error) {
      return List.of("nothing");
    }
  }

  /** Java writes the zeros of IPv6. */
  static String shortened(String address) {
    return address.replaceFirst("(:0)+:", "::");
  }

  static List<String> nameOf(String address) throws Exception {
    InetAddress found = InetAddress.getByName(address);
    String name = found.getCanonicalHostName();
    return List.of(name.equals(found.getHostAddress()) ? "nothing" : name);
  }

  static List<String> records(String type, String name) throws Exception {
    Hashtable<String, String> environment = new Hashtable<>();
    environment.put("java.naming.factory.initial", "com.sun.jndi.dns.DnsContextFactory");
    try {
      Attribute attribute = new InitialDirContext(environment).getAttributes(name, new String[] {type}).get(type);
      List<String> found = new ArrayList<>();
      for (int i = 0; attribute != null && i < attribute.size(); i++) found.add(text(type, (String) attribute.get(i)));
      return found.isEmpty() ? List.of("nothing") : found;
    } catch (NameNotFoundException error) {
      return List.of("nothing");
    }
  }

  static String text(String type, String data) {
    if (!type.equals("SRV")) return data.replaceFirst("\\.$", "");
    String[] parts = data.split(" ");
    return parts[3].replaceFirst("\\.$", "") + ":" + parts[2];
  }
}
