import { type FieldError, field } from "@coxswain/machinery";
import { ageCell } from "../../../strategy/age.ts";
import { defineKind } from "../../../strategy/strategy.ts";
import type { ControllerRevision } from "../../../types/apps-v1.ts";
import { immutable, nonNegative } from "../../../validation/checks.ts";

export const controllerRevision = defineKind<ControllerRevision>({
  type: "io.k8s.api.apps.v1.ControllerRevision",
  validate: ({ revision }) => {
    const out: FieldError[] = [];
    nonNegative(out, "revision", revision);
    return out;
  },
  validateCreate: ({ data }) => {
    if (data === undefined || data === null) return [field.required("data", "data is mandatory")];
    return typeof data === "object" && !Array.isArray(data) ? [] : [field.required("data", "data must be a valid JSON object")];
  },
  validateUpdate: (next, prev) => {
    const out: FieldError[] = [];
    immutable(out, "data", next.data, prev.data);
    return out;
  },
  generation: "never",
  cells: ({ metadata, revision }, now) => [
    metadata?.name ?? "",
    controllerOf(metadata?.ownerReferences),
    revision ?? 0,
    ageCell(metadata?.creationTimestamp, now),
  ],
});

/** `daemonset.apps/web`. */
function controllerOf(owners: readonly { apiVersion: string; kind: string; name: string; controller?: boolean }[] = []): string {
  const owner = owners.find((o) => o.controller);
  if (owner === undefined) return "<none>";
  const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0]}` : "";
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}
