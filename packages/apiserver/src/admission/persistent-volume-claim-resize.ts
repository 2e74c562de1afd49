/** A claim grows once it is bound, and where its class lets volumes grow. @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#expanding-persistent-volumes-claims */
import { type coreV1, storageClassOf, type storageV1 } from "@coxswain/api";
import { parseQuantity, type Quantity, quantityOf } from "@coxswain/machinery";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import { type ObjectReader, readObject } from "../storage/object-reader.ts";
import { storageClasses } from "./default-storage-class.ts";
import { refused } from "./refused.ts";

type Claim = Readonly<coreV1.PersistentVolumeClaim>;

export const persistentVolumeClaimResize: AdmissionPluginFactory<ObjectReader> = {
  name: "PersistentVolumeClaimResize",
  create: (reader) => ({
    handles: ({ operation, resource, subresource }) =>
      operation === "update" &&
      subresource === "" &&
      resource.definition.group === "" &&
      resource.definition.kind === "PersistentVolumeClaim",
    async validate(request) {
      const [next, current] = [request.object as Claim, request.previous as Claim];
      if (requested(next).compare(requested(current)) <= 0) return;
      if (current.status?.phase !== "Bound") throw refused(request, "Only bound persistent volume claims can be expanded");
      if (await mayGrow(reader, next, current)) return;
      throw refused(
        request,
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
      );
    },
  }),
};

async function mayGrow(reader: ObjectReader, next: Claim, current: Claim): Promise<boolean> {
  const name = storageClassOf(next);
  if (name === "" || storageClassOf(current) !== name) return false;
  const found = await readObject<storageV1.StorageClass>(reader, storageClasses, "", name);
  return found?.allowVolumeExpansion ?? false;
}

const requested = ({ spec }: Claim): Quantity => parseQuantity(spec?.resources?.requests?.storage ?? "0") ?? quantityOf(0);
