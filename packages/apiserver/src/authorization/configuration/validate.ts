/** What is wrong with an AuthorizationConfiguration, in Kubernetes' words. */
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { type FieldError, field, formatGoDuration, parseGoDuration, validateDns1123Subdomain } from "@coxswain/machinery";
import type { AuthorizerConfiguration, ConnectionInfo, WebhookConfiguration } from "./document.ts";
import type { MatchCondition } from "./match-conditions.ts";

/** As `--authorization-mode` of kube-apiserver. */
export type AuthorizationMode = "AlwaysAllow" | "AlwaysDeny" | "Node" | "RBAC" | "Webhook";

/** Those that a server has; ABAC, which Kubernetes advises against, is not among them. */
const knownTypes: readonly AuthorizationMode[] = ["AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"];

/** One of those that are asked, without mistakes. */
export interface CheckedAuthorizer {
  readonly type: AuthorizationMode;
  readonly name: string;
  /** Of the type Webhook. */
  readonly webhook: CheckedWebhook | undefined;
}

export interface CheckedWebhook {
  readonly kubeConfigFile: string;
  readonly version: "v1" | "v1beta1";
  /** Milliseconds, as all durations here; 0 where answers do not count later on. */
  readonly authorizedMs: number;
  readonly unauthorizedMs: number;
  readonly timeoutMs: number;
  readonly onFailure: "noOpinion" | "deny";
  readonly conditions: readonly MatchCondition[];
}

type Compile = (source: string) => MatchCondition | string;

/** @throws Error with all that is wrong */
export async function checkAuthorizers(authorizers: readonly AuthorizerConfiguration[], compile: Compile): Promise<CheckedAuthorizer[]> {
  const errors: FieldError[] = [];
  if (authorizers.length === 0) errors.push(field.required("authorizers", "at least one authorization mode must be defined"));
  const seen: Seen = { types: new Set(), names: new Set() };
  const checked: CheckedAuthorizer[] = [];
  for (const [i, authorizer] of authorizers.entries()) {
    const one = await checkAuthorizer(authorizer, { path: `authorizers[${i}]`, errors, seen, compile });
    if (one !== undefined) checked.push(one);
  }
  if (errors.length > 0) throw new Error(field.formatFieldErrors(errors));
  checkNames(checked);
  return checked;
}

interface Seen {
  readonly types: Set<string>;
  readonly names: Set<string>;
}

interface Place {
  readonly path: string;
  readonly errors: FieldError[];
  readonly seen: Seen;
  readonly compile: Compile;
}

async function checkAuthorizer({ type, name, webhook }: AuthorizerConfiguration, place: Place): Promise<CheckedAuthorizer | undefined> {
  const { path, errors, seen } = place;
  const known = knownTypes.find((one) => one === type);
  if (type === "") return refuse(errors, field.required(`${path}.type`));
  if (known === undefined) return refuse(errors, field.notSupported(`${path}.type`, type, knownTypes));
  if (seen.types.has(type) && type !== "Webhook") return refuse(errors, field.duplicate(`${path}.type`, type));
  seen.types.add(type);
  const wrong = validateDns1123Subdomain(name);
  if (name === "") errors.push(field.required(`${path}.name`));
  else if (seen.names.has(name)) errors.push(field.duplicate(`${path}.name`, name));
  else if (wrong.length > 0) errors.push(field.invalid(`${path}.name`, name, `authorizer name is invalid: ${wrong.join(", ")}`));
  seen.names.add(name);
  const given = webhook ?? undefined;
  if (known === "Webhook") {
    if (given === undefined) return refuse(errors, field.required(`${path}.webhook`, "required when type=Webhook"));
    return { type: known, name, webhook: await checkWebhook(given, place) };
  }
  if (given !== undefined) errors.push(field.invalid(`${path}.webhook`, "non-null", "may only be specified when type=Webhook"));
  return { type: known, name, webhook: undefined };
}

const refuse = (errors: FieldError[], error: FieldError): undefined => void errors.push(error);

/** Only webhooks have names of their own. */
function checkNames(authorizers: readonly CheckedAuthorizer[]): void {
  const wrong = authorizers.flatMap(({ type, name }) => {
    const expected = type.toLowerCase();
    return type === "Webhook" || name === expected ? [] : [`expected name ${expected} for authorizer ${type} instead of ${name}`];
  });
  if (wrong.length > 0) throw new Error(wrong.length === 1 ? wrong[0] : `[${wrong.join(", ")}]`);
}

