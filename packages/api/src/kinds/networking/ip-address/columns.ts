import type { IPAddress, ParentReference } from "@coxswain/types/networking-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const ipAddressColumns = defineColumns<IPAddress>([
  nameColumn,
  { name: "ParentRef", type: "string", description: "The object that uses the address.", value: ({ spec }) => parentCell(spec?.parentRef) },
  { ...ageColumn, headless: true },
]);

function parentCell(parent: Readonly<ParentReference> | undefined): string {
  if (!parent) return "<none>";
  const { group = "", resource = "", namespace = "", name = "" } = parent;
  const kind = (group ? `${resource}.${group}` : resource).toLowerCase();
  return namespace ? `${kind}/${namespace}/${name}` : `${kind}/${name}`;
}
