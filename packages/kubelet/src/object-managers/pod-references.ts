/** Which ConfigMaps and Secrets a Pod takes something from. */
import type { Container, Pod } from "../pod/pod.ts";

export interface Reference {
  readonly kind: "configmap" | "secret";
  readonly name: string;
}

/** Each once. */
export function referencesOf({ spec }: Pod): readonly Reference[] {
  const found = new Map<string, Reference>();
  const add = (kind: Reference["kind"], name: string | undefined): void => {
    if (name !== undefined && name !== "") found.set(`${kind}/${name}`, { kind, name });
  };
  for (const { name } of spec?.imagePullSecrets ?? []) add("secret", name);
  for (const container of allContainers(spec)) {
    for (const { configMapRef, secretRef } of container.envFrom ?? []) {
      add("configmap", configMapRef?.name);
      add("secret", secretRef?.name);
    }
    for (const { valueFrom } of container.env ?? []) {
      add("configmap", valueFrom?.configMapKeyRef?.name);
      add("secret", valueFrom?.secretKeyRef?.name);
    }
  }
  for (const { configMap, secret, projected } of spec?.volumes ?? []) {
    add("configmap", configMap?.name);
    add("secret", secret?.secretName);
    for (const source of projected?.sources ?? []) {
      add("configmap", source.configMap?.name);
      add("secret", source.secret?.name);
    }
  }
  return [...found.values()];
}

export const allContainers = (spec: Pod["spec"]): readonly Container[] => [
  ...(spec?.initContainers ?? []),
  ...(spec?.containers ?? []),
  ...(spec?.ephemeralContainers ?? []),
];
