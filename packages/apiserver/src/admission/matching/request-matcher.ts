/**
 * Whether a webhook or a policy is for a request, and in which version it is to see it. Nothing is made for a request that is not
 * for it.
 */
import { type KubeObject, type LabelSelector, type LabelSelectorObject, labelSelectorFromObject, notFound } from "@coxswain/machinery";
import type { AdmissionRequest, AdmissionResource } from "../../contracts/admission.ts";
import { type ObjectReader, readObject } from "../../storage/object-reader.ts";
import { namespaceOf } from "./attributes.ts";
import { createEquivalents, type Equivalents } from "./equivalents.ts";
import { compileRule, type GivenRule, type Rule } from "./rules.ts";

/** The part of a webhook, or the matchConstraints of a policy, that says which requests it is for. */
export interface GivenCriteria {
  readonly rules?: readonly GivenRule[] | null;
  readonly excludeRules?: readonly GivenRule[] | null;
  readonly matchPolicy?: string | null;
  readonly namespaceSelector?: LabelSelectorObject | null;
  readonly objectSelector?: LabelSelectorObject | null;
}

/** What was read of it once. */
export interface Criteria {
  readonly rules: readonly Rule[];
  readonly excludeRules: readonly Rule[];
  /** Whether other versions of a resource count as it. */
  readonly equivalent: boolean;
  readonly namespaces: LabelSelector;
  readonly objects: LabelSelector;
  /** What policies do: without any rule everything matches. */
  readonly withoutRules: boolean;
}

/** @throws badRequest() for a selector that is none */
export function compileCriteria(given: GivenCriteria, withoutRules: "nothing" | "everything" = "nothing"): Criteria {
  const rules = (given.rules ?? []).map(compileRule);
  return {
    rules,
    excludeRules: (given.excludeRules ?? []).map(compileRule),
    equivalent: given.matchPolicy === "Equivalent",
    namespaces: labelSelectorFromObject(given.namespaceSelector ?? {}),
    objects: labelSelectorFromObject(given.objectSelector ?? {}),
    withoutRules: withoutRules === "everything" && rules.length === 0,
  };
}

/** What is known of a request before it is read. */
export type MatchTarget = Pick<AdmissionRequest, "operation" | "resource" | "subresource">;

export class RequestMatcher {
  readonly #reader: ObjectReader;
  readonly #equivalents: Equivalents;

  constructor(reader: ObjectReader) {
    this.#reader = reader;
    this.#equivalents = createEquivalents(reader.served);
  }

  /**
   * By everything but the namespace selector: the resource as which the request matches, which is another than its own where only
   * an equivalent one does.
   */
  resourceFor(request: AdmissionRequest, criteria: Criteria): AdmissionResource | undefined {
    const { rules, excludeRules, equivalent, withoutRules } = criteria;
    if (excludeRules.length > 0 && this.#matching(request, excludeRules, equivalent) !== undefined) return undefined;
    const found = withoutRules ? request.resource : this.#matching(request, rules, equivalent);
    return found !== undefined && matchesObjects(request, criteria.objects) ? found : undefined;
  }

  /** Whether a request of which no more is known may match. */
  mayMatch({ rules, equivalent, withoutRules }: Criteria, { operation, resource, subresource }: MatchTarget): boolean {
    if (withoutRules) return true;
    for (const rule of rules) if (rule.covers(operation, resource, subresource)) return true;
    if (!equivalent) return false;
    const others = this.#equivalents(resource, subresource);
    return others.some((other) => rules.some((rule) => rule.covers(operation, other, subresource)));
  }

  /** At once where no labels have to be read. @throws notFound() for a namespace that is not there */
  matchesNamespace(request: AdmissionRequest, { namespaces }: Criteria): boolean | Promise<boolean> {
    const { resource, subresource, operation, object } = request;
    const ofNamespaces = resource.definition.resource === "namespaces";
    if (namespaces.empty || (namespaceOf(request) === "" && !ofNamespaces)) return true;
    if (ofNamespaces && subresource === "" && (operation === "create" || operation === "update"))
      return namespaces.matches(object?.metadata?.labels);
    return this.namespace(request).then((found) => {
      if (found === undefined) throw notFound({ group: "", resource: "namespaces" }, namespaceOf(request));
      return namespaces.matches(found.metadata?.labels);
    });
  }

  /** The namespace of the request as it is stored. */
  namespace(request: AdmissionRequest): Promise<Readonly<KubeObject> | undefined> {
    return readObject(this.#reader, { group: "", version: "v1", resource: "namespaces" }, "", namespaceOf(request));
  }

  /** The rules in their order, and for each, where versions are equivalent, the other resources. */
  #matching(request: AdmissionRequest, rules: readonly Rule[], equivalent: boolean): AdmissionResource | undefined {
    for (const rule of rules) if (rule.matches(request, request.resource)) return request.resource;
    if (!equivalent) return undefined;
    const others = this.#equivalents(request.resource, request.subresource);
    if (others.length === 0) return undefined;
    for (const rule of rules) {
      for (const other of others) if (rule.matches(request, other)) return other;
    }
    return undefined;
  }
}

const matchesObjects = ({ object, previous }: AdmissionRequest, selector: LabelSelector): boolean =>
  selector.empty ||
  (object !== undefined && selector.matches(object.metadata?.labels)) ||
  (previous !== undefined && selector.matches(previous.metadata?.labels));

const configurations: ReadonlySet<string> = new Set([
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
]);

/** What says which webhooks and policies there are is subject to none: otherwise a wrong one could not be taken back. */
export const isAdmissionConfiguration = ({ definition: { group, kind } }: AdmissionResource): boolean =>
  group === "admissionregistration.k8s.io" && configurations.has(kind);

const policies: ReadonlySet<string> = new Set([...configurations].filter((kind) => kind.includes("AdmissionPolicy")));

/** The same for policies, which configurations of webhooks are subject to. */
export const isAdmissionPolicy = ({ definition: { group, kind } }: AdmissionResource): boolean =>
  group === "admissionregistration.k8s.io" && policies.has(kind);
