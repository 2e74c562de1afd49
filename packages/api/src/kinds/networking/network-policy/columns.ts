import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import type { NetworkPolicy } from "../../../types/networking-v1.ts";
import { formatSelector } from "../../../validation/label-selector.ts";

export const networkPolicyColumns = defineColumns<NetworkPolicy>([
  nameColumn,
  {
    name: "Pod-Selector",
    type: "string",
    description: "Labels of the Pods it applies to.",
    value: ({ spec }) => formatSelector(spec?.podSelector),
  },
  ageColumn,
]);
