/** A claim without a class gets the default one. @see https://kubernetes.io/docs/concepts/storage/storage-classes/#default-storageclass */
import { type coreV1, hasStorageClass } from "@coxswain/api";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import { listObjects, type ObjectReader } from "../storage/object-reader.ts";
import { newestDefault } from "./newest-default.ts";

export const storageClasses = { group: "storage.k8s.io", version: "v1", resource: "storageclasses" };

const marks = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

export const defaultStorageClass: AdmissionPluginFactory<ObjectReader> = {
  name: "DefaultStorageClass",
  create: (reader) => ({
    handles: ({ operation, resource, subresource }) =>
      operation === "create" &&
      subresource === "" &&
      resource.definition.group === "" &&
      resource.definition.kind === "PersistentVolumeClaim",
    async mutate({ object }) {
      const claim = object as coreV1.PersistentVolumeClaim;
      // An empty name is a choice, too: a volume without a class.
      if (claim.spec === undefined || hasStorageClass(claim)) return;
      const name = newestDefault(await listObjects(reader, storageClasses), marks)?.metadata?.name;
      if (name !== undefined) claim.spec.storageClassName = name;
    },
  }),
};
