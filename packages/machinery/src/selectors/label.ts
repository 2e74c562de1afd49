/** Which objects a label selector chooses. */

import { badRequest } from "../errors/status.ts";
import { goQuote } from "../go/quote.ts";
import { parseLabelRequirements } from "./label-parser.ts";
import {
  formatRequirement,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  matchesRequirement,
  newRequirement,
} from "./label-requirement.ts";

/**
 * A parsed label selector.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#label-selectors
 */
export interface LabelSelector {
  /** Whether every object matches. */
  readonly empty: boolean;
  /** All of them must hold; sorted by key. */
  readonly requirements: readonly LabelRequirement[];
  matches(labels: Labels | undefined): boolean;
  /** What `parseLabelSelector` reads as the same selector; "" for a selector of everything and of nothing. */
  toString(): string;
}

/** The selector as objects carry it: meta/v1 LabelSelector. */
export interface LabelSelectorObject {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values?: readonly string[] }[];
}

/** The text of a `labelSelector` parameter. @throws badRequest() */
export const parseLabelSelector = (text: string): LabelSelector => selectorOf(parseLabelRequirements(text));

/** No selector at all chooses nothing, an empty one everything. @throws badRequest() */
export function labelSelectorFromObject(object: LabelSelectorObject | undefined): LabelSelector {
  if (object === undefined) return nothing;
  const equalities = Object.entries(object.matchLabels ?? {}).map(([key, value]) => newRequirement(key, "=", [value]));
  const expressions = (object.matchExpressions ?? []).map(({ key, operator, values }) =>
    newRequirement(key, operatorOf(operator), values ?? []),
  );
  return selectorOf([...equalities, ...expressions]);
}

const none: Labels = {};

function selectorOf(unsorted: readonly LabelRequirement[]): LabelSelector {
  if (unsorted.length === 0) return everything;
  const requirements = unsorted.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return {
    empty: false,
    requirements,
    matches: (labels = none) => {
      for (const requirement of requirements) if (!matchesRequirement(requirement, labels)) return false;
      return true;
    },
    toString: () => requirements.map(formatRequirement).join(","),
  };
}

const everything: LabelSelector = { empty: true, requirements: [], matches: () => true, toString: () => "" };

const nothing: LabelSelector = { empty: false, requirements: [], matches: () => false, toString: () => "" };

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

function operatorOf(name: string): LabelOperator {
  const operator = operators.get(name);
  if (operator === undefined) throw badRequest(`${goQuote(name)} is not a valid label selector operator`);
  return operator;
}
