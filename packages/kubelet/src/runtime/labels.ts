/** The labels by which what the runtime keeps is found again: those that all tools for container runtimes know. */
import type { PodIdentity } from "./runtime-config.ts";

/** The label of sandboxes and containers that holds their Pod's name. */
export const podNameLabel = "io.kubernetes.pod.name";
/** The label of sandboxes and containers that holds their Pod's namespace. */
export const podNamespaceLabel = "io.kubernetes.pod.namespace";
/** The label of sandboxes and containers that holds their Pod's uid. */
export const podUidLabel = "io.kubernetes.pod.uid";
/** The label of containers that holds their name in the Pod. */
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
