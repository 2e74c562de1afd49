import type { ControllerRevision } from "@coxswain/types/apps-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";

export const controllerRevisionColumns = defineColumns<ControllerRevision>([
  nameColumn,
  {
    name: "Controller",
    type: "string",
    description: "Which controller is in charge.",
    value: ({ metadata }) => controllerOf(metadata?.ownerReferences),
  },
  { name: "Revision", type: "string", description: "Its place in the history.", value: ({ revision }) => revision ?? 0 },
  ageColumn,
]);

/** `daemonset.apps/web`. */
function controllerOf(owners: readonly { apiVersion: string; kind: string; name: string; controller?: boolean }[] = []): string {
  const owner = owners.find((o) => o.controller);
  if (owner === undefined) return "<none>";
  const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0]}` : "";
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}
