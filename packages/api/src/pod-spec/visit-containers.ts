import type { Container, EphemeralContainer, PodSpec } from "@coxswain/types/core-v1";

/** Calls `fn` for init, regular and ephemeral containers in the order in which Kubernetes reports on them. */
export function visitContainers(
  spec: Readonly<PodSpec>,
  path: string,
  fn: (container: Container | EphemeralContainer, path: string) => void,
): void {
  spec.initContainers?.forEach((c, i) => {
    fn(c, `${path}.initContainers[${i}]`);
  });
  (spec.containers ?? []).forEach((c, i) => {
    fn(c, `${path}.containers[${i}]`);
  });
  spec.ephemeralContainers?.forEach((c, i) => {
    fn(c, `${path}.ephemeralContainers[${i}]`);
  });
}

/** An init container that keeps running beside the others: a sidecar. */
export const isSidecar = (container: Readonly<Container>): boolean => container.restartPolicy === "Always";
