import type { VolumeAttributesClass } from "@coxswain/types/storage-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const volumeAttributesClassColumns = defineColumns<VolumeAttributesClass>([
  nameColumn,
  {
    name: "DriverName",
    type: "string",
    description: "The driver that understands the parameters.",
    value: ({ driverName }) => driverName ?? "",
  },
  ageColumn,
]);
