import type { ConfigMap } from "@coxswain/types/core-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { keyCount } from "../../../validation/key-value-data.ts";

export const configMapColumns = defineColumns<ConfigMap>([
  nameColumn,
  {
    name: "Data",
    type: "string",
    description: "How many entries it holds.",
    value: ({ data, binaryData }) => keyCount(data) + keyCount(binaryData),
  },
  ageColumn,
]);
