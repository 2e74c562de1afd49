/** The kinds of admission configuration, as `scripts/generate-api-types.ts` writes the facts of what is served. */
import { compileTypes } from "@coxswain/machinery";

const prefix = "io.k8s.apiserver.admission";
const struct = (name: string): string => `${prefix}.${name}`;
const text = { type: "string", go: "omit" };
const texts = { type: "[string]", go: "omit" };
const number = { type: "integer:int32" };
const listOf = (name: string): object => ({ type: `[${struct(name)}]`, go: "omit" });
const root = { kind: text, apiVersion: text };

const types = compileTypes({
  configuration: {
    [struct("AdmissionConfiguration")]: { fields: { ...root, plugins: listOf("AdmissionPluginConfiguration") } },
    [struct("AdmissionPluginConfiguration")]: {
      fields: { name: text, path: text, configuration: { type: "io.k8s.apimachinery.pkg.runtime.RawExtension", go: "pointer" } },
    },
    [struct("PodSecurityConfiguration")]: {
      fields: { ...root, defaults: { type: struct("PodSecurityDefaults") }, exemptions: { type: struct("PodSecurityExemptions") } },
    },
    [struct("PodSecurityDefaults")]: {
      fields: { enforce: text, "enforce-version": text, audit: text, "audit-version": text, warn: text, "warn-version": text },
    },
    [struct("PodSecurityExemptions")]: { fields: { usernames: texts, namespaces: texts, runtimeClasses: texts } },
    [struct("EventRateLimitConfiguration")]: { fields: { ...root, limits: listOf("Limit") } },
    [struct("Limit")]: { fields: { type: text, qps: number, burst: number, cacheSize: number } },
    [struct("ResourceQuotaConfiguration")]: { fields: { ...root, limitedResources: listOf("LimitedResource") } },
    [struct("LimitedResource")]: {
      fields: { apiGroup: text, resource: text, matchContains: texts, matchScopes: listOf("ScopedResourceSelectorRequirement") },
    },
    [struct("ScopedResourceSelectorRequirement")]: { fields: { scopeName: text, operator: text, values: texts } },
    [struct("PodTolerationRestrictionConfiguration")]: {
      fields: { ...root, default: listOf("Toleration"), whitelist: listOf("Toleration") },
    },
    [struct("WebhookAdmissionConfiguration")]: { fields: { ...root, kubeConfigFile: text, staticManifestsDir: text } },
    [struct("Toleration")]: {
      fields: { key: text, operator: text, value: text, effect: text, tolerationSeconds: { type: "integer:int64", go: "pointer" } },
    },
  },
});

/** @throws Error for a name that is not above */
export function typeNamed(name: string): NonNullable<ReturnType<typeof types.get>> {
  const type = types.get(struct(name));
  if (type === undefined) throw new Error(`the facts lack ${name}`);
  return type;
}
