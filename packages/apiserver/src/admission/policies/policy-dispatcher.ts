/** Which policies a request is for, by which bindings and with which parameters: what both plugins have in common. */
import { StatusError } from "@coxswain/machinery";
import type { AdmissionOperation, AdmissionRequest, AdmissionResource } from "../../contracts/admission.ts";
import type { Authorizer } from "../../contracts/authorizer.ts";
import type { ServedResource, ServedResources } from "../../contracts/served-resource.ts";
import type { ObjectReader } from "../../storage/object-reader.ts";
import { isAdmissionPolicy, type MatchTarget, RequestMatcher } from "../matching/request-matcher.ts";
import { type Policy, type PolicyBinding, type PolicyHook, PolicyHooks, type PolicyKind } from "./policy-hooks.ts";
import { ConfigurationError, type Params, paramResource, paramsOf } from "./policy-params.ts";

export interface PolicyServices extends ObjectReader {
  readonly served: Pick<ServedResources, "find" | "byKind" | "of">;
  readonly authorize: Authorizer;
}

/** A binding of a policy that is for the request, or why it cannot be told or asked. */
export type Invocation<P extends Policy, E> =
  | {
      readonly type: "matches";
      readonly hook: PolicyHook<P, E>;
      readonly binding: PolicyBinding;
      /** As which the policy is to see the request. */
      readonly resource: AdmissionResource;
      readonly params: readonly Params[];
    }
  | {
      readonly type: "error";
      readonly hook: PolicyHook<P, E>;
      /** Undefined where it is the policy itself that is wrong. */
      readonly binding: PolicyBinding | undefined;
      readonly message: string;
    };

export class PolicyDispatcher<P extends Policy, E> {
  readonly hooks: PolicyHooks<P, E>;
  readonly #services: PolicyServices;
  readonly #matcher: RequestMatcher;

  constructor(services: PolicyServices, kind: PolicyKind<P, E>) {
    this.#services = services;
    this.#matcher = new RequestMatcher(services);
    this.hooks = new PolicyHooks(kind);
  }

  /** Policies and bindings are in force once their writes are answered. */
  start(): Promise<Disposable> {
    return this.hooks.follow(this.#services);
  }

  /** Whether any policy may be for the request. Makes nothing. */
  handles(request: AdmissionRequest): boolean {
    const { all } = this.hooks;
    if (all.length === 0 || isExempt(request.resource)) return false;
    for (const { criteria } of all) if (this.#matcher.resourceFor(request, criteria) !== undefined) return true;
    return false;
  }

  /** An expression may ask an authorizer that is another server; a kind of parameters may have versions that one converts. */
  mayWait(operation: AdmissionOperation, resource: AdmissionResource, subresource: string): boolean {
    const { all } = this.hooks;
    if (all.length === 0 || isExempt(resource)) return false;
    const target: MatchTarget = { operation, resource, subresource };
    return all.some(({ criteria }) => this.#matcher.mayMatch(criteria, target));
  }

  /** In the order of the policies and their bindings. */
  async invocationsFor(request: AdmissionRequest): Promise<readonly Invocation<P, E>[]> {
    const found: Invocation<P, E>[] = [];
    for (const hook of this.hooks.all) {
      const resource = this.#matcher.resourceFor(request, hook.criteria);
      if (resource === undefined) continue;
      const step = await this.#attempt(async () => {
        const matches = await this.#matcher.matchesNamespace(request, hook.criteria);
        return matches ? { paramsAt: paramResource(this.#services, hook.policy) } : undefined;
      });
      if (step.type === "error") found.push({ ...step, hook, binding: undefined });
      else if (step.value !== undefined) found.push(...(await this.#bindingsFor(request, hook, resource, step.value.paramsAt)));
    }
    return found;
  }

  /** The namespace of the request as it is stored. */
  namespace: RequestMatcher["namespace"] = (request) => this.#matcher.namespace(request);

  async #bindingsFor(
    request: AdmissionRequest,
    hook: PolicyHook<P, E>,
    resource: AdmissionResource,
    paramsAt: ServedResource | undefined,
  ): Promise<readonly Invocation<P, E>[]> {
    const found: Invocation<P, E>[] = [];
    for (const binding of hook.bindings) {
      const step = await this.#attempt(async () =>
        (await this.#isBound(request, binding)) ? await paramsOf(this.#services, paramsAt, binding, request) : undefined,
      );
      if (step.type === "error") found.push({ ...step, hook, binding });
      else if (step.value !== undefined) found.push({ type: "matches", hook, binding, resource, params: step.value });
    }
    return found;
  }

  async #isBound(request: AdmissionRequest, { criteria }: PolicyBinding): Promise<boolean> {
    if (criteria === undefined) return true;
    return this.#matcher.resourceFor(request, criteria) !== undefined && (await this.#matcher.matchesNamespace(request, criteria));
  }

  async #attempt<T>(step: () => Promise<T>): Promise<{ type: "done"; value: T } | { type: "error"; message: string }> {
    try {
      return { type: "done", value: await step() };
    } catch (error) {
      if (error instanceof ConfigurationError || error instanceof StatusError) return { type: "error", message: error.message };
      throw error;
    }
  }
}

const reviews: ReadonlySet<string> = new Set([
  "SelfSubjectReview",
  "TokenReview",
  "LocalSubjectAccessReview",
  "SelfSubjectAccessReview",
  "SelfSubjectRulesReview",
  "SubjectAccessReview",
]);

/** Policies could otherwise not be taken back, and a wrong one would keep everybody out. */
const isExempt = (resource: AdmissionResource): boolean =>
  isAdmissionPolicy(resource) ||
  (reviews.has(resource.definition.kind) && /^auth(entication|orization)\.k8s\.io$/.test(resource.definition.group));
