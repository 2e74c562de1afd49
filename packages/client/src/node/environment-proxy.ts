/** Which proxy the environment names: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as Go programs read them. */
import { cidrContains, parseCidr, parseIp } from "@coxswain/machinery";

/** Undefined: none. */
export function environmentProxy(server: URL, env: Readonly<Record<string, string | undefined>>): string | undefined {
  const variable = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = env[variable] || env[variable.toLowerCase()] || "";
  const host = server.hostname.replace(/^\[|\]$/g, "");
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  if (proxy === "" || isLoopback(server)) return undefined;
  const exceptions = (env.NO_PROXY || env.no_proxy || "").split(",").map((one) => one.trim().toLowerCase());
  if (exceptions.some((exception) => excepts(exception, host, port))) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** On this machine. */
export const isLoopback = ({ hostname }: URL): boolean => /^(localhost|\[::1\]|127\.\d+\.\d+\.\d+)$/.test(hostname);

function excepts(exception: string, host: string, port: string): boolean {
  if (exception === "") return false;
  if (exception === "*") return true;
  const address = parseIp(host);
  const range = parseCidr(exception);
  if (range !== undefined) return address !== undefined && cidrContains(range, address);
  const { name, port: onlyPort } = splitPort(exception);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const bare = name.replace(/^\[|\]$/g, "");
  if (address !== undefined) return bare === host;
  if (bare.startsWith("*.") || bare.startsWith(".")) return host.endsWith(bare.replace(/^\*/, ""));
  return host === bare || host.endsWith(`.${bare}`);
}

/** What has one colon outside brackets is a name with a port; an IPv6 address has more of them. */
function splitPort(exception: string): { readonly name: string; readonly port?: string } {
  const [, inBrackets, portAfter] = /^(\[[^\]]*\])(?::(\d+))?$/.exec(exception) ?? [];
  if (inBrackets !== undefined) return portAfter === undefined ? { name: inBrackets } : { name: inBrackets, port: portAfter };
  const [name = "", port, ...more] = exception.split(":");
  return port === undefined || more.length > 0 ? { name: exception } : { name, port };
}
