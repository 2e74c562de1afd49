/** What each plugin takes for its configuration. Each function throws an Error in Kubernetes' words. */
import { podSecurity, validateTolerations } from "@coxswain/api";
import { field, isObject, parseYaml, validateDns1123Label, validateDns1123Subdomain } from "@coxswain/machinery";
import type {
  AdmissionPluginConfigurations,
  EventRateLimit,
  EventRateLimitConfiguration,
  PodNodeSelectorConfiguration,
  PodSecurityConfiguration,
  PodTolerationRestrictionConfiguration,
  ResourceQuotaConfiguration,
} from "../../contracts/admission-configuration.ts";
import type { KubeconfigReader } from "../../contracts/webhook-credentials.ts";
import { decodeDocument } from "./decode-document.ts";
import { imagePolicyOf, webhookUsersOf } from "./webhook-configurations.ts";

/** Undefined: nothing is configured. */
type Read = (text: string | undefined, kubeconfigs: KubeconfigReader) => Promise<AdmissionPluginConfigurations>;

/** By the names of the plugins. */
export const pluginConfigurations: ReadonlyMap<string, Read> = new Map<string, Read>([
  ["PodSecurity", async (text) => (text === undefined ? {} : { podSecurity: await podSecurityOf(text) })],
  ["EventRateLimit", async (text) => ({ eventRateLimit: await eventRateLimitOf(text) })],
  ["ResourceQuota", async (text) => (text === undefined ? {} : { resourceQuota: await resourceQuotaOf(text) })],
  ["PodNodeSelector", async (text) => (text === undefined ? {} : { podNodeSelector: await podNodeSelectorOf(text) })],
  ["PodTolerationRestriction", async (text) => (text === undefined ? {} : { podTolerationRestriction: await tolerationsOf(text) })],
  ["ImagePolicyWebhook", async (text, kubeconfigs) => ({ imagePolicy: await imagePolicyOf(text, kubeconfigs) })],
  ["MutatingAdmissionWebhook", async (...given) => named("mutatingWebhooks", await webhookUsersOf(...given))],
  ["ValidatingAdmissionWebhook", async (...given) => named("validatingWebhooks", await webhookUsersOf(...given))],
]);

const named = <K extends keyof AdmissionPluginConfigurations>(
  key: K,
  value: AdmissionPluginConfigurations[K] | undefined,
): AdmissionPluginConfigurations => (value === undefined ? {} : { [key]: value });

const levelVersions = ["enforce", "audit", "warn"] as const;

async function podSecurityOf(text: string): Promise<PodSecurityConfiguration> {
  const group = "pod-security.admission.config.k8s.io";
  const versions = [`${group}/v1`, `${group}/v1beta1`, `${group}/v1alpha1`];
  const kinds = [{ kind: "PodSecurityConfiguration", versions, type: "PodSecurityConfiguration" }];
  const { defaults = {}, exemptions = {} } = (await decodeDocument(text, { kinds })) as Partial<PodSecurityDocument>;
  const problems: string[] = [];
  const levels = levelVersions.map((mode): readonly [podSecurity.Mode, podSecurity.LevelVersion] => {
    const level = podSecurity.parseLevel(defaults[mode] ?? "privileged");
    const version = podSecurity.parseVersion(defaults[`${mode}-version`] ?? "latest");
    if (level === undefined) problems.push(`${mode}: ${podSecurity.levelProblem}`);
    if (version === undefined) problems.push(`${mode}-version: ${podSecurity.versionProblem}`);
    return [mode, { level: level ?? "restricted", version: version ?? "latest" }];
  });
  if (problems.length > 0) throw new ConfigurationError(`PodSecurity configuration error: ${aggregate(problems)}`);
  const { usernames = [], namespaces = [], runtimeClasses = [] } = exemptions;
  const errors = [
    ...namesErrors("exemptions.namespaces", namespaces, (name) => validateDns1123Label(name)),
    ...namesErrors("exemptions.runtimeClasses", runtimeClasses, (name) => validateDns1123Subdomain(name)),
    ...namesErrors("exemptions.usernames", usernames, (name) => (name === "" ? ["username must not be empty"] : [])),
  ];
  if (errors.length > 0)
    throw new ConfigurationError(`invalid PodSecurity configuration: ${aggregate(errors.map(field.formatFieldError))}`);
  return {
    defaults: Object.fromEntries(levels) as PodSecurityConfiguration["defaults"],
    exemptions: { usernames, namespaces, runtimeClasses },
  };
}

