import type { Secret } from "@coxswain/types/core-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { keyCount } from "../../../validation/key-value-data.ts";

export const secretColumns = defineColumns<Secret>([
  nameColumn,
  { name: "Type", type: "string", description: "Which variant the object is.", value: ({ type = "" }) => type },
  { name: "Data", type: "string", description: "How many entries it holds.", value: ({ data }) => keyCount(data) },
  ageColumn,
]);