async function checkWebhook(webhook: WebhookConfiguration, { path, errors, compile }: Place): Promise<CheckedWebhook> {
  const { subjectAccessReviewVersion: version = "", failurePolicy = "", matchConditionSubjectAccessReviewVersion: about = "" } = webhook;
  const timeoutMs = milliseconds(webhook.timeout);
  if (timeoutMs === 0) errors.push(field.required(`${path}.timeout`));
  else if (timeoutMs > 30_000 || timeoutMs < 0) {
    errors.push(field.invalid(`${path}.timeout`, formatGoDuration(timeoutMs), "must be > 0s and <= 30s"));
  }
  const authorizedMs = timeToLive(webhook.authorizedTTL, 300_000, { path: `${path}.authorizedTTL`, errors });
  const unauthorizedMs = timeToLive(webhook.unauthorizedTTL, 30_000, { path: `${path}.unauthorizedTTL`, errors });
  requireOneOf(version, ["v1", "v1beta1"], { path: `${path}.subjectAccessReviewVersion`, errors });
  const given = webhook.matchConditions ?? [];
  if (about !== "") requireOneOf(about, ["v1"], { path: `${path}.matchConditionSubjectAccessReviewVersion`, errors });
  else if (given.length > 0) {
    errors.push(field.required(`${path}.matchConditionSubjectAccessReviewVersion`, "required if match conditions are specified"));
  }
  requireOneOf(failurePolicy, ["NoOpinion", "Deny"], { path: `${path}.failurePolicy`, errors });
  await checkConnection(webhook.connectionInfo ?? {}, { path: `${path}.connectionInfo`, errors });
  return {
    kubeConfigFile: webhook.connectionInfo?.kubeConfigFile ?? "",
    version: version === "v1beta1" ? "v1beta1" : "v1",
    authorizedMs: webhook.cacheAuthorizedRequests === false ? 0 : authorizedMs,
    unauthorizedMs: webhook.cacheUnauthorizedRequests === false ? 0 : unauthorizedMs,
    timeoutMs,
    onFailure: failurePolicy === "Deny" ? "deny" : "noOpinion",
    conditions: compileAll(given, compile, { path: `${path}.matchConditions`, errors }),
  };
}

interface Field {
  readonly path: string;
  readonly errors: FieldError[];
}

/** Whether it is one has been checked. */
function milliseconds(text = ""): number {
  const duration = text === "" ? 0 : parseGoDuration(text);
  return typeof duration === "string" ? 0 : duration;
}

function timeToLive(text: string | undefined, byDefault: number, { path, errors }: Field): number {
  const duration = milliseconds(text) || byDefault;
  if (duration < 0) errors.push(field.invalid(path, formatGoDuration(duration), "must be > 0s"));
  return duration;
}

function requireOneOf(value: string, supported: readonly string[], { path, errors }: Field): void {
  if (value === "") errors.push(field.required(path));
  else if (!supported.includes(value)) errors.push(field.notSupported(path, value, supported));
}

const connectionTypes = ["InClusterConfig", "KubeConfigFile"];

async function checkConnection({ type = "", kubeConfigFile: file }: ConnectionInfo, { path, errors }: Field): Promise<void> {
  const fileAt = `${path}.kubeConfigFile`;
  if (type === "") errors.push(field.required(`${path}.type`));
  else if (type === "InClusterConfig") {
    if (typeof file === "string") errors.push(field.invalid(fileAt, file, "can only be set when type=KubeConfigFile"));
    else errors.push(field.forbidden(`${path}.type`, "an API server asks itself in no cluster"));
  } else if (type !== "KubeConfigFile") {
    errors.push(field.notSupported(`${path}.type`, { Type: type, KubeConfigFile: file ?? null }, connectionTypes));
  } else if (typeof file !== "string" || file === "") errors.push(field.required(fileAt));
  else {
    const problem = await problemOfFile(file);
    if (problem !== undefined) errors.push(field.invalid(fileAt, file, problem));
  }
}

async function problemOfFile(path: string): Promise<string | undefined> {
  if (!isAbsolute(path)) return "must be an absolute path";
  try {
    return (await stat(path)).isFile() ? undefined : "must be a regular file";
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    return `error loading file: stat ${path}: ${isMissing ? "no such file or directory" : "it cannot be read"}`;
  }
}

const maxConditions = 64;

function compileAll(given: NonNullable<WebhookConfiguration["matchConditions"]>, compile: Compile, { path, errors }: Field) {
  const compiled: MatchCondition[] = [];
  if (given.length > maxConditions) return refuse(errors, field.tooMany(path, given.length, maxConditions)) ?? compiled;
  const seen = new Set<string>();
  for (const [i, { expression = "" }] of given.entries()) {
    const at = `${path}[${i}].expression`;
    if (expression.trim() === "") errors.push(field.required(at));
    else if (seen.has(expression)) errors.push(field.duplicate(at, expression));
    else {
      seen.add(expression);
      const condition = compile(expression);
      if (typeof condition === "string") errors.push(field.invalid(at, expression, condition));
      else compiled.push(condition);
    }
  }
  return compiled;
}
