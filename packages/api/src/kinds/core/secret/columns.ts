import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import type { Secret } from "../../../types/core-v1.ts";
import { keyCount } from "../../../validation/key-value-data.ts";

export const secretColumns = defineColumns<Secret>([
  nameColumn,
  { name: "Type", type: "string", description: "Which variant the object is.", value: ({ type = "" }) => type },
  { name: "Data", type: "string", description: "How many entries it holds.", value: ({ data }) => keyCount(data) },
  ageColumn,
]);
