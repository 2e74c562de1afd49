/** Services and Pods for tests. */
import type { Pod } from "../pods/pod-state.ts";
import type { Service } from "./membership.ts";

export const serviceOf = (spec: Service["spec"] = {}, metadata: Service["metadata"] = {}): Service => ({
  metadata: { namespace: "default", name: "web", uid: "service-1", creationTimestamp: "2026-01-01T00:00:00Z", ...metadata },
  spec: {
    clusterIP: "10.0.0.1",
    ipFamilies: ["IPv4"],
    selector: { app: "web" },
    ports: [{ name: "http", port: 80, targetPort: 8080, protocol: "TCP" }],
    ...spec,
  },
});

export interface PodOptions {
  readonly ready?: boolean;
  readonly phase?: string;
  readonly ips?: readonly string[];
  readonly going?: boolean;
  readonly spec?: Pod["spec"];
}

/** `n` is in its name, its uid and its address. */
export function podOf(n: number, { ready = true, phase = "Running", ips, going = false, spec }: PodOptions = {}): Pod {
  const podIPs = (ips ?? [`10.1.${n >> 8}.${n & 255}`]).map((ip) => ({ ip }));
  return {
    metadata: {
      namespace: "default",
      name: `web-${n}`,
      uid: `pod-${n}`,
      labels: { app: "web" },
      ...(going ? { deletionTimestamp: "2026-01-01T01:00:00Z" } : {}),
    },
    spec: { nodeName: "n1", containers: [{ name: "c", ports: [{ name: "web", containerPort: 3000, protocol: "TCP" }] }], ...spec },
    status: {
      phase,
      ...(podIPs[0] === undefined ? {} : { podIP: podIPs[0].ip }),
      podIPs,
      conditions: [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: "2026-01-01T00:10:00Z" }],
    },
  };
}
