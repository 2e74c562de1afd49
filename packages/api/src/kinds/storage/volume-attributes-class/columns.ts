import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import type { VolumeAttributesClass } from "../../../types/storage-v1.ts";

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
