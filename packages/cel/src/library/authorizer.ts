/**
 * Asking whether requests would be allowed: `authorizer.group('apps').resource('deployments').check('get').allowed()`.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-authorizer-library
 */

import { validateDns1123Label, validateDns1123Subdomain } from "@coxswain/machinery";
import { exactly, listCost, messageCost, plus, scaled, traversalFactor } from "../cost/bounds.ts";
import { instanceAt, noSuchOverload, stringAt } from "../define/argument.ts";
import { type Cost, nothing, sizeOf } from "../define/call-cost.ts";
import { functionsOf, method } from "../define/declare.ts";
import type { CelLibrary, CelOverload } from "../environment/library.ts";
import { boolType, type CelType, opaqueType, stringType } from "../types/type.ts";
import { CelError, CelOpaque, type CelValue } from "../values/value.ts";

/** Answers the checks of an expression, for one user. */
export interface ExpressionAuthorizer {
  /**
   * An evaluation cannot wait. Who must, throws an error that is no CelError, which ends the evaluation;
   * when the answer is there, evaluate again with it.
   */
  check(question: AuthorizerQuestion): AuthorizerDecision;
  /** The same for a service account. */
  serviceAccount(namespace: string, name: string): ExpressionAuthorizer;
}

/** What a rule asks an authorizer: whether a user may do this to a path, or to a resource. */
export type AuthorizerQuestion =
  | { readonly kind: "path"; readonly path: string; readonly verb: string }
  | ({ readonly kind: "resource"; readonly verb: string } & ResourceQuestion);

/** Empty where the expression did not say. Selectors are as they were written, and may not parse. */
export interface ResourceQuestion {
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string;
  readonly labelSelector: string;
}

/** What an authorizer answered to a rule. */
export interface AuthorizerDecision {
  readonly allowed: boolean;
  readonly reason: string;
  /** Undefined when the authorizer could decide. */
  readonly error?: string;
}

/**
 * The type of `authorizer` in admission policies.
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-authorizer-library
 */
export const authorizerType = opaqueType("kubernetes.authorization.Authorizer");
/** The type of a question about a resource that an expression is putting together. */
export const resourceCheckType = opaqueType("kubernetes.authorization.ResourceCheck");
const pathCheckType = opaqueType("kubernetes.authorization.PathCheck");
const groupCheckType = opaqueType("kubernetes.authorization.GroupCheck");
const decisionType = opaqueType("kubernetes.authorization.Decision");

/** All of these are equal only to themselves. */
class Step<T> extends CelOpaque {
  override readonly type: CelType;
  readonly of: T;

  constructor(type: CelType, of: T) {
    super();
    this.type = type;
    this.of = of;
  }

  override equals(other: CelValue): boolean {
    if (!(other instanceof Step) || other.type !== this.type) throw noSuchOverload();
    return other === this;
  }
}

class Authorizer extends Step<ExpressionAuthorizer> {}
class PathCheck extends Step<{ readonly authorizer: ExpressionAuthorizer; readonly path: string }> {}
class GroupCheck extends Step<{ readonly authorizer: ExpressionAuthorizer; readonly group: string }> {}
class ResourceCheck extends Step<{ readonly authorizer: ExpressionAuthorizer; readonly question: ResourceQuestion }> {}
class Decision extends Step<AuthorizerDecision> {}

/** The variable `authorizer`. */
export const authorizerValue = (authorizer: ExpressionAuthorizer): CelValue => new Authorizer(authorizerType, authorizer);

/** The variable `authorizer.requestResource`. */
export const resourceCheckValue = (authorizer: ExpressionAuthorizer, resource: Partial<ResourceQuestion>): CelValue =>
  new ResourceCheck(resourceCheckType, { authorizer, question: { ...anything, ...resource } });

const anything: ResourceQuestion = {
  group: "",
  resource: "",
  subresource: "",
  namespace: "",
  name: "",
  fieldSelector: "",
  labelSelector: "",
};

/** Two checks are what an expression may afford. */
const checks: Cost = { cost: () => 350_000, estimate: () => ({ cost: exactly(350_000) }) };

/** A selector becomes a list of requirements; the shortest is `k,`. */
const selects: Cost = {
  cost: ([, selector]) => selectorCost(exactly(sizeOf(selector))).max,
  estimate: ([, selector = nothing]) => ({ cost: selectorCost(selector) }),
};

