/**
 * Changes objects by expressions.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
import { loadDynamic } from "@coxswain/api";
import { goQuote, type KubeObject, messageOf, StatusError } from "@coxswain/machinery";
import type { AdmissionPluginFactory, AdmissionRequest, AdmissionResource } from "../../../contracts/admission.ts";
import { cloneJson } from "../../../storage/clone-json.ts";
import { cachingAuthorizer } from "../../cel/caching-authorizer.ts";
import { isNamespace, namespaceOf } from "../../matching/attributes.ts";
import { inVersion } from "../../matching/in-version.ts";
import { refused } from "../../refused.ts";
import { replaceContent } from "../../webhooks/mutated-object.ts";
import { type Invocation, PolicyDispatcher, type PolicyServices } from "../policy-dispatcher.ts";
import type { Params } from "../policy-params.ts";
import type { MutatingPolicy, MutationEvaluator } from "./policy-evaluator.ts";
import { invocationKey, Rounds } from "./policy-rounds.ts";

type Dispatcher = PolicyDispatcher<MutatingPolicy, MutationEvaluator>;
type Matched = Extract<Invocation<MutatingPolicy, MutationEvaluator>, { type: "matches" }>;

export const mutatingAdmissionPolicy: AdmissionPluginFactory<PolicyServices> = {
  name: "MutatingAdmissionPolicy",
  create: (services) => {
    const dispatcher: Dispatcher = new PolicyDispatcher(services, {
      policies: "mutatingadmissionpolicies",
      bindings: "mutatingadmissionpolicybindings",
      compile: async (policy) => {
        const [{ compileMutatingPolicy }] = await Promise.all([import("./policy-evaluator.ts"), loadDynamic()]);
        return compileMutatingPolicy(policy);
      },
    });
    return {
      handles: (request) => request.operation !== "delete" && dispatcher.handles(request),
      mayWait: (...target) => target[0] !== "delete" && dispatcher.mayWait(...target),
      start: () => dispatcher.start(),
      mutate: (request) => mutate(services, dispatcher, request),
    };
  },
};

/** @throws a Status of all policies that fail, or of the result that is no object of its kind */
async function mutate(services: PolicyServices, dispatcher: Dispatcher, request: AdmissionRequest): Promise<void> {
  const invocations = await dispatcher.invocationsFor(request);
  const run = new Run(services, dispatcher, request);
  for (const { hook, binding, ...found } of invocations) {
    if (found.type !== "error") continue;
    const what = binding === undefined ? "policy" : "binding";
    run.fail({ hook, binding }, `failed to configure ${what}: ${found.message}`, "");
  }
  const matched = invocations.filter((one) => one.type === "matches");
  if (matched.some(({ params }) => params.length > 0)) await run.all(matched);
  run.finish();
}

interface Failure {
  readonly message: string;
  readonly reason: string;
}

/** All policies on one request, in one of its rounds. */
class Run {
  readonly #services: PolicyServices;
  readonly #dispatcher: Dispatcher;
  readonly #request: AdmissionRequest;
  readonly #failures: Failure[] = [];
  readonly #authorize: PolicyServices["authorize"];

  constructor(services: PolicyServices, dispatcher: Dispatcher, request: AdmissionRequest) {
    this.#services = services;
    this.#dispatcher = dispatcher;
    this.#request = request;
    this.#authorize = cachingAuthorizer(services.authorize);
  }

  async all(invocations: readonly Matched[]): Promise<void> {
    const request = this.#request;
    const rounds = Rounds.of(request);
    const hasNamespace = namespaceOf(request) !== "" && !isNamespace(request.resource);
    const namespace = hasNamespace ? await this.#dispatcher.namespace(request) : undefined;
    for (const invocation of invocations) {
      for (const params of invocation.params) await this.#invoke(invocation, params, { rounds, namespace });
    }
    rounds.keep(request.object);
  }

  fail({ hook, binding }: Pick<Invocation<MutatingPolicy, MutationEvaluator>, "hook" | "binding">, message: string, reason: string): void {
    if (hook.policy.spec.failurePolicy === "Ignore") return;
    const by = binding === undefined ? `policy ${goQuote(hook.name)}` : `policy '${hook.name}' with binding '${binding.name}'`;
    this.#failures.push({ message: `${by} denied request: ${message}`, reason });
  }

  /** @throws a Status with all that is wrong */
  finish(): void {
    const [first] = this.#failures;
    if (first === undefined) return;
    const { status } = refused(this.#request, "");
    throw new StatusError({
      ...status,
      message: first.message,
      ...(first.reason === "" ? {} : { reason: first.reason as NonNullable<typeof status.reason> }),
      details: { ...status.details, causes: this.#failures.map(({ message }) => ({ message })) },
    });
  }

  async #invoke(
    invocation: Matched,
    params: Params,
    { rounds, namespace }: { readonly rounds: Rounds; readonly namespace: Readonly<KubeObject> | undefined },
  ): Promise<void> {
    const { hook, resource } = invocation;
    const request = this.#request;
    const objects = await this.#objectsIn(resource, invocation);
    if (objects === undefined) return;
    const [evaluator, mutation] = await Promise.all([hook.evaluator(), import("./mutate-object.ts")]);
    const inputs = { request, resource, ...objects, params, authorize: this.#authorize };
    const matched = await evaluator.matchConditions.evaluate(inputs);
    if (matched.type === "error") this.fail(invocation, matched.message, "Invalid");
    if (matched.type !== "matches") return;
    const key = invocationKey(invocation, params);
    if (!rounds.mayInvoke(key) || objects.object === undefined) return;
    let object = objects.object;
    for (const one of evaluator.mutations) {
      try {
        object = await mutation.mutateObject(evaluator, one, { ...inputs, object, namespace }, this.#services.served);
      } catch (error) {
        if (!(error instanceof mutation.MutationError)) throw error;
        this.fail(invocation, error.message, "Invalid");
      }
    }
    if (mutation.isChanged(objects.object, object)) {
      await this.#take(object, resource);
      rounds.changed();
    }
    if (hook.policy.spec.reinvocationPolicy === "IfNeeded") rounds.invoked(key);
  }

  /** Undefined where they cannot be converted. */
  async #objectsIn(
    to: AdmissionResource,
    invocation: Matched,
  ): Promise<Record<"object" | "previous", Readonly<KubeObject> | undefined> | undefined> {
    const { object, previous, resource: from, subresource } = this.#request;
    const change = { from, to, subresource };
    try {
      return {
        object: await inVersion(this.#services.served, object, change),
        previous: await inVersion(this.#services.served, previous, change),
      };
    } catch (error) {
      this.fail({ hook: invocation.hook, binding: undefined }, `failed to configure policy: ${messageOf(error)}`, "");
      return undefined;
    }
  }

  async #take(mutated: Readonly<KubeObject>, from: AdmissionResource): Promise<void> {
    const { object, resource: to, subresource } = this.#request;
    if (object === undefined) return;
    replaceContent(object, cloneJson((await inVersion(this.#services.served, mutated, { from, to, subresource })) as KubeObject));
  }
}
