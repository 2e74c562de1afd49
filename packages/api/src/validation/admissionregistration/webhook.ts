/** What mutating and validating webhooks have in common. */
import { field, validateDns1035Label, validateDns1123Subdomain } from "@coxswain/machinery";
import type { MutatingWebhook, ValidatingWebhook } from "@coxswain/types/admissionregistration-v1";
import { type Errors, isSet, oneOf } from "../checks.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { hasSameConditions, validateMatchConditions } from "./match-conditions.ts";
import { defaultRules, failurePolicies, matchPolicies, validateRule } from "./rules.ts";
import { validateService, validateUrl } from "./webhook-client.ts";

type Webhook = MutatingWebhook | ValidatingWebhook;

const reviewVersions = ["v1", "v1beta1"];
const harmless = ["None", "NoneOnDryRun"];
const anySideEffects = [...harmless, "Some", "Unknown"];

export function defaultWebhook(hook: Webhook): void {
  hook.failurePolicy ??= "Fail";
  hook.matchPolicy ??= "Equivalent";
  hook.namespaceSelector ??= {};
  hook.objectSelector ??= {};
  hook.timeoutSeconds ??= 10;
  defaultRules(hook.rules);
  if (hook.clientConfig?.service !== undefined) hook.clientConfig.service.port ??= 443;
}

/** What older objects have wrong they may keep; `prev` are the webhooks before an update. */
interface Tolerance {
  readonly sideEffects: boolean;
  readonly names: boolean;
  readonly reviewVersions: boolean;
  readonly conditions: boolean;
}

export function validateWebhooks(out: Errors, hooks: readonly Webhook[], prev: readonly Webhook[] | undefined): void {
  const tolerance = prev === undefined ? strict : toleranceAfter(hooks, prev);
  const names = new Set<string>();
  for (const [i, hook] of hooks.entries()) {
    const path = `webhooks[${i}]`;
    validateWebhook(out, path, hook, tolerance);
    validateReviewVersions(out, `${path}.admissionReviewVersions`, hook.admissionReviewVersions ?? [], tolerance);
    if (!tolerance.names && hook.name && names.has(hook.name)) out.push(field.duplicate(`${path}.name`, hook.name));
    names.add(hook.name);
  }
}

const strict: Tolerance = { sideEffects: false, names: false, reviewVersions: false, conditions: false };

const toleranceAfter = (next: readonly Webhook[], prev: readonly Webhook[]): Tolerance => ({
  sideEffects: prev.some(({ sideEffects }) => !harmless.includes(sideEffects)),
  names: new Set(prev.map(({ name }) => name)).size < prev.length,
  reviewVersions: prev.some(
    ({ admissionReviewVersions: versions }) => isSet(versions) && versions.length > 0 && !hasKnownVersion(versions),
  ),
  conditions: prev.length === next.length && next.every((hook, i) => hasSameConditions(hook, prev[i] ?? hook)),
});

const hasKnownVersion = (versions: readonly string[]): boolean => versions.some((version) => reviewVersions.includes(version));

function validateWebhook(out: Errors, path: string, hook: Readonly<Webhook>, tolerance: Tolerance): void {
  validateName(out, `${path}.name`, hook.name ?? "");
  for (const [i, rule] of (hook.rules ?? []).entries()) validateRule(out, `${path}.rules[${i}]`, rule);
  oneOf(out, `${path}.failurePolicy`, hook.failurePolicy, failurePolicies);
  oneOf(out, `${path}.matchPolicy`, hook.matchPolicy, matchPolicies);
  const sideEffects = tolerance.sideEffects ? anySideEffects : harmless;
  if (!isSet(hook.sideEffects)) {
    out.push(field.required(`${path}.sideEffects`, `must specify one of ${sideEffects.join(", ")}`));
  } else oneOf(out, `${path}.sideEffects`, hook.sideEffects, sideEffects);
  const seconds = hook.timeoutSeconds;
  if (seconds !== undefined && (seconds > 30 || seconds < 1)) {
    out.push(field.invalid(`${path}.timeoutSeconds`, seconds, "the timeout value must be between 1 and 30 seconds"));
  }
  validateLabelSelector(out, `${path}.namespaceSelector`, hook.namespaceSelector, "selector values");
  validateLabelSelector(out, `${path}.objectSelector`, hook.objectSelector, "selector values");
  const { url, service } = hook.clientConfig ?? {};
  if ((url === undefined) === (service === undefined)) {
    out.push(field.required(`${path}.clientConfig`, "exactly one of url or service is required"));
  } else if (url !== undefined) validateUrl(out, `${path}.clientConfig.url`, url);
  else if (service !== undefined) validateService(out, `${path}.clientConfig.service`, service);
  if (!tolerance.conditions) validateMatchConditions(out, `${path}.matchConditions`, hook);
}

function validateName(out: Errors, path: string, name: string): void {
  if (name === "") {
    out.push(field.required(path));
    return;
  }
  const problems = validateDns1123Subdomain(name);
  if (problems.length > 0) out.push(field.invalid(path, name, problems.join(",")));
  else if (name.split(".").length < 3) {
    out.push(field.invalid(path, name, "should be a domain with at least three segments separated by dots"));
  }
}

function validateReviewVersions(out: Errors, path: string, versions: readonly string[], tolerance: Tolerance): void {
  if (versions.length === 0) {
    out.push(field.required(path, `must specify one of ${reviewVersions.join(", ")}`));
    return;
  }
  for (const [i, version] of versions.entries()) {
    if (versions.indexOf(version) < i) out.push(field.invalid(`${path}[${i}]`, version, "duplicate version"));
    else for (const problem of validateDns1035Label(version)) out.push(field.invalid(`${path}[${i}]`, version, problem));
  }
  if (!tolerance.reviewVersions && !hasKnownVersion(versions)) {
    out.push(field.invalid(path, versions, `must include at least one of ${reviewVersions.join(", ")}`));
  }
}
