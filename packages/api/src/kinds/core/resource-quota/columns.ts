import type { ResourceQuota } from "@coxswain/types/core-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const resourceQuotaColumns = defineColumns<ResourceQuota>([
  nameColumn,
  {
    name: "Request",
    type: "string",
    description: "Requests in use, and the most allowed.",
    value: (obj) => usage(obj, (name) => !isLimit(name)),
  },
  { name: "Limit", type: "string", description: "Limits in use, and the most allowed.", value: (obj) => usage(obj, isLimit) },
  ageColumn,
]);

const isLimit = (name: string): boolean => name.startsWith("limits.");

function usage({ status }: Readonly<ResourceQuota>, isShown: (name: string) => boolean): string {
  const { hard = {}, used = {} } = status ?? {};
  const names = Object.keys(hard).filter(isShown).sort();
  return names.map((name) => `${name}: ${used[name] ?? "0"}/${hard[name]}`).join(", ");
}
