import type { MutatingAdmissionPolicyBinding } from "@coxswain/types/admissionregistration-v1";
import { ageColumn, defineColumns, nameColumn } from "../../../table/columns.ts";
import { paramRefCell } from "../../../validation/admissionregistration/policy.ts";

export const mutatingAdmissionPolicyBindingColumns = defineColumns<MutatingAdmissionPolicyBinding>([
  nameColumn,
  { name: "PolicyName", type: "string", description: "The policy that is bound.", value: ({ spec }) => spec?.policyName ?? "" },
  {
    name: "ParamRef",
    type: "string",
    description: "The object that holds the parameters.",
    value: ({ spec }) => paramRefCell(spec?.paramRef),
  },
  ageColumn,
]);
