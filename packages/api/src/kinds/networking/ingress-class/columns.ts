import type { IngressClass, IngressClassParametersReference } from "@coxswain/types/networking-v1";
import { ageColumn, defineColumns } from "../../../table/columns.ts";
import { isSet } from "../../../validation/checks.ts";

export const ingressClassColumns = defineColumns<IngressClass>([
  {
    name: "Name",
    type: "string",
    format: "name",
    description: "The name, unique among the live objects of its kind in its namespace.",
    value: ({ metadata }) => (metadata?.name ?? "") + (metadata?.annotations?.[defaultAnnotation] === "true" ? " (default)" : ""),
  },
  { name: "Controller", type: "string", description: "Which controller is in charge.", value: ({ spec = {} }) => spec.controller ?? "" },
  {
    name: "Parameters",
    type: "string",
    description: "The object with the controller's configuration.",
    value: ({ spec = {} }) => parametersCell(spec.parameters),
  },
  ageColumn,
]);

function parametersCell(parameters: IngressClassParametersReference | undefined): string {
  if (parameters === undefined) return "<none>";
  const { apiGroup, kind, name } = parameters;
  return `${kind}${isSet(apiGroup) ? `.${apiGroup}` : ""}/${name}`;
}

const defaultAnnotation = "ingressclass.kubernetes.io/is-default-class";
