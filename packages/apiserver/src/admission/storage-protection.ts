/** Volumes, claims and classes of volume attributes are held by a finalizer until nobody uses them. */
import type { ServedResource } from "../registry/served-resource.ts";
import type { AdmissionPlugin } from "./admission.ts";

/** By group and resource. */
const finalizers: Readonly<Record<string, string>> = {
  "/persistentvolumes": "kubernetes.io/pv-protection",
  "/persistentvolumeclaims": "kubernetes.io/pvc-protection",
  "storage.k8s.io/volumeattributesclasses": "kubernetes.io/vac-protection",
};

export const storageProtection: AdmissionPlugin = {
  name: "StorageObjectInUseProtection",
  handles: ({ operation, resource, subresource }) => operation === "create" && subresource === "" && finalizerOf(resource) !== undefined,
  mutate({ object, resource }) {
    const name = finalizerOf(resource);
    const meta = object?.metadata;
    if (name === undefined || meta === undefined || meta.finalizers?.includes(name)) return;
    meta.finalizers = [...(meta.finalizers ?? []), name];
  },
};

const finalizerOf = ({ definition: { group, resource } }: ServedResource): string | undefined => finalizers[`${group}/${resource}`];
