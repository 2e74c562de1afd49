import { field, validateDns1123Subdomain, validateLabelValue } from "@coxswain/machinery";
import type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from "@coxswain/types/core-v1";
import { addInvalid, type Errors } from "./checks.ts";
import { validateLabelKey } from "./metadata/parts.ts";
import { ratchet } from "./ratcheting.ts";

export function validateNodeSelector(out: Errors, path: string, selector: Readonly<NodeSelector>): void {
  const at = `${path}.nodeSelectorTerms`;
  if (!selector.nodeSelectorTerms?.length) return void out.push(field.required(at, "must have at least one node selector term"));
  selector.nodeSelectorTerms.forEach((term, i) => {
    validateNodeSelectorTerm(out, `${at}[${i}]`, term, { strictValues: true });
  });
}

/** Values are only checked where a wrong one would keep the pod off every node. */
export function validateNodeSelectorTerm(
  out: Errors,
  path: string,
  term: Readonly<NodeSelectorTerm>,
  { strictValues }: { readonly strictValues: boolean },
): void {
  term.matchExpressions?.forEach((requirement, i) => {
    validateExpression(out, `${path}.matchExpressions[${i}]`, requirement, strictValues);
  });
  term.matchFields?.forEach((requirement, i) => {
    validateFieldExpression(out, `${path}.matchFields[${i}]`, requirement);
  });
}

function validateExpression(out: Errors, path: string, requirement: NodeSelectorRequirement, strictValues: boolean): void {
  const { key, operator, values = [] } = requirement;
  const at = `${path}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) out.push(field.required(at, "must be specified when `operator` is 'In' or 'NotIn'"));
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) out.push(field.forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
      break;
    case "Gt":
    case "Lt":
      if (values.length !== 1) out.push(field.required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
      break;
    default:
      out.push(field.invalid(`${path}.operator`, operator, "not a valid selector operator"));
  }
  validateLabelKey(out, key, `${path}.key`);
  if (!strictValues) return;
  ratchet(out, "node affinity values", () => {
    values.forEach((value, i) => {
      addInvalid(out, `${at}[${i}]`, value, validateLabelValue(value));
    });
  });
}

function validateFieldExpression(out: Errors, path: string, { key, operator, values = [] }: NodeSelectorRequirement): void {
  if (operator !== "In" && operator !== "NotIn") {
    out.push(field.invalid(`${path}.operator`, operator, "not a valid selector operator"));
  } else if (values.length !== 1) {
    out.push(field.required(`${path}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  }
  if (key !== "metadata.name") return void out.push(field.invalid(`${path}.key`, key, "not a valid field selector key"));
  values.forEach((value, i) => {
    addInvalid(out, `${path}.values[${i}]`, value, validateDns1123Subdomain(value));
  });
}
