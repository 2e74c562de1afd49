/**
 * Validates requests by expressions.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
import { loadDynamic } from "@coxswain/api";
import { messageOf, StatusError } from "@coxswain/machinery";
import type { AdmissionPluginFactory, AdmissionRequest, AdmissionResource } from "../../../contracts/admission.ts";
import { cachingAuthorizer } from "../../cel/caching-authorizer.ts";
import type { ExpressionInputs } from "../../cel/expression-inputs.ts";
import { isNamespace, namespaceOf } from "../../matching/attributes.ts";
import { inVersion } from "../../matching/in-version.ts";
import { refused } from "../../refused.ts";
import { type Invocation, PolicyDispatcher, type PolicyServices } from "../policy-dispatcher.ts";
import { AuditAnnotations, auditFailure } from "./audit-annotations.ts";
import type { PolicyEvaluator, ValidatingPolicy } from "./policy-evaluator.ts";
import type { ValidationFailure, ValidationResult } from "./validate-policy.ts";

type Dispatcher = PolicyDispatcher<ValidatingPolicy, PolicyEvaluator>;
type Matched = Extract<Invocation<ValidatingPolicy, PolicyEvaluator>, { type: "matches" }>;

export const validatingAdmissionPolicy: AdmissionPluginFactory<PolicyServices> = {
  name: "ValidatingAdmissionPolicy",
  create: (services) => {
    const dispatcher: Dispatcher = new PolicyDispatcher(services, {
      policies: "validatingadmissionpolicies",
      bindings: "validatingadmissionpolicybindings",
      compile: async (policy) => {
        const [{ compilePolicy }] = await Promise.all([import("./policy-evaluator.ts"), loadDynamic()]);
        return compilePolicy(policy);
      },
    });
    return {
      handles: (request) => dispatcher.handles(request),
      mayWait: (...target) => dispatcher.mayWait(...target),
      start: () => dispatcher.start(),
      validate: (request) => validate(services, dispatcher, request),
    };
  },
};

/** Why the request is denied: only the first is told. */
interface Denial {
  readonly policy: string;
  readonly binding: string | undefined;
  readonly message: string;
  readonly reason: string;
}

/** @throws the Status of the first denial; all policies have their say before */
async function validate(services: PolicyServices, dispatcher: Dispatcher, request: AdmissionRequest): Promise<void> {
  const run = new Run(services, dispatcher, request);
  for (const invocation of await dispatcher.invocationsFor(request)) {
    if (invocation.type === "matches") await run.invoke(invocation);
    else run.misconfigured(invocation, invocation.message);
  }
  run.finish();
}

/** All policies on one request. */
class Run {
  readonly #services: PolicyServices;
  readonly #dispatcher: Dispatcher;
  readonly #request: AdmissionRequest;
  readonly #denials: Denial[] = [];
  readonly #annotations = new AuditAnnotations();
  readonly #versions = new Map<unknown, Promise<Pick<ExpressionInputs, "object" | "previous">>>();
  readonly #authorize: PolicyServices["authorize"];
  #namespace: ReturnType<Dispatcher["namespace"]> | undefined;

  constructor(services: PolicyServices, dispatcher: Dispatcher, request: AdmissionRequest) {
    this.#services = services;
    this.#dispatcher = dispatcher;
    this.#request = request;
    this.#authorize = cachingAuthorizer(services.authorize);
  }

  async invoke(invocation: Matched): Promise<void> {
    const { hook, resource, params } = invocation;
    if (params.length === 0) return;
    const objects = await this.#objectsIn(invocation, resource);
    if (objects === undefined) return;
    const [evaluator, { validatePolicy }] = await Promise.all([hook.evaluator(), import("./validate-policy.ts")]);
    const namespace = await this.#namespaceObject();
    const inputs = { request: this.#request, resource, ...objects, namespace, authorize: this.#authorize };
    for (const one of params) {
      this.#take(invocation, await validatePolicy(evaluator, { ...inputs, params: one }, hook.policy.spec.failurePolicy));
    }
  }

  misconfigured({ hook, binding }: Pick<Invocation<ValidatingPolicy, PolicyEvaluator>, "hook" | "binding">, message: string): void {
    if (hook.policy.spec.failurePolicy === "Ignore") return;
    const what = binding === undefined ? "policy" : "binding";
    this.#deny({ policy: hook.name, binding: binding?.name, message: `failed to configure ${what}: ${message}`, reason: "" });
  }

  /** @throws the Status of the first denial */
  finish(): void {
    this.#annotations.publish(this.#request);
    const [denial] = this.#denials;
    if (denial !== undefined) throw denied(this.#request, denial);
  }

  #take({ hook, binding }: Matched, { failures, auditAnnotations, auditErrors }: ValidationResult): void {
    for (const failure of failures) {
      for (const action of binding.validationActions) this.#act(action, { hook, binding, failure });
    }
    for (const { key, value } of auditAnnotations) this.#annotations.add(`${hook.name}/${key}`, value);
    for (const message of auditErrors) this.#deny({ policy: hook.name, binding: binding.name, message, reason: "" });
  }

  #act(action: string, { hook, binding, failure }: Pick<Matched, "hook" | "binding"> & { readonly failure: ValidationFailure }): void {
    const { message, reason } = failure;
    const [policy, bound] = [hook.name, binding.name];
    if (action === "Deny") this.#deny({ policy, binding: bound, message, reason });
    else if (action === "Audit") auditFailure(this.#request, { policy, binding, failure });
    else if (action === "Warn")
      this.#request.warnings.push(`Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${bound}': ${message}`);
  }

  #deny(denial: Denial): void {
    this.#denials.push(denial);
  }

  /** Undefined where they cannot be converted. */
  async #objectsIn(invocation: Matched, resource: AdmissionResource): Promise<Pick<ExpressionInputs, "object" | "previous"> | undefined> {
    const known = this.#versions.get(resource.definition) ?? this.#convertedTo(resource);
    this.#versions.set(resource.definition, known);
    try {
      return await known;
    } catch (error) {
      this.misconfigured(invocation, `failed to convert object version: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #convertedTo(to: AdmissionResource): Promise<Pick<ExpressionInputs, "object" | "previous">> {
    const { object, previous, resource: from, subresource } = this.#request;
    const change = { from, to, subresource };
    return {
      object: await inVersion(this.#services.served, object, change),
      previous: await inVersion(this.#services.served, previous, change),
    };
  }

  #namespaceObject(): ReturnType<Dispatcher["namespace"]> {
    const has = namespaceOf(this.#request) !== "" && !isNamespace(this.#request.resource);
    this.#namespace ??= has ? this.#dispatcher.namespace(this.#request) : Promise.resolve(undefined);
    return this.#namespace;
  }
}

const codes: Readonly<Record<string, number>> = {
  __proto__: null as never,
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

function denied(request: AdmissionRequest, { policy, binding, message, reason }: Denial): StatusError {
  const by = binding === undefined ? `'${policy}'` : `'${policy}' with binding '${binding}'`;
  const text = `ValidatingAdmissionPolicy ${by} denied request: ${message}`;
  const { status } = refused(request, text);
  const given = reason === "" ? "Invalid" : reason;
  return new StatusError({
    ...status,
    reason: given as NonNullable<typeof status.reason>,
    code: codes[given] ?? 422,
    details: { ...status.details, causes: [{ message: text }] },
  });
}
