/** Labels of nodes that have another name today, wherever nodes are chosen by them. */
import { validateLabelValue } from "@coxswain/machinery";
import type { NodeSelectorTerm } from "@coxswain/types/core-v1";

const deprecated: ReadonlyMap<string, string> = new Map([
  ["beta.kubernetes.io/arch", 'deprecated since v1.14; use "kubernetes.io/arch" instead'],
  ["beta.kubernetes.io/os", 'deprecated since v1.14; use "kubernetes.io/os" instead'],
  ["failure-domain.beta.kubernetes.io/region", 'deprecated since v1.17; use "topology.kubernetes.io/region" instead'],
  ["failure-domain.beta.kubernetes.io/zone", 'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'],
  ["beta.kubernetes.io/instance-type", 'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'],
  ["app.kubernetes.io/created-by", "deprecated since v1.9"],
  ["scheduler.alpha.kubernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"],
  ["node-role.kubernetes.io/master", 'use "node-role.kubernetes.io/control-plane" instead'],
]);

/** What to say of the label; undefined when there is nothing. */
export const labelDeprecation = (key: string): string | undefined => deprecated.get(key);

interface Requirement {
  readonly key: string;
}

/** For each requirement of `matchExpressions` at `path`. */
export function* expressionWarnings(path: string, expressions: readonly Requirement[] | undefined): Generator<string> {
  for (const [i, { key }] of (expressions ?? []).entries()) {
    const text = labelDeprecation(key);
    if (text !== undefined) yield `${path}.matchExpressions[${i}].key: ${key} is ${text}`;
  }
}

/** `checkValues` where a wrong value is allowed, so that nothing else reports it. */
export function* termWarnings(
  path: string,
  term: Readonly<NodeSelectorTerm> | undefined,
  { checkValues }: { readonly checkValues: boolean },
): Generator<string> {
  yield* expressionWarnings(path, term?.matchExpressions);
  if (!checkValues) return;
  for (const [i, { values = [] }] of (term?.matchExpressions ?? []).entries()) {
    for (const [j, value] of values.entries()) {
      for (const problem of validateLabelValue(value)) yield `${path}.matchExpressions[${i}].values[${j}]: ${value} is invalid, ${problem}`;
    }
  }
}
