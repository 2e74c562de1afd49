/** Volumes, claims and classes of volume attributes are held by a finalizer until they are not in use. */
import type { AdmissionPluginFactory, AdmissionResource } from "../contracts/admission.ts";

/** By group and resource. */
const finalizers: Readonly<Record<string, string>> = {
  __proto__: null as never,
  "/persistentvolumes": "kubernetes.io/pv-protection",
  "/persistentvolumeclaims": "kubernetes.io/pvc-protection",
  "storage.k8s.io/volumeattributesclasses": "kubernetes.io/vac-protection",
};

export const storageObjectInUseProtection: AdmissionPluginFactory = {
  name: "StorageObjectInUseProtection",
  create: () => ({
    handles: ({ operation, resource, subresource }) => operation === "create" && subresource === "" && finalizerOf(resource) !== undefined,
    mutate({ object, resource }) {
      const name = finalizerOf(resource);
      const meta = object?.metadata;
      if (name === undefined || meta === undefined || meta.finalizers?.includes(name)) return;
      meta.finalizers = [...(meta.finalizers ?? []), name];
    },
  }),
};

const finalizerOf = ({ definition: { group, resource } }: AdmissionResource): string | undefined => finalizers[`${group}/${resource}`];
