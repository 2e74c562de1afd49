import { goQuote } from "@coxswain/machinery";
import type { ContainerPort, PodSpec } from "@coxswain/types/core-v1";
import { visitContainers } from "../../pod-spec/visit-containers.ts";

interface Placed {
  readonly path: string;
  readonly port: ContainerPort;
}

/** Ports that are named twice, in one container or in several. */
export function portWarnings(path: string, spec: Readonly<PodSpec>): string[] {
  const out: string[] = [];
  const placed = new Map<string, Placed[]>();
  visitContainers(spec, path, ({ ports }, at) => {
    ports?.forEach((port, i) => {
      const here = { path: `${at}.ports[${i}]`, port };
      if (port.hostIP && !port.hostPort) out.push(`${here.path}: hostIP set without hostPort: ${asGo(port)}`);
      const key = `${port.containerPort}/${port.protocol}`;
      const others = placed.get(key) ?? [];
      for (const other of others) {
        const clash = clashOf(port, other.port);
        if (clash !== undefined) out.push(`${here.path}: ${clash} port definition with ${other.path}`);
      }
      placed.set(key, [...others, here]);
    });
  });
  return out;
}

/** Who asks for a port by its name gets the first. */
export function portNameWarnings(path: string, spec: Readonly<PodSpec>): string[] {
  const out: string[] = [];
  const first = new Map<string, string>();
  visitContainers(spec, path, ({ ports }, at) => {
    ports?.forEach(({ name }, i) => {
      if (!name) return;
      const here = `${at}.ports[${i}]`;
      const other = first.get(name);
      if (other === undefined) first.set(name, here);
      else
        out.push(
          `${here}: duplicate port name ${goQuote(name)} with ${other}, services and probes that select ports by name will use ${other}`,
        );
    });
  });
  return out;
}

function clashOf(a: ContainerPort, b: ContainerPort): "duplicate" | "overlapping" | "dangerously ambiguous" | undefined {
  const [aIp, bIp, aPort, bPort] = [a.hostIP ?? "", b.hostIP ?? "", a.hostPort ?? 0, b.hostPort ?? 0];
  if (aIp === bIp && aPort === bPort) return "duplicate";
  if (aPort === 0 || bPort === 0) return "overlapping";
  return aPort === bPort && (aIp === "") !== (bIp === "") ? "dangerously ambiguous" : undefined;
}

/** As Go's %+v shows the struct. */
const asGo = ({ name = "", hostPort = 0, containerPort, protocol = "", hostIP = "" }: ContainerPort): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;
