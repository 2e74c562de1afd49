/** What is asked of an authorizer, as the spec of a SubjectAccessReview. */
import type { FieldRequirement, LabelRequirement } from "@coxswain/machinery";
import type { AuthorizationAttributes } from "../contracts/authorizer.ts";

type ResourceAttributes = AuthorizationAttributes & { readonly kind: "resource" };

/** What is empty is left out. */
export function reviewSpecOf(attributes: AuthorizationAttributes, version: "v1" | "v1beta1"): object {
  const { name: user, uid, groups, extra } = attributes.user;
  const who = filled({ user, [version === "v1" ? "groups" : "group"]: groups, extra, uid });
  if (attributes.kind === "path") return { nonResourceAttributes: filled({ path: attributes.path, verb: attributes.verb }), ...who };
  const { namespace, verb, group, version: apiVersion, resource, subresource, name } = attributes;
  const what = filled({ namespace, verb, group, version: apiVersion, resource, subresource, name });
  return { resourceAttributes: { ...what, ...selectorsOf(attributes) }, ...who };
}

const filled = (fields: Readonly<Record<string, string | readonly string[] | object>>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => (typeof value === "string" ? value : Object.keys(value)).length > 0));

/** A requirement that has no operator there is left out: without it, more is asked for than is wanted, not less. */
export function selectorsOf({ fieldSelector = [], labelSelector = [] }: ResourceAttributes): object {
  const fields = fieldSelector.map(fieldRequirement);
  const labels = labelSelector.flatMap(labelRequirement);
  return {
    ...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields } }),
    ...(labels.length === 0 ? {} : { labelSelector: { requirements: labels } }),
  };
}

const fieldRequirement = ({ field: key, operator, value }: FieldRequirement): object => ({
  key,
  operator: operator === "=" ? "In" : "NotIn",
  values: [value],
});

const labelOperators: Partial<Record<LabelRequirement["operator"], string>> = {
  "=": "In",
  "==": "In",
  in: "In",
  "!=": "NotIn",
  notin: "NotIn",
  exists: "Exists",
  "!": "DoesNotExist",
};

function labelRequirement({ key, operator, values }: LabelRequirement): readonly object[] {
  const shown = labelOperators[operator];
  return shown === undefined ? [] : [{ key, operator: shown, ...(values.length === 0 ? {} : { values }) }];
}
