/** Probes and hooks of simulated containers, answered without a socket. */
import type { Dial, DialTarget } from "../probes/dial.ts";
import type { Container } from "./container.ts";
import { answer } from "./web-server.ts";

/** Undefined: there is no such container. */
export function simulatedDial(find: (containerId: string) => Container | undefined): Dial {
  const reach = (target: Pick<DialTarget, "containerId" | "host" | "port">): Container => {
    const container = find(target.containerId);
    const isListening = container?.health === "well" || container?.health === "unwell";
    if (container !== undefined && isListening) return container;
    throw new Error(`dial tcp ${joined(target.host, target.port)}: connect: connection refused`);
  };
  return {
    async http({ containerId, url }) {
      const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
      const container = reach({ containerId, host: url.hostname.replace(/^\[|\]$/g, ""), port });
      const { status, body = "", location } = answer(container, { method: "GET", path: url.pathname + url.search, port });
      return { status, body, ...(location === undefined ? {} : { location }) };
    },
    async tcp(target) {
      reach(target);
    },
    async grpc(target) {
      try {
        return { kind: "answered", status: reach(target).health === "well" ? "SERVING" : "NOT_SERVING" };
      } catch {
        return { kind: "unreachable", reason: undefined };
      }
    },
  };
}

const joined = (host: string, port: number): string => (host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`);