/** What is found when a plugin begins with its configuration, not when that is read. */
export class ConfigurationError extends Error {}

interface PodSecurityDocument {
  readonly defaults: Partial<Readonly<Record<podSecurity.Mode | `${podSecurity.Mode}-version`, string>>>;
  readonly exemptions: Partial<PodSecurityConfiguration["exemptions"]>;
}

function namesErrors(path: string, names: readonly string[], problemsOf: (name: string) => readonly string[]): field.FieldError[] {
  const seen = new Set<string>();
  return names.flatMap((name, i) => {
    const problems = problemsOf(name);
    if (problems.length > 0) return [field.invalid(`${path}[${i}]`, name, problems.join(", "))];
    const isRepeated = seen.has(name);
    seen.add(name);
    return isRepeated ? [field.duplicate(`${path}[${i}]`, name)] : [];
  });
}

const limitTypes: readonly EventRateLimit["type"][] = ["Namespace", "Server", "SourceAndObject", "User"];

async function eventRateLimitOf(text: string | undefined): Promise<EventRateLimitConfiguration> {
  const versions = ["eventratelimit.admission.k8s.io/v1alpha1"];
  const kinds = [{ kind: "Configuration", versions, type: "EventRateLimitConfiguration" }];
  const document = text === undefined ? {} : await decodeDocument(text, { kinds, isLenient: true });
  const { limits = [] } = document as Partial<EventRateLimitConfiguration>;
  const errors = limits.length === 0 ? [field.invalid("limits", null, "must not be empty")] : limits.flatMap(limitErrors);
  if (errors.length > 0) throw new Error(aggregate(errors.map(field.formatFieldError)));
  return { limits };
}

function limitErrors({ type, burst, qps, cacheSize }: EventRateLimit, i: number): field.FieldError[] {
  const at = `limits[${i}]`;
  return [
    ...(limitTypes.includes(type) ? [] : [field.notSupported(`${at}.type`, type, limitTypes)]),
    ...(burst > 0 ? [] : [field.invalid(`${at}.burst`, burst, "must be positive")]),
    ...(qps > 0 ? [] : [field.invalid(`${at}.qps`, qps, "must be positive")]),
    ...(type === "Server" || cacheSize >= 0 ? [] : [field.invalid(`${at}.cacheSize`, cacheSize, "must not be negative")]),
  ];
}

async function resourceQuotaOf(text: string): Promise<ResourceQuotaConfiguration> {
  const older = ["resourcequota.admission.k8s.io/v1beta1", "resourcequota.admission.k8s.io/v1alpha1"];
  const type = "ResourceQuotaConfiguration";
  const kinds = [
    { kind: "ResourceQuotaConfiguration", versions: ["apiserver.config.k8s.io/v1"], type },
    { kind: "Configuration", versions: older, type },
  ];
  const { limitedResources = [] } = (await decodeDocument(text, { kinds })) as Partial<ResourceQuotaConfiguration>;
  const errors = limitedResources.flatMap(({ resource = "" }, i) =>
    resource === "" ? [field.required(`limitedResources[${i}].resource`)] : [],
  );
  if (errors.length > 0) throw new Error(aggregate(errors.map(field.formatFieldError)));
  return { limitedResources };
}

/** A document without a kind. What cannot be read is left out, as there. */
async function podNodeSelectorOf(text: string): Promise<PodNodeSelectorConfiguration> {
  const document = await parseYaml(text);
  const selectors = isObject(document) ? document.podNodeSelectorPluginConfig : undefined;
  const known = isObject(selectors) ? Object.entries(selectors) : [];
  return Object.fromEntries(known.filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}

async function tolerationsOf(text: string): Promise<PodTolerationRestrictionConfiguration> {
  const versions = ["podtolerationrestriction.admission.k8s.io/v1alpha1"];
  const kinds = [{ kind: "Configuration", versions, type: "PodTolerationRestrictionConfiguration" }];
  const document = await decodeDocument(text, { kinds, isLenient: true });
  const { default: defaults = [], whitelist = [] } = document as Partial<PodTolerationRestrictionConfiguration>;
  const errors: field.FieldError[] = [];
  validateTolerations(errors, "podtolerationrestriction.default", defaults);
  validateTolerations(errors, "podtolerationrestriction.whitelist", whitelist);
  if (errors.length > 0) throw new Error(`invalid config: [${errors.map(field.formatFieldError).join(" ")}]`);
  return { default: defaults, whitelist };
}

const aggregate = (messages: readonly string[]): string => (messages.length === 1 ? messages.join() : `[${messages.join(", ")}]`);
