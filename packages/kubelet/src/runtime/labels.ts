/** The labels by which what the runtime keeps is found again: those that all tools for container runtimes know. */
import type { PodIdentity } from "./runtime-config.ts";

export const podNameLabel = "io.kubernetes.pod.name";
export const podNamespaceLabel = "io.kubernetes.pod.namespace";
export const podUidLabel = "io.kubernetes.pod.uid";
export const containerNameLabel = "io.kubernetes.container.name";

/** Of a sandbox, and of each container in it. */
export function podLabels(pod: PodIdentity): Record<string, string> {
  return { [podNameLabel]: pod.name, [podNamespaceLabel]: pod.namespace, [podUidLabel]: pod.uid };
}

/** Whose it is; undefined for what no kubelet made. */
export function podOfLabels(labels: Readonly<Record<string, string>>): PodIdentity | undefined {
  const uid = labels[podUidLabel];
  const namespace = labels[podNamespaceLabel];
  const name = labels[podNameLabel];
  return uid === undefined || namespace === undefined || name === undefined ? undefined : { uid, namespace, name };
}
