/** Volumes and claims are held by a finalizer until nobody uses them. */
import type { AdmissionPlugin } from "./admission.ts";

const finalizers: Readonly<Record<string, string>> = {
  PersistentVolume: "kubernetes.io/pv-protection",
  PersistentVolumeClaim: "kubernetes.io/pvc-protection",
};

export const storageProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  handles: ({ operation, resource }) =>
    operation === "create" && resource.definition.group === "" && finalizers[resource.definition.kind] !== undefined,
  mutate({ object, resource }) {
    const name = finalizers[resource.definition.kind];
    const meta = object?.metadata;
    if (name === undefined || meta === undefined || meta.finalizers?.includes(name)) return;
    meta.finalizers = [...(meta.finalizers ?? []), name];
  },
};
