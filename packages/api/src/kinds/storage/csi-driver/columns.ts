import type { CSIDriver } from "@coxswain/types/storage-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const csiDriverColumns = defineColumns<CSIDriver>([
  nameColumn,
  {
    name: "AttachRequired",
    type: "boolean",
    description: "Whether volumes are attached before they are mounted.",
    value: ({ spec }) => spec?.attachRequired ?? true,
  },
  {
    name: "PodInfoOnMount",
    type: "boolean",
    description: "Whether the driver is told about the Pod.",
    value: ({ spec }) => spec?.podInfoOnMount ?? false,
  },
  {
    name: "StorageCapacity",
    type: "boolean",
    description: "Whether the scheduler considers the driver's capacity.",
    value: ({ spec }) => spec?.storageCapacity ?? false,
  },
  {
    name: "TokenRequests",
    type: "string",
    description: "Audiences of the tokens the driver gets.",
    value: ({ spec }) => spec?.tokenRequests?.map(({ audience }) => audience).join(",") ?? "<unset>",
  },
  {
    name: "RequiresRepublish",
    type: "boolean",
    description: "Whether the driver is called again and again for mounted volumes.",
    value: ({ spec }) => spec?.requiresRepublish ?? false,
  },
  {
    name: "Modes",
    type: "string",
    description: "Lifetimes of volumes the driver supports.",
    value: ({ spec }) => spec?.volumeLifecycleModes?.join(",") || "<none>",
  },
  ageColumn,
]);
