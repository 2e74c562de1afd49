/**
 * Which tracked UDP connections go to an endpoint that serves no more. Without an end of their own they would go on as long as
 * packets come, to nobody.
 */
import { parseIp } from "@coxswain/machinery";
import type { IpFamily } from "../contracts/ip-family.ts";
import type { ObservedService } from "../ruleset/service-rules.ts";
import { endpointKey, endpointsOf } from "../services/endpoint.ts";
import { canonicalIp, servicePortsOf } from "../services/service-port.ts";

/** A tracked connection: where it was going, and from where answers come. */
export interface ConntrackEntry {
  readonly source: string;
  readonly sourcePort: number;
  readonly destination: string;
  readonly destinationPort: number;
  readonly replySource: string;
  readonly replySourcePort: number;
}

/** Reads what `conntrack -L -p udp` prints; lines that are no connections of two addresses are left out. */
export const parseEntries = (text: string): readonly ConntrackEntry[] => text.split("\n").flatMap((line) => parseEntry(line) ?? []);

/** Services without serving endpoints keep theirs: there is nothing better to go to. */
export function staleEntries(
  entries: readonly ConntrackEntry[],
  services: Iterable<ObservedService>,
  family: IpFamily,
): readonly ConntrackEntry[] {
  const byAddress = new Map<string, ReadonlySet<string>>();
  const byNodePort = new Map<number, ReadonlySet<string>>();
  for (const { service, slices } of services) {
    const ports = servicePortsOf(service, family).filter(({ protocol }) => protocol === "udp");
    if (ports.length === 0) continue;
    const endpoints = endpointsOf(slices, family, "");
    for (const port of ports) {
      const serving = new Set(
        (endpoints.get(endpointKey(port)) ?? []).filter((one) => one.serving).map(({ ip, port: at }) => `${ip} ${at}`),
      );
      if (serving.size === 0) continue;
      for (const ip of [port.clusterIp, ...port.externalIps, ...port.loadBalancerVips]) byAddress.set(`${ip} ${port.port}`, serving);
      if (port.nodePort !== 0) byNodePort.set(port.nodePort, serving);
    }
  }
  return entries.filter(({ destination, destinationPort, replySource, replySourcePort }) => {
    const serving = byAddress.get(`${destination} ${destinationPort}`) ?? byNodePort.get(destinationPort);
    return serving !== undefined && !serving.has(`${replySource} ${replySourcePort}`);
  });
}

/** Each line has the fields of the packets that begin the connection, and then those of the answers. */
function parseEntry(line: string): ConntrackEntry | undefined {
  const fields = new Map<string, string[]>();
  for (const word of line.split(" ")) {
    const at = word.indexOf("=");
    if (at < 0) continue;
    const name = word.slice(0, at);
    fields.set(name, [...(fields.get(name) ?? []), word.slice(at + 1)]);
  }
  const [source, replySource] = fields.get("src") ?? [];
  const [destination] = fields.get("dst") ?? [];
  const [sourcePort, replySourcePort] = fields.get("sport") ?? [];
  const [destinationPort] = fields.get("dport") ?? [];
  if (![source, replySource, destination].every((ip) => ip !== undefined && parseIp(ip) !== undefined)) return undefined;
  return {
    source: canonicalIp(source ?? ""),
    sourcePort: Number(sourcePort),
    destination: canonicalIp(destination ?? ""),
    destinationPort: Number(destinationPort),
    replySource: canonicalIp(replySource ?? ""),
    replySourcePort: Number(replySourcePort),
  };
}
