import type { NetworkPolicy } from "@coxswain/types/networking-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
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
