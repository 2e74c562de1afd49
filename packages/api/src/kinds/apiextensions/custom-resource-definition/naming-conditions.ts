/**
 * Which of the names that a CustomResourceDefinition asks for it gets, and when it is established. Names are unique within
 * a group; who had one first keeps it.
 * @see https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/
 */
import { deepEqual, goQuote } from "@coxswain/machinery";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
} from "@coxswain/types/apiextensions-v1";
import { caBundleProblem } from "./ca-bundle.ts";

type Definition = Readonly<CustomResourceDefinition>;
type Names = Readonly<CustomResourceDefinitionNames>;

/** What goes into the status. Conditions are without times: noteCondition gives them theirs. */
export interface AcceptedNames {
  readonly acceptedNames: Names;
  /** NamesAccepted and Established. */
  readonly conditions: readonly CustomResourceDefinitionCondition[];
}

/** `others` are those that may hold names, of any group. Undefined when the status says it all already. */
export function acceptNames(crd: Definition, others: Iterable<Definition>): AcceptedNames | undefined {
  const accepted = crd.status?.acceptedNames ?? { plural: "", kind: "" };
  if (deepEqual(crd.spec.names, accepted)) return undefined;
  const { names, problem } = negotiate(crd.spec.names, accepted, namesInUse(crd, others));
  const condition: CustomResourceDefinitionCondition = {
    type: "NamesAccepted",
    ...(problem === undefined
      ? { status: "True", reason: "NoConflicts", message: "no conflicts found" }
      : { status: "False", reason: problem.reason, message: problem.message }),
  };
  if (deepEqual(names, accepted) && saysTheSame(condition, conditionOf(crd, "NamesAccepted"))) return undefined;
  return { acceptedNames: names, conditions: [condition, establishedAfter(crd, problem === undefined)] };
}

/** Whether a definition whose names were accepted can be served; undefined when that is settled or has to wait. */
export function establish(crd: Definition): CustomResourceDefinitionCondition | undefined {
  if (conditionOf(crd, "NamesAccepted")?.status !== "True" || conditionOf(crd, "Established")?.status === "True") return undefined;
  const bundle = crd.spec.conversion?.webhook?.clientConfig?.caBundle;
  if (bundle && caBundleProblem(bundle) !== undefined) {
    return { type: "Established", status: "False", reason: "InvalidCABundle", message: "The conversion webhook CABundle is invalid" };
  }
  return { type: "Established", status: "True", reason: "InitialNamesAccepted", message: "the initial names have been accepted" };
}

/** The conditions with one more or one changed. The time is that of the last change of status. `now` is RFC 3339. */
export function noteCondition(
  conditions: readonly CustomResourceDefinitionCondition[],
  next: CustomResourceDefinitionCondition,
  now: string,
): CustomResourceDefinitionCondition[] {
  const before = conditions.find(({ type }) => type === next.type);
  const since = before?.status === next.status ? before.lastTransitionTime : undefined;
  const noted = { ...before, ...next, lastTransitionTime: since ?? now };
  return before === undefined ? [...conditions, noted] : conditions.map((each) => (each === before ? noted : each));
}

/** The condition of that type in the status of a CustomResourceDefinition; undefined where there is none. */
export const conditionOf = ({ status }: Definition, type: string): CustomResourceDefinitionCondition | undefined =>
  status?.conditions?.find((condition) => condition.type === type);

/** Whether two conditions are the same but for their times. */
export const saysTheSame = (a: CustomResourceDefinitionCondition | undefined, b: CustomResourceDefinitionCondition | undefined): boolean =>
  a?.type === b?.type && a?.status === b?.status && a?.reason === b?.reason && a?.message === b?.message;

interface InUse {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

/** What the group has accepted; its own names count as well. */
function namesInUse(crd: Definition, others: Iterable<Definition>): InUse {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  const add = ({ spec, status }: Definition): void => {
    const names = status?.acceptedNames;
    if (spec.group !== crd.spec.group || names === undefined) return;
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [names.kind, names.listKind]) if (name) kinds.add(name);
  };
  add(crd);
  for (const other of others) if (other.metadata?.name !== crd.metadata?.name) add(other);
  return { resources, kinds };
}

type Problem = Readonly<{ reason: string; message: string }>;

/** Each name for itself: what is free is taken even when another is not. Of several problems, the last is reported. */
function negotiate(wanted: Names, accepted: Names, { resources, kinds }: InUse): { names: Names; problem: Problem | undefined } {
  const names: CustomResourceDefinitionNames = { ...accepted };
  let problem: Problem | undefined;
  const claim = (key: "plural" | "singular" | "kind" | "listKind", reason: string, used: ReadonlySet<string>): void => {
    const name = wanted[key] ?? "";
    if (name !== accepted[key] && used.has(name)) problem = { reason, message: inUse(name) };
    else if (name !== "") names[key] = name;
  };
  claim("plural", "PluralConflict", resources);
  claim("singular", "SingularConflict", resources);
  const taken = (wanted.shortNames ?? []).filter((name) => resources.has(name) && accepted.shortNames?.includes(name) !== true);
  if (taken.length > 0) problem = { reason: "ShortNamesConflict", message: together(taken.map(inUse)) };
  else assign(names, "shortNames", wanted.shortNames);
  claim("kind", "KindConflict", kinds);
  claim("listKind", "ListKindConflict", kinds);
  assign(names, "categories", wanted.categories);
  return { names, problem };
}

function assign(names: CustomResourceDefinitionNames, key: "shortNames" | "categories", value: string[] | undefined): void {
  if (value === undefined) delete names[key];
  else names[key] = value;
}

const inUse = (name: string): string => `${goQuote(name)} is already in use`;

const together = (messages: readonly string[]): string => {
  const [first = "", ...rest] = new Set(messages);
  return rest.length === 0 ? first : `[${[first, ...rest].join(", ")}]`;
};

/** Once established, always: names that are lost later do not change it. Serving has to begin before it becomes true. */
function establishedAfter(crd: Definition, accepted: boolean): CustomResourceDefinitionCondition {
  const before = conditionOf(crd, "Established");
  if (before?.status === "True" || (before !== undefined && !accepted)) return before;
  if (accepted) return { type: "Established", status: "False", reason: "Installing", message: "the initial names have been accepted" };
  return { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" };
}
