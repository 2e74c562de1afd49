import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import type { Lease } from "../../../types/coordination-v1.ts";

export const leaseColumns = defineColumns<Lease>([
  nameColumn,
  { name: "Holder", type: "string", description: "Who holds the lease.", value: ({ spec }) => spec?.holderIdentity ?? "" },
  ageColumn,
]);
