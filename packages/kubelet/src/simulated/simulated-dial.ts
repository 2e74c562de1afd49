/** Probes and hooks of simulated containers, answered without a socket. */
import { type Dial, type DialTarget, joinHostPort } from "../probe/dial.ts";
import type { Container } from "./container.ts";
import { answer, splitPath } from "./web-server.ts";

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
      const headers = Object.fromEntries(call.headers.map(([name, value]) => [name.toLowerCase(), value]));
      const request = { method: "GET", ...splitPath(call.path), port: call.port, headers, body: "" };
      const { status, body = "", location } = await answer(reach(call), request);
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