const selectorCost = (size: { readonly min: number; readonly max: number }) =>
  plus(exactly(listCost), plus(scaled(size, traversalFactor), scaled(scaled(size, 0.5), listCost + messageCost)));

export const authorizer: CelLibrary = {
  name: "kubernetes.authz",
  functions: functionsOf({
    path: [method("authorizer_path", [authorizerType, stringType], pathCheckType, path)],
    group: [method("authorizer_group", [authorizerType, stringType], groupCheckType, group)],
    serviceAccount: [method("authorizer_serviceaccount", [authorizerType, stringType, stringType], authorizerType, serviceAccount)],
    resource: [method("groupcheck_resource", [groupCheckType, stringType], resourceCheckType, resource)],
    subresource: [narrows("resourcecheck_subresource", "subresource")],
    namespace: [narrows("resourcecheck_namespace", "namespace")],
    name: [narrows("resourcecheck_name", "name")],
    fieldSelector: [narrows("authorizer_fieldselector", "fieldSelector", selects)],
    labelSelector: [narrows("authorizer_labelselector", "labelSelector", selects)],
    check: [
      { ...method("pathcheck_check", [pathCheckType, stringType], decisionType, checkPath), ...checks },
      { ...method("resourcecheck_check", [resourceCheckType, stringType], decisionType, checkResource), ...checks },
    ],
    errored: [decisionMember("decision_errored", boolType, ({ error }) => error !== undefined)],
    error: [decisionMember("decision_error", stringType, ({ error }) => error ?? "")],
    allowed: [decisionMember("decision_allowed", boolType, ({ allowed }) => allowed)],
    reason: [decisionMember("decision_reason", stringType, ({ reason }) => reason)],
  }),
};

function path(args: readonly CelValue[]): CelValue {
  const text = stringAt(args, 1);
  if (text.trim() === "") throw new CelError("path must not be empty");
  return new PathCheck(pathCheckType, { authorizer: instanceAt(Authorizer, args, 0).of, path: text });
}

function group(args: readonly CelValue[]): CelValue {
  return new GroupCheck(groupCheckType, { authorizer: instanceAt(Authorizer, args, 0).of, group: stringAt(args, 1) });
}

function serviceAccount(args: readonly CelValue[]): CelValue {
  const [namespace, name] = [stringAt(args, 1), stringAt(args, 2)];
  if (validateDns1123Subdomain(name).length > 0) throw new CelError("Invalid service account name");
  if (validateDns1123Label(namespace).length > 0) throw new CelError("Invalid service account namespace");
  return authorizerValue(instanceAt(Authorizer, args, 0).of.serviceAccount(namespace, name));
}

function resource(args: readonly CelValue[]): CelValue {
  const { authorizer, group } = instanceAt(GroupCheck, args, 0).of;
  const text = stringAt(args, 1);
  if (text.trim() === "") throw new CelError("resource must not be empty");
  return resourceCheckValue(authorizer, { group, resource: text });
}

function narrows(id: string, part: keyof ResourceQuestion, cost?: Cost): CelOverload {
  const narrow = (args: readonly CelValue[]): CelValue => {
    const { authorizer, question } = instanceAt(ResourceCheck, args, 0).of;
    return resourceCheckValue(authorizer, { ...question, [part]: stringAt(args, 1) });
  };
  return { ...method(id, [resourceCheckType, stringType], resourceCheckType, narrow), ...cost };
}

function checkPath(args: readonly CelValue[]): CelValue {
  const { authorizer, path } = instanceAt(PathCheck, args, 0).of;
  return new Decision(decisionType, authorizer.check({ kind: "path", path, verb: stringAt(args, 1) }));
}

function checkResource(args: readonly CelValue[]): CelValue {
  const { authorizer, question } = instanceAt(ResourceCheck, args, 0).of;
  return new Decision(decisionType, authorizer.check({ kind: "resource", ...question, verb: stringAt(args, 1) }));
}

function decisionMember(id: string, result: CelType, what: (decision: AuthorizerDecision) => CelValue): CelOverload {
  return method(id, [decisionType], result, (args) => what(instanceAt(Decision, args, 0).of));
}
