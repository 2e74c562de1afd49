import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import type { ServiceCIDR } from "../../../types/networking-v1.ts";

export const serviceCidrColumns = defineColumns<ServiceCIDR>([
  nameColumn,
  { name: "CIDRs", type: "string", description: "The address ranges for Services.", value: ({ spec }) => (spec?.cidrs ?? []).join(",") },
  ageColumn,
]);
