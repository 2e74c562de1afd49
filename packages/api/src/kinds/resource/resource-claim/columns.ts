import type { ResourceClaim } from "@coxswain/types/resource-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const resourceClaimColumns = defineColumns<ResourceClaim>([
  nameColumn,
  { name: "State", type: "string", description: "Whether devices are pending, allocated or reserved.", value: (obj) => stateOf(obj) },
  ageColumn,
]);

function stateOf({ metadata, status }: Readonly<ResourceClaim>): string {
  const deleted = Boolean(metadata?.deletionTimestamp);
  const states = deleted ? ["deleted"] : [];
  if (status?.allocation === undefined) {
    if (!deleted) states.push("pending");
  } else states.push("allocated", ...(status.reservedFor?.length ? ["reserved"] : []));
  return states.join(",");
}
