import type { Lease } from "@coxswain/types/coordination-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const leaseColumns = defineColumns<Lease>([
  nameColumn,
  { name: "Holder", type: "string", description: "Who holds the lease.", value: ({ spec }) => spec?.holderIdentity ?? "" },
  ageColumn,
]);
