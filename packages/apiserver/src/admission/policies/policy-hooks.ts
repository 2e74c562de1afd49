/** The policies that have bindings, as they are stored: a change counts before its write is answered. */
import type { admissionregistrationV1 } from "@coxswain/api";
import { DisposableStack, type KubeObject } from "@coxswain/machinery";
import { followResource } from "../../storage/follow-resource.ts";
import type { ObjectReader } from "../../storage/object-reader.ts";
import { type Criteria, compileCriteria } from "../matching/request-matcher.ts";

type MatchResources = admissionregistrationV1.MatchResources;

/** What policies of both kinds have; the rules of their kinds have made sure of it. */
export interface Policy extends KubeObject {
  readonly spec: {
    readonly paramKind?: admissionregistrationV1.ParamKind;
    readonly matchConstraints?: MatchResources;
    readonly matchConditions?: readonly admissionregistrationV1.MatchCondition[];
    readonly variables?: readonly admissionregistrationV1.Variable[];
    readonly failurePolicy?: string;
  };
}

interface Binding extends KubeObject {
  readonly spec: {
    readonly policyName?: string;
    readonly paramRef?: admissionregistrationV1.ParamRef;
    readonly matchResources?: MatchResources;
    readonly validationActions?: readonly string[];
  };
}

/** A binding with what was read of it once. */
export interface PolicyBinding {
  readonly name: string;
  readonly policyName: string;
  readonly paramRef: admissionregistrationV1.ParamRef | undefined;
  /** Undefined where it is for all that its policy is for. */
  readonly criteria: Criteria | undefined;
  readonly validationActions: readonly string[];
}

/** A policy with its bindings, of which there is at least one. */
export interface PolicyHook<P extends Policy, E> {
  readonly name: string;
  readonly policy: Readonly<P>;
  readonly criteria: Criteria;
  readonly bindings: readonly PolicyBinding[];
  /** Its expressions, compiled when they are first asked for. */
  evaluator(): Promise<E>;
}

type StoredPolicy<P extends Policy, E> = Omit<PolicyHook<P, E>, "bindings">;

/** Which kind of policies, and how their expressions are compiled. */
export interface PolicyKind<P extends Policy, E> {
  readonly policies: string;
  readonly bindings: string;
  compile(policy: Readonly<P>): Promise<E>;
}

export class PolicyHooks<P extends Policy, E> {
  readonly #kind: PolicyKind<P, E>;
  readonly #policies = new Map<string, StoredPolicy<P, E>>();
  readonly #bindings = new Map<string, PolicyBinding>();
  #all: readonly PolicyHook<P, E>[] | undefined = [];

  constructor(kind: PolicyKind<P, E>) {
    this.#kind = kind;
  }

  /** By the names of the policies, and within each by those of its bindings. */
  get all(): readonly PolicyHook<P, E>[] {
    this.#all ??= this.#bound();
    return this.#all;
  }

  async follow(reader: ObjectReader): Promise<Disposable> {
    const stack = new DisposableStack();
    const [group, version] = ["admissionregistration.k8s.io", "v1"];
    stack.use(
      await followResource<P>(reader, { group, version, resource: this.#kind.policies }, ({ name }, object) =>
        this.#setPolicy(name, object),
      ),
    );
    stack.use(
      await followResource<Binding>(reader, { group, version, resource: this.#kind.bindings }, ({ name }, object) =>
        this.#setBinding(name, object),
      ),
    );
    return stack;
  }

  #setPolicy(name: string, policy: Readonly<P> | undefined): void {
    this.#all = undefined;
    if (policy === undefined) {
      this.#policies.delete(name);
      return;
    }
    let compiled: Promise<E> | undefined;
    const evaluator = (): Promise<E> => {
      compiled ??= this.#kind.compile(policy);
      return compiled;
    };
    this.#policies.set(name, { name, policy, criteria: criteriaOf(policy.spec.matchConstraints ?? {}), evaluator });
  }

  #setBinding(name: string, binding: Readonly<Binding> | undefined): void {
    this.#all = undefined;
    if (binding === undefined) {
      this.#bindings.delete(name);
      return;
    }
    const { policyName = "", paramRef, matchResources, validationActions = [] } = binding.spec;
    const criteria = matchResources === undefined ? undefined : criteriaOf(matchResources);
    this.#bindings.set(name, { name, policyName, paramRef, criteria, validationActions });
  }

  #bound(): readonly PolicyHook<P, E>[] {
    const byPolicy = Map.groupBy(this.#bindings.values(), ({ policyName }) => policyName);
    return [...byPolicy]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, bindings]) => {
        const policy = this.#policies.get(name);
        return policy === undefined ? [] : [{ ...policy, bindings: bindings.sort((a, b) => (a.name < b.name ? -1 : 1)) }];
      });
  }
}

function criteriaOf(resources: Readonly<MatchResources>): Criteria {
  const { resourceRules, excludeResourceRules, matchPolicy, namespaceSelector, objectSelector } = resources;
  return compileCriteria(
    {
      rules: resourceRules ?? null,
      excludeRules: excludeResourceRules ?? null,
      matchPolicy: matchPolicy ?? null,
      namespaceSelector: namespaceSelector ?? null,
      objectSelector: objectSelector ?? null,
    },
    "everything",
  );
}
