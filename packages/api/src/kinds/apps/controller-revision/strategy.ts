import { type FieldError, field } from "@coxswain/machinery";
import type { ControllerRevision } from "@coxswain/types/apps-v1";
import { defineKind } from "../../../strategy/strategy.ts";
import { immutable, nonNegative } from "../../../validation/checks.ts";
import { controllerRevisionColumns } from "./columns.ts";

export const controllerRevision = defineKind<ControllerRevision>({
  type: "io.k8s.api.apps.v1.ControllerRevision",
  metadataPasses: ["changes", "whole"],
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
  columns: controllerRevisionColumns,
});
