import type { StorageClass } from "@coxswain/types/storage-v1";
import { ageColumn, defineColumns } from "../../../table/columns.ts";

const defaultAnnotations = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

export const storageClassColumns = defineColumns<StorageClass>([
  {
    name: "Name",
    type: "string",
    format: "name",
    description: "The name, unique among the live objects of its kind in its namespace.",
    value: (obj) => `${obj.metadata?.name ?? ""}${isDefault(obj) ? " (default)" : ""}`,
  },
  { name: "Provisioner", type: "string", description: "Who makes the volumes.", value: (obj) => obj.provisioner ?? "" },
  {
    name: "ReclaimPolicy",
    type: "string",
    description: "What happens to a volume when its claim is deleted.",
    value: (obj) => obj.reclaimPolicy ?? "Delete",
  },
  {
    name: "VolumeBindingMode",
    type: "string",
    description: "When a claim is bound to a volume.",
    value: (obj) => obj.volumeBindingMode ?? "Immediate",
  },
  {
    name: "AllowVolumeExpansion",
    type: "string",
    description: "Whether claims may grow.",
    value: (obj) => obj.allowVolumeExpansion ?? false,
  },
  ageColumn,
]);

/** Whether claims that name no class get this one. */
const isDefault = ({ metadata }: Readonly<StorageClass>): boolean =>
  defaultAnnotations.some((name) => metadata?.annotations?.[name] === "true");
