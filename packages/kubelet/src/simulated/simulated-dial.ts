/** Probes and hooks of simulated containers, answered without a socket. */
import { type Dial, type DialTarget, joinHostPort } from "../probes/dial.ts";
import type { Container } from "./container.ts";
import { answer } from "./web-server.ts";

/** Undefined: there is no such container. */
export function simulatedDial(find: (containerId: string) => Container | undefined): Dial {
  const reach = (target: DialTarget): Container => {
    const container = find(target.containerId);
    const isListening = container?.health === "well" || container?.health === "unwell";
    if (container !== undefined && isListening) return container;
    throw new Error(`dial tcp ${joinHostPort(target.host, target.port)}: connect: connection refused`);
  };
  return {
    async http(call) {
      const { status, body = "", location } = answer(reach(call), { method: "GET", path: call.path, port: call.port });
      return { status, body, ...(location === undefined ? {} : { location }) };
    },
    async tcp(target) {
      reach(target);
    },
    async grpc(target) {
      try {
        return { kind: "answered", status: reach(target).health === "well" ? "SERVING" : "NOT_SERVING" };
      } catch {
        return { kind: "unreachable" };
      }
    },
  };
}
