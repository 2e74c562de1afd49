/** What mutating and validating admission policies and their bindings have in common. */
import { field, parseApiVersion, validateDns1035Label, validateDns1123Subdomain, validatePathSegmentName } from "@coxswain/machinery";
import type { MatchResources, ParamKind, ParamRef, Variable } from "@coxswain/types/admissionregistration-v1";
import { addInvalid, type Errors, oneOf } from "../checks.ts";
import { formatSelector, validateLabelSelector } from "../label-selector.ts";
import type { ExpressionCompiler } from "./expressions.ts";
import { type Conditional, hasSameConditions, validateMatchConditions } from "./match-conditions.ts";
import { failurePolicies, refuseDeletions, validateMatchResources } from "./rules.ts";

interface PolicySpec extends Conditional {
  readonly failurePolicy?: string;
  readonly matchConstraints?: MatchResources;
  readonly variables?: readonly Variable[];
}

interface PolicyContext {
  /** Compiles the expressions, the variables first. */
  readonly compiler: ExpressionCompiler;
  readonly prev: PolicySpec | undefined;

  readonly operations?: "noDeletions";
}

export function validatePolicySpec(out: Errors, path: string, spec: PolicySpec, { compiler, prev, operations }: PolicyContext): void {
  oneOf(out, `${path}.failurePolicy`, spec.failurePolicy, failurePolicies);
  if (spec.paramKind !== undefined) validateParamKind(out, `${path}.paramKind`, spec.paramKind);
  if (spec.matchConstraints === undefined) out.push(field.required(`${path}.matchConstraints`));
  else {
    validateMatchResources(out, `${path}.matchConstraints`, spec.matchConstraints);
    if (!spec.matchConstraints.resourceRules?.length) out.push(field.required(`${path}.matchConstraints.resourceRules`));
    if (operations === "noDeletions") refuseDeletions(out, `${path}.matchConstraints`, spec.matchConstraints);
  }
  if (prev === undefined || !hasSameConditions(spec, prev)) validateMatchConditions(out, `${path}.matchConditions`, spec);
  for (const [i, { name, expression }] of (spec.variables ?? []).entries()) {
    const at = `${path}.variables[${i}]`;
    if (!name?.trim()) out.push(field.required(`${at}.name`, "name is not specified"));
    else if (!isCelIdentifier(name)) out.push(field.invalid(`${at}.name`, name, "must be a valid CEL identifier"));
    if (!expression?.trim()) out.push(field.required(`${at}.expression`, "expression is not specified"));
    else compiler.declare(out, `${at}.expression`, name, expression);
  }
}

interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef;
  readonly matchResources?: MatchResources;
}

export function validateBindingSpec(out: Errors, path: string, { policyName, paramRef, matchResources }: BindingSpec): void {
  if (!policyName) out.push(field.required(`${path}.policyName`));
  else addInvalid(out, `${path}.policyName`, policyName, validateDns1123Subdomain(policyName));
  if (paramRef !== undefined) validateParamRef(out, `${path}.paramRef`, paramRef);
  validateMatchResources(out, `${path}.matchResources`, matchResources);
}

export const paramKindCell = (paramKind: ParamKind | undefined): string =>
  paramKind === undefined ? "<unset>" : `${paramKind.apiVersion ?? ""}/${paramKind.kind ?? ""}`;

/** A name without a namespace may mean any: the table does not know whether the parameter has one. */
export function paramRefCell(ref: ParamRef | undefined): string {
  if (ref?.name) return `${ref.namespace || "*"}/${ref.name}`;
  return ref?.selector === undefined ? "<unset>" : formatSelector(ref.selector);
}

function validateParamKind(out: Errors, path: string, { apiVersion, kind }: Readonly<ParamKind>): void {
  if (!apiVersion) out.push(field.required(`${path}.apiVersion`));
  else validateApiVersion(out, `${path}.apiVersion`, apiVersion);
  if (!kind) {
    out.push(field.required(`${path}.kind`));
    return;
  }
  const problems = validateDns1035Label(kind.toLowerCase());
  if (problems.length > 0) {
    out.push(field.invalid(`${path}.kind`, kind, `may have mixed case, but should otherwise match: ${problems.join(",")}`));
  }
}

function validateApiVersion(out: Errors, path: string, apiVersion: string): void {
  const parsed = parseApiVersion(apiVersion);
  if (parsed === undefined) {
    out.push(field.invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
    return;
  }
  const { group, version } = parsed;
  const groupProblems = group === "" ? [] : validateDns1123Subdomain(group);
  if (groupProblems.length > 0) out.push(field.invalid(path, group, groupProblems.join(",")));
  const versionProblems = validateDns1035Label(version);
  if (version === "") out.push(field.invalid(path, apiVersion, "version must be specified"));
  else if (versionProblems.length > 0) out.push(field.invalid(path, version, versionProblems.join(",")));
}

function validateParamRef(out: Errors, path: string, { name, selector, parameterNotFoundAction: action }: Readonly<ParamRef>): void {
  const exclusive = "name and selector are mutually exclusive";
  if (name) {
    addInvalid(out, `${path}.name`, name, validatePathSegmentName(name));
    if (selector !== undefined) out.push(field.forbidden(`${path}.name`, exclusive));
  }
  if (selector !== undefined) {
    validateLabelSelector(out, `${path}.selector`, selector);
    if (name) out.push(field.forbidden(`${path}.selector`, exclusive));
  }
  if (!name && selector === undefined) out.push(field.required(path, "one of name or selector must be specified"));
  if (!action) out.push(field.required(`${path}.parameterNotFoundAction`));
  else oneOf(out, `${path}.parameterNotFoundAction`, action, ["Deny", "Allow"]);
}

const celReserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(" "),
);

const isCelIdentifier = (name: string): boolean => /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !celReserved.has(name);
