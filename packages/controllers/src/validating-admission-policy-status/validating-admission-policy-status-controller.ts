import {
  type admissionregistrationV1,
  loadDynamic,
  type OpenApiSchema,
  type OpenApiSchemas,
  type PolicyTypes,
  policyTypes,
  type TypedKind,
} from "@coxswain/api";
import { type Client, controller, done, type Outcome, type ReconcileContext, validatingAdmissionPolicies } from "@coxswain/client";
import { apiVersionOf, type GroupVersionKind, isNotFound, parseApiVersion } from "@coxswain/machinery";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { kindsToCheck } from "./policy-kinds.ts";

type Policy = admissionregistrationV1.ValidatingAdmissionPolicy;
const name = "validatingadmissionpolicy-status-controller";

/**
 * The validatingadmissionpolicy-status-controller says in the status of policies what their expressions have wrong about the types
 * of what they match.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#type-checking
 */
export const validatingAdmissionPolicyStatusController: BuiltInController = {
  name,
  serviceAccount: name,
  aliases: ["validatingadmissionpolicy-status"],
  make: () => [
    controller<Policy>({
      name,
      for: validatingAdmissionPolicies,
      predicate: ({ object }) => isUnchecked(object),
      concurrency: 5,
      reconcile: async (_ref, ctx): Promise<Outcome> => {
        const policy = ctx.object;
        if (policy !== undefined && isUnchecked(policy)) await act(ctx, policy, plan(policy, await observe(ctx, policy)));
        return done;
      },
    }),
  ],
};

const isUnchecked = ({ metadata, status }: Policy): boolean => (metadata?.generation ?? 0) > (status?.observedGeneration ?? 0);

async function observe({ client, signal }: ReconcileContext<Policy>, policy: Policy): Promise<PolicyTypes> {
  const { resources } = await client.discover({ signal });
  const schemas = new Schemas(client, signal);
  const kinds = await schemas.typed(kindsToCheck(policy, resources));
  const [params] = await schemas.typed(paramKindOf(policy.spec?.paramKind));
  await loadDynamic();
  return { kinds, params };
}

/** The status that the policy is to have. */
function plan(policy: Policy, types: PolicyTypes): NonNullable<Policy["status"]> {
  const expressionWarnings = policyTypes().checkPolicyTypes(policy, types);
  return {
    observedGeneration: policy.metadata?.generation ?? 0,
    typeChecking: expressionWarnings.length === 0 ? {} : { expressionWarnings: [...expressionWarnings] },
  };
}

async function act({ client, signal }: ReconcileContext<Policy>, policy: Policy, status: NonNullable<Policy["status"]>): Promise<void> {
  const { kind } = validatingAdmissionPolicies;
  const applied: Policy = {
    apiVersion: apiVersionOf(validatingAdmissionPolicies),
    kind,
    metadata: { name: policy.metadata?.name ?? "" },
    status,
  };
  await client.resource(validatingAdmissionPolicies).apply(applied, { fieldManager: name, force: true, subresource: "status", signal });
}

function paramKindOf(paramKind: admissionregistrationV1.ParamKind | undefined): readonly GroupVersionKind[] {
  const parsed = parseApiVersion(paramKind?.apiVersion ?? "");
  return paramKind === undefined || parsed === undefined ? [] : [{ ...parsed, kind: paramKind.kind ?? "" }];
}

/** The server's OpenAPI documents, each read once for a policy. */
class Schemas {
  readonly #client: Client;
  readonly #signal: AbortSignal | undefined;
  readonly #documents = new Map<string, Promise<OpenApiSchemas>>();

  constructor(client: Client, signal: AbortSignal | undefined) {
    this.#client = client;
    this.#signal = signal;
  }

  /** Those of the kinds that have a schema. */
  async typed(kinds: readonly GroupVersionKind[]): Promise<readonly TypedKind[]> {
    const found: TypedKind[] = [];
    for (const kind of kinds) {
      const schemas = await this.#documentOf(kind);
      const schema = Object.values(schemas).find((one) => isOf(one, kind));
      if (schema !== undefined) found.push({ ...kind, schema, schemas });
    }
    return found;
  }

  #documentOf({ group, version }: GroupVersionKind): Promise<OpenApiSchemas> {
    const path = group === "" ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`;
    const known = this.#documents.get(path) ?? this.#read(path);
    this.#documents.set(path, known);
    return known;
  }

  /** @throws StatusError, but for a group that is not there */
  async #read(path: string): Promise<OpenApiSchemas> {
    try {
      const answer = await this.#client.request({ method: "GET", path, headers: { accept: "application/json" }, signal: this.#signal });
      const document = JSON.parse(new TextDecoder().decode(await answer.bytes())) as {
        readonly components?: { readonly schemas?: OpenApiSchemas };
      };
      return document.components?.schemas ?? {};
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return {};
    }
  }
}

const isOf = (schema: OpenApiSchema, { group, version, kind }: GroupVersionKind): boolean =>
  schema["x-kubernetes-group-version-kind"]?.some((one) => (one.group ?? "") === group && one.version === version && one.kind === kind) ??
  false;
