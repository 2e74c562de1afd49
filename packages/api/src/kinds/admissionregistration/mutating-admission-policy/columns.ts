import type { MutatingAdmissionPolicy } from "@coxswain/types/admissionregistration-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { paramKindCell } from "../../../validation/admissionregistration/policy.ts";

export const mutatingAdmissionPolicyColumns = defineColumns<MutatingAdmissionPolicy>([
  nameColumn,
  { name: "Mutations", type: "integer", description: "How many mutations it makes.", value: ({ spec }) => spec?.mutations?.length ?? 0 },
  {
    name: "ParamKind",
    type: "string",
    description: "The kind that holds the policy's parameters.",
    value: ({ spec }) => paramKindCell(spec?.paramKind),
  },
  ageColumn,
]);
