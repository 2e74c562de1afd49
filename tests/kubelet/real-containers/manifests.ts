/** Short ways to say what the tests' objects are. */
import type { coreV1 } from "@coxswain/api";
import type { Pod } from "./real-cluster.ts";

type PodSpec = NonNullable<Pod["spec"]>;
export type ContainerOf = Partial<coreV1.Container>;

/** With one container called `main`, which gets no more than a second to end. */
export function pod(
  name: string,
  container: ContainerOf,
  spec: Partial<PodSpec> = {},
  labels: Readonly<Record<string, string>> = {},
): object {
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default", labels }, spec: podSpec(container, spec) };
}

export function podSpec(container: ContainerOf, spec: Partial<PodSpec> = {}): object {
  return { terminationGracePeriodSeconds: 1, containers: [{ name: "main", ...container }], ...spec };
}

export const script = (text: string): Pick<ContainerOf, "command"> => ({ command: ["/bin/sh", "-c", text] });

export const isRunning = ({ status }: Pod): boolean => status?.phase === "Running";
export const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
export const mainOf = ({ status }: Pod): coreV1.ContainerStatus | undefined =>
  status?.containerStatuses?.find(({ name }) => name === "main");
export const hasEnded = ({ status }: Pod): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";
