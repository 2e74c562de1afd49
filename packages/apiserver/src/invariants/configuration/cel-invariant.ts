/** Invariants of a file as they are checked. */
import { type ObjectName, StatusError } from "@coxswain/machinery";
import type { Finding, FindingParts, Invariant, ListedObject, ObservedChange, StateAt } from "../../contracts/invariant.ts";
import type { InvariantDocument } from "./document.ts";
import { compileInvariant, type Outcome } from "./expressions.ts";
import { type MatchedResource, ResourceMatcher } from "./match-resources.ts";

/** @throws DocumentProblem, at a path within the invariant */
export function celInvariant(document: InvariantDocument): Invariant {
  const matcher = new ResourceMatcher(document);
  const evaluate = compileInvariant(document);
  return document.scope === "Object" ? objectInvariant(document, matcher, evaluate) : setInvariant(document, matcher, evaluate);
}

type Evaluate = ReturnType<typeof compileInvariant>;

function objectInvariant({ name }: InvariantDocument, matcher: ResourceMatcher, evaluate: Evaluate): Invariant {
  return {
    name,
    async examine(state) {
      const { objects } = await matcher.list(state);
      // What was before is not known: it counts as having been the same.
      return objects.map(({ name: of, object }) => ({ subject: subjectOf(of), object: of, ...evaluate({ object, oldObject: object }) }));
    },
    async evaluate(change, state) {
      const { object: of } = change;
      const matched = matchOf(matcher, of);
      if (matched === undefined) return [];
      const found = await outcomeOf(async () => evaluateChange(change, state, { matcher, matched, evaluate }));
      return found === undefined ? [] : [{ subject: subjectOf(of), object: of, ...found }];
    },
  };
}

interface Matched {
  readonly matcher: ResourceMatcher;
  readonly matched: MatchedResource;
  readonly evaluate: Evaluate;
}

/** Undefined: the invariant is not about this object, or not about such a change. */
async function evaluateChange(
  change: ObservedChange,
  state: StateAt,
  { matcher, matched, evaluate }: Matched,
): Promise<Outcome | undefined> {
  const [object, oldObject] = await Promise.all([change.after(matched.version), change.before(matched.version)]);
  const operation = object === undefined ? "DELETE" : oldObject === undefined ? "CREATE" : "UPDATE";
  // What is gone violates nothing any more.
  if (!matched.operations.has(operation)) return operation === "DELETE" ? { problem: undefined } : undefined;
  if (!matcher.matchesLabels(object, oldObject) || !(await matcher.matchesNamespace(change.object, state))) return { problem: undefined };
  return evaluate({ object, oldObject });
}

function setInvariant({ name, scope }: InvariantDocument, matcher: ResourceMatcher, evaluate: Evaluate): Invariant {
  const isPerNamespace = scope === "Namespace";
  const find = async (state: StateAt, namespace: string | undefined): Promise<Finding> => {
    const { objects, related } = await matcher.list(state, namespace);
    const outcome = evaluate({ objects: objects.map(({ object }) => object) });
    return {
      subject: namespace ?? "",
      related,
      ...outcome,
      ...(outcome.problem === undefined ? {} : { parts: partsOf(objects, evaluate) }),
    };
  };
  const failing = async (subject: string, found: () => Promise<Finding>): Promise<Finding> => ({ ...(await outcomeOf(found)), subject });
  return {
    name,
    async examine(state) {
      if (!isPerNamespace) return [await failing("", () => find(state, undefined))];
      const { objects } = await matcher.list(state);
      const spaces = new Set(objects.flatMap(({ name: of }: ListedObject) => of.namespace ?? []));
      return Promise.all([...spaces].map((space) => failing(space, () => find(state, space))));
    },
    async evaluate({ object }, state) {
      const isNamespace = matcher.selectsNamespaces && object.group === "" && object.resource === "namespaces";
      if (!isNamespace && matchOf(matcher, object) === undefined) return [];
      if (!isPerNamespace) return [await failing("", () => find(state, undefined))];
      const namespace = isNamespace ? object.name : object.namespace;
      return namespace === undefined ? [] : [await failing(namespace, () => find(state, namespace))];
    },
  };
}

const partsOf = (listed: readonly ListedObject[], evaluate: Evaluate): FindingParts => ({
  objects: listed.map(({ name }) => name),
  async holdsWithout(gone) {
    const { problem, isFailure } = evaluate({ objects: listed.flatMap(({ name, object }) => (gone.has(name) ? [] : [object])) });
    return problem === undefined || isFailure === true;
  },
});

const matchOf = (matcher: ResourceMatcher, { group, version, resource, namespace, name }: ObjectName): MatchedResource | undefined =>
  matcher.match({ group, version, resource, namespaced: namespace !== undefined }, name);

const subjectOf = ({ group, resource, namespace = "", name }: ObjectName): string => `${group}/${resource}/${namespace}/${name}`;

/** What cannot be read or converted is a failure of this invariant, and no end of checking. */
async function outcomeOf<T extends Outcome | undefined>(evaluate: () => Promise<T>): Promise<T | Outcome> {
  try {
    return await evaluate();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { problem: error.message, isFailure: true };
  }
}
