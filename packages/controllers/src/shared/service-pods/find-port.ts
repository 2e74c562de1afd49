import type { coreV1 } from "@coxswain/api";
import type { Pod } from "../pods/pod-state.ts";

/** Where a Pod listens for a port of a Service, which may name it; undefined when it does not. */
export function findPort(pod: Pod, { targetPort, port, protocol = "TCP" }: coreV1.ServicePort): number | undefined {
  if (targetPort === undefined) return port;
  if (typeof targetPort === "number") return targetPort;
  const { containers = [], initContainers = [] } = pod.spec ?? {};
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === "Always");
  const ports = [...containers, ...sidecars].flatMap((container) => container.ports ?? []);
  return ports.find((one) => one.name === targetPort && (one.protocol ?? "TCP") === protocol)?.containerPort;
}
