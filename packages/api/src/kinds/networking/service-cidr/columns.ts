import type { ServiceCIDR } from "@coxswain/types/networking-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const serviceCidrColumns = defineColumns<ServiceCIDR>([
  nameColumn,
  { name: "CIDRs", type: "string", description: "The address ranges for Services.", value: ({ spec }) => (spec?.cidrs ?? []).join(",") },
  ageColumn,
]);
