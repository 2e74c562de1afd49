/** A claim without a class gets the default one. @see https://kubernetes.io/docs/concepts/storage/storage-classes/#default-storageclass */
import { type coreV1, hasStorageClass } from "@coxswain/api";
import type { AdmissionPlugin } from "./admission.ts";
import { newestDefault } from "./newest-default.ts";
import { listClusterObjects } from "./object-reader.ts";

export const storageClasses = { group: "storage.k8s.io", version: "v1", resource: "storageclasses" };

const marks = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

export const defaultStorageClass: AdmissionPlugin = {
  name: "DefaultStorageClass",
  handles: ({ operation, resource, subresource }) =>
    operation === "create" &&
    subresource === "" &&
    resource.definition.group === "" &&
    resource.definition.kind === "PersistentVolumeClaim",
  async mutate({ server, object }) {
    const claim = object as coreV1.PersistentVolumeClaim;
    // An empty name is a choice, too: a volume without a class.
    if (claim.spec === undefined || hasStorageClass(claim)) return;
    const name = newestDefault(await listClusterObjects(server, storageClasses), marks)?.metadata?.name;
    if (name !== undefined) claim.spec.storageClassName = name;
  },
};
