import type { coreV1 } from "@coxswain/api";
import { deepEqual } from "@coxswain/machinery";

export const configMapName = "kube-root-ca.crt";

const annotation = "kubernetes.io/description";
const description =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.";

export interface ObservedConfigMap {
  readonly current: coreV1.ConfigMap | undefined;
  /** PEM. */
  readonly rootCa: string;
}

export type ConfigMapPlan = { readonly do: "nothing" } | { readonly do: "create" | "update"; readonly configMap: coreV1.ConfigMap };

export function plan({ current, rootCa }: ObservedConfigMap): ConfigMapPlan {
  const configMap = nextConfigMap(current, rootCa);
  return configMap === undefined ? { do: "nothing" } : { do: current === undefined ? "create" : "update", configMap };
}

/** As it should be, given how it is; undefined when it is so. `rootCa` is PEM. */
export function nextConfigMap(current: coreV1.ConfigMap | undefined, rootCa: string): coreV1.ConfigMap | undefined {
  const data = { "ca.crt": rootCa };
  const annotations = current?.metadata?.annotations ?? {};
  // A description that a client changed stays, as long as there is one.
  if (current !== undefined && deepEqual(current.data, data) && (annotations[annotation] ?? "") !== "") return undefined;
  const metadata = { ...current?.metadata, name: configMapName, annotations: { ...annotations, [annotation]: description } };
  return { ...current, metadata, data };
}
