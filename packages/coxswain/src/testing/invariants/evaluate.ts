/** Between predicates of a test and what the server checks. */
import type { Finding, FindingParts, Invariant, ListedObject, ObservedChange, StateAt } from "@coxswain/apiserver";
import type { ResourceRef } from "@coxswain/client";
import type { KubeObject } from "@coxswain/machinery";
import { show } from "../validation/options.ts";
import type { ClusterState, Holds, StatePredicate, VersionInvariant } from "./invariants.ts";

/** @param namespace where a name alone is meant to be */
export const invariantOf = (name: string, given: StatePredicate | VersionInvariant, namespace: string): Invariant =>
  typeof given === "function" ? stateInvariant(name, given, namespace) : versionInvariant(name, given);

function versionInvariant(name: string, { ref, holds }: VersionInvariant): Invariant {
  const copies = new Copies();
  const find = (
    subject: string,
    revision: number,
    object: Readonly<KubeObject> | undefined,
    oldObject: Readonly<KubeObject> | undefined,
  ) => ({
    subject,
    problem: judge(() => holds({ object: copies.of(object), oldObject: copies.of(oldObject), resourceVersion: String(revision) })).problem,
  });
  return {
    name,
    async examine(state) {
      const listed = await state.list(ref);
      return listed.map(({ name: of, object }) => ({ ...find(subjectOf(of), state.revision, object, object), object: of }));
    },
    async evaluate(change) {
      if (!isOf(change, ref)) return [];
      const [object, oldObject] = await Promise.all([change.after(ref.version), change.before(ref.version)]);
      return [find(subjectOf(change.object), change.revision, object, oldObject)];
    },
  };
}

const subjectOf = ({ namespace = "", name }: { readonly namespace?: string; readonly name: string }): string => `${namespace}/${name}`;

const isOf = ({ object }: ObservedChange, { group, resource }: Pick<ResourceRef, "group" | "resource">): boolean =>
  object.group === group && object.resource === resource;

function stateInvariant(name: string, predicate: StatePredicate, namespace: string): Invariant {
  const copies = new Copies();
  /** What the predicate has looked at: as long as that is the same, so is its answer. */
  let used: readonly ResourceRef[] = [];
  const evaluate = async (state: StateAt): Promise<readonly Finding[]> => {
    const view = new StateView(state, namespace, copies);
    await view.load(used);
    for (;;) {
      const judged = judge(() => predicate(view.state));
      if (view.missing.length === 0) {
        used = view.used;
        const { problem } = judged;
        return [{ subject: "", problem, related: used, ...(problem === undefined ? {} : { parts: view.parts(predicate, judged) }) }];
      }
      await view.load(view.missing);
    }
  };
  return {
    name,
    examine: evaluate,
    evaluate: async (change, state) => (used.some((ref) => isOf(change, ref)) ? evaluate(state) : []),
  };
}

/** A state that is read before it is asked for where that is known, and else asked for again. */
class StateView {
  readonly #state: StateAt;
  readonly #namespace: string;
  readonly #copies: Copies;
  readonly #lists = new Map<string, readonly ListedObject[]>();
  readonly #used = new Map<string, ResourceRef>();
  readonly #missing = new Map<string, ResourceRef>();

  constructor(state: StateAt, namespace: string, copies: Copies) {
    this.#state = state;
    this.#namespace = namespace;
    this.#copies = copies;
  }

  get used(): readonly ResourceRef[] {
    return [...this.#used.values()];
  }

  get missing(): readonly ResourceRef[] {
    return [...this.#missing.values()];
  }

  get state(): ClusterState {
    this.#used.clear();
    return {
      resourceVersion: String(this.#state.revision),
      list: <T extends KubeObject>(ref: ResourceRef<T>, { namespace }: { readonly namespace?: string } = {}) =>
        this.#listed(ref)
          .filter(({ name }) => namespace === undefined || name.namespace === namespace)
          .map(({ object }) => this.#copies.of(object) as T),
      get: <T extends KubeObject>(ref: ResourceRef<T>, target: string | { readonly name: string; readonly namespace?: string }) => {
        const { name, namespace = this.#namespace } = typeof target === "string" ? { name: target } : target;
        const found = this.#listed(ref).find(({ name: of }) => of.name === name && (!ref.namespaced || of.namespace === namespace));
        return this.#copies.of(found?.object) as T | undefined;
      },
    };
  }

  /** What it has listed, and whether the predicate would hold without some of it. */
  parts(predicate: StatePredicate, { isThrown: isMeant }: Judged): FindingParts {
    return {
      objects: [...this.#used.keys()].flatMap((name) => (this.#lists.get(name) ?? []).map((one) => one.name)),
      holdsWithout: async (gone) => {
        const view = new StateView(this.#state, this.#namespace, this.#copies);
        for (const [name, listed] of this.#lists)
          view.#lists.set(
            name,
            listed.filter((one) => !gone.has(one.name)),
          );
        const { problem, isThrown } = judge(() => predicate(view.state));
        // Without these it may look at more, or fail for another reason.
        return problem === undefined || view.missing.length > 0 || isThrown !== isMeant;
      },
    };
  }

  async load(refs: readonly ResourceRef[]): Promise<void> {
    for (const ref of refs) this.#lists.set(nameOf(ref), await this.#state.list(ref));
    this.#missing.clear();
  }

  #listed(ref: ResourceRef): readonly ListedObject[] {
    const name = nameOf(ref);
    this.#used.set(name, ref);
    const found = this.#lists.get(name);
    if (found !== undefined) return found;
    this.#missing.set(name, ref);
    throw new NotReadYet();
  }
}

/** Ends a predicate that looks at what has to be read first. */
class NotReadYet extends Error {}

const nameOf = ({ group, version, resource }: ResourceRef): string => `${group}/${version}/${resource}`;

/** The server's own objects are for nobody to change: a test gets copies, one of each. */
class Copies {
  readonly #copies = new WeakMap<object, KubeObject>();

  of(object: Readonly<KubeObject> | undefined): KubeObject | undefined {
    if (object === undefined) return undefined;
    const known = this.#copies.get(object);
    if (known !== undefined) return known;
    const copy = deepFrozen(structuredClone(object));
    this.#copies.set(object, copy);
    return copy;
  }
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const one of Object.values(value)) deepFrozen(one);
  return Object.freeze(value);
}

interface Judged {
  /** What is wrong; undefined where it holds. */
  readonly problem: string | undefined;
  readonly isThrown: boolean;
}

function judge(predicate: () => Holds): Judged {
  try {
    const answer: unknown = predicate();
    return { problem: answer === true ? undefined : problemOf(answer), isThrown: false };
  } catch (error) {
    return { problem: `its predicate threw ${String(error)}`, isThrown: true };
  }
}

function problemOf(answer: unknown): string {
  if (answer === false) return "it does not hold";
  return typeof answer === "string" ? answer : `its predicate returned ${show(answer)}: it has to be true, false or what is wrong`;
}
