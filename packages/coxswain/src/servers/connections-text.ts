import type { ApiServer } from "@coxswain/apiserver";
import { MetricsRegistry } from "@coxswain/machinery";

/** How the connections of clients are spread, in Prometheus' text format. @param number of the server in its process: the first is 1 */
export function connectionsText(number: number, { connections }: Pick<ApiServer, "connections">): string {
  const registry = new MetricsRegistry();
  const help = "Open connections of clients, by API server of the process.";
  registry.gauge("coxswain_server_connections", help, { server: String(number) }).set(connections());
  return registry.text();
}
