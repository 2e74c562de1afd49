import type { ValidatingAdmissionPolicy } from "@coxswain/types/admissionregistration-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { paramKindCell } from "../../../validation/admissionregistration/policy.ts";

export const validatingAdmissionPolicyColumns = defineColumns<ValidatingAdmissionPolicy>([
  nameColumn,
  { name: "Validations", type: "integer", description: "How many rules it checks.", value: ({ spec }) => spec?.validations?.length ?? 0 },
  {
    name: "ParamKind",
    type: "string",
    description: "The kind that holds the policy's parameters.",
    value: ({ spec }) => paramKindCell(spec?.paramKind),
  },
  ageColumn,
]);
