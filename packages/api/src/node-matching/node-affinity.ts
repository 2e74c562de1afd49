/**
 * Which Nodes a Pod may run on, by their labels and names.
 * @see https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/
 */

import { isBadRequest, type LabelOperator, type LabelRequirement, matchesRequirement, newRequirement } from "@coxswain/machinery";
import type * as coreV1 from "@coxswain/types/core-v1";

/** A Node, of which labels and name count here. */
export type Node = coreV1.Node;
/** Whether a Pod may run on the Node. */
export type NodeTest = (node: Node) => boolean;

/** The Pod's node selector and what its node affinity requires, read once for many Nodes. */
export function requiredNodes({ nodeSelector = {}, affinity }: Pick<coreV1.PodSpec, "nodeSelector" | "affinity">): NodeTest {
  const wanted = Object.entries(nodeSelector);
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const chosen = required && nodesOf(required);
  return (node) => wanted.every(([key, value]) => node.metadata?.labels?.[key] === value) && (chosen === undefined || chosen(node));
}

/** Those that any of the terms chooses. */
export function nodesOf({ nodeSelectorTerms = [] }: Partial<coreV1.NodeSelector>): NodeTest {
  const terms = nodeSelectorTerms.map(nodesOfTerm);
  return (node) => terms.some((term) => term(node));
}

const never: NodeTest = () => false;

/** A term that asks for nothing, or cannot be read, chooses nothing. */
export function nodesOfTerm({ matchExpressions = [], matchFields = [] }: coreV1.NodeSelectorTerm): NodeTest {
  const expressions = readAll(matchExpressions);
  const fields = matchFields.map(fieldTestOf);
  if (expressions === undefined || expressions.length + fields.length === 0 || fields.includes(never)) return never;
  return (node) =>
    expressions.every((expression) => matchesRequirement(expression, node.metadata?.labels ?? {})) && fields.every((field) => field(node));
}

const operators: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
  ["Gt", "gt"],
  ["Lt", "lt"],
]);

function readAll(expressions: readonly coreV1.NodeSelectorRequirement[]): readonly LabelRequirement[] | undefined {
  if (!expressions.every(({ operator }) => operators.has(operator))) return undefined;
  try {
    return expressions.map(({ key, operator, values = [] }) => newRequirement(key, operators.get(operator) ?? "in", values));
  } catch (error) {
    if (isBadRequest(error)) return undefined;
    throw error;
  }
}

/** Of a Node's fields only its name can be asked for, and for one at a time. */
function fieldTestOf({ key, operator, values = [] }: coreV1.NodeSelectorRequirement): NodeTest {
  const [value] = values;
  if (value === undefined || values.length > 1) return never;
  const fieldOf = ({ metadata }: Node): string => (key === "metadata.name" ? (metadata?.name ?? "") : "");
  if (operator === "In") return (node) => fieldOf(node) === value;
  return operator === "NotIn" ? (node) => fieldOf(node) !== value : never;
}
