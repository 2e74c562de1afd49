import assert from "node:assert/strict";
import { test } from "node:test";
import { loadAdmissionConfiguration } from "./load.ts";

const everything = {
  enabled: ["PodSecurity", "EventRateLimit", "ResourceQuota", "PodNodeSelector", "PodTolerationRestriction", "ValidatingAdmissionWebhook"],
  kubeconfigs: {
    users: async (path: string) => ({ byName: { "*": { username: path } } }),
    access: async (path: string) => ({ url: `https://${path}`, caBundle: "", serverName: "", isUnchecked: false, credentials: {} }),
  },
  readPath: async (path: string) => `podNodeSelectorPluginConfig: {clusterDefaultNodeSelector: "from=${path}"}`,
};
const only = (...enabled: readonly string[]) => ({ ...everything, enabled });

const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n";
const psa = "pod-security.admission.config.k8s.io";
const plugin = (name: string, configuration: object): string =>
  `${head}plugins: [{name: ${name}, configuration: ${JSON.stringify(configuration)}}]`;
const podSecurity = (more: object) => plugin("PodSecurity", { apiVersion: `${psa}/v1`, kind: "PodSecurityConfiguration", ...more });
const rates = (more: object) =>
  plugin("EventRateLimit", { apiVersion: "eventratelimit.admission.k8s.io/v1alpha1", kind: "Configuration", ...more });
const tolerations = (more: object) =>
  plugin("PodTolerationRestriction", { apiVersion: "podtolerationrestriction.admission.k8s.io/v1alpha1", kind: "Configuration", ...more });
const quota = (more: object) =>
  plugin("ResourceQuota", { apiVersion: "apiserver.config.k8s.io/v1", kind: "ResourceQuotaConfiguration", ...more });

const webhooks = (name: string, more: object) =>
  plugin(name, { apiVersion: "apiserver.config.k8s.io/v1", kind: "WebhookAdmissionConfiguration", ...more });
const imagePolicy = (given: object) => plugin("ImagePolicyWebhook", { imagePolicy: given });
const policy = { webhook: { url: "https://f", caBundle: "", serverName: "", isUnchecked: false, credentials: {} } };

const newest = { level: "privileged", version: "latest" };
const read = [
  { name: "no plugin", text: head, options: only("PodSecurity"), expect: {} },
  {
    name: "levels, versions and exemptions",
    text: podSecurity({ defaults: { enforce: "baseline", "warn-version": "v1.25" }, exemptions: { usernames: ["u"], namespaces: ["n"] } }),
    options: only("PodSecurity"),
    expect: {
      podSecurity: {
        defaults: { enforce: { level: "baseline", version: "latest" }, audit: newest, warn: { level: "privileged", version: 25 } },
        exemptions: { usernames: ["u"], namespaces: ["n"], runtimeClasses: [] },
      },
    },
  },
  {
    name: "rates, with what is not known in them",
    text: rates({ more: 1, limits: [{ type: "User", qps: 1, burst: 2 }] }),
    options: only("EventRateLimit"),
    expect: { eventRateLimit: { limits: [{ type: "User", qps: 1, burst: 2, cacheSize: 0 }] } },
  },
  {
    name: "limited resources",
    text: quota({ limitedResources: [{ resource: "pods", matchContains: ["cpu"] }] }),
    options: only("ResourceQuota"),
    expect: { resourceQuota: { limitedResources: [{ resource: "pods", matchContains: ["cpu"] }] } },
  },
  {
    name: "selectors",
    text: plugin("PodNodeSelector", { podNodeSelectorPluginConfig: { n: "a=b" } }),
    options: only("PodNodeSelector"),
    expect: { podNodeSelector: { n: "a=b" } },
  },
  {
    name: "a file that is named",
    text: `${head}plugins: [{name: PodNodeSelector, path: selectors.yaml}]`,
    options: only("PodNodeSelector"),
    expect: { podNodeSelector: { clusterDefaultNodeSelector: "from=selectors.yaml" } },
  },
  {
    name: "a file of selectors alone, as there were once",
    text: "podNodeSelectorPluginConfig: {team: a=b}",
    options: only("PodNodeSelector", "PodSecurity"),
    expect: { podNodeSelector: { team: "a=b" } },
  },
  {
    name: "tolerations",
    text: tolerations({ default: [{ key: "k", operator: "Exists" }] }),
    options: only("PodTolerationRestriction"),
    expect: { podTolerationRestriction: { default: [{ key: "k", operator: "Exists" }], whitelist: [] } },
  },
  {
    name: "as whom webhooks are asked",
    text: webhooks("ValidatingAdmissionWebhook", { kubeConfigFile: "/f" }),
    options: only("ValidatingAdmissionWebhook", "MutatingAdmissionWebhook"),
    expect: { validatingWebhooks: { byName: { "*": { username: "/f" } } } },
  },
  {
    name: "a mutating webhook's kubeconfig",
    text: webhooks("MutatingAdmissionWebhook", { kubeConfigFile: "/f" }),
    options: only("MutatingAdmissionWebhook"),
    expect: { mutatingWebhooks: { byName: { "*": { username: "/f" } } } },
  },
  {
    name: "an image policy with its defaults",
    text: imagePolicy({ kubeConfigFile: "f" }),
    options: only("ImagePolicyWebhook"),
    expect: { imagePolicy: { ...policy, allowedMs: 300_000, deniedMs: 30_000, retryBackoffMs: 500, defaultAllow: false } },
  },
  {
    name: "an image policy with other times",
    text: imagePolicy({ kubeConfigFile: "f", allowTTL: 50, denyTTL: -1, retryBackoff: 7, defaultAllow: true }),
    options: only("ImagePolicyWebhook"),
    expect: { imagePolicy: { ...policy, allowedMs: 50_000, deniedMs: 0, retryBackoffMs: 7, defaultAllow: true } },
  },
  {
    name: "a file of an image policy alone, as there were once",
    text: "imagePolicy: {kubeConfigFile: f}",
    options: only("ImagePolicyWebhook"),
    expect: { imagePolicy: { ...policy, allowedMs: 300_000, deniedMs: 30_000, retryBackoffMs: 500, defaultAllow: false } },
  },
  { name: "nothing of a plugin that is off", text: rates({}), options: only("PodSecurity"), expect: {} },
];
for (const { name, text, options, expect } of read)
  test(`an admission configuration: ${name}`, async () => {
    assert.deepEqual(await loadAdmissionConfiguration(text, options), expect);
  });

const refused = [
  { text: "foo: bar", message: "failed to read plugin config: Object 'Kind' is missing in 'foo: bar'" },
  {
    text: "kind: AdmissionConfiguration",
    message: "failed to read plugin config: Object 'apiVersion' is missing in 'kind: AdmissionConfiguration'",
  },
  {
    text: "apiVersion: apiserver.config.k8s.io/v1\nkind: Other",
    message: 'failed to read plugin config: no kind "Other" is registered for version "apiserver.config.k8s.io/v1"',
  },
  {
    text: `${head}plugins: [{name: x, foo: 1}]\nbar: 2`,
    message: 'failed to read plugin config: strict decoding error: unknown field "plugins[0].foo", unknown field "bar"',
  },
  {
    text: podSecurity({ defaults: { enforce: "high", "warn-version": "new" } }),
    message:
      'failed to initialize admission plugin "PodSecurity": PodSecurity configuration error: [enforce: must be one of privileged, baseline, restricted, warn-version: must be "latest" or "v1.x"]',
  },
  {
    text: podSecurity({ exemptions: { namespaces: ["b", "b"], usernames: [""], runtimeClasses: ["A"] } }),
    message:
      /^failed to initialize admission plugin "PodSecurity": .*exemptions\.namespaces\[1\]: Duplicate value: "b", exemptions\.runtimeClasses\[0\]: Invalid value: "A": .*exemptions\.usernames\[0\]: Invalid value: "": username must not be empty\]$/,
  },
  {
    text: podSecurity({ default: {} }),
    message: 'couldn\'t init admission plugin "PodSecurity": strict decoding error: unknown field "default"',
  },
  {
    text: plugin("PodSecurity", { apiVersion: `${psa}/v1alpha2`, kind: "PodSecurityConfiguration" }),
    message: `couldn't init admission plugin "PodSecurity": no kind "PodSecurityConfiguration" is registered for version "${psa}/v1alpha2"`,
  },
  { text: rates({}), message: 'couldn\'t init admission plugin "EventRateLimit": limits: Invalid value: null: must not be empty' },
  {
    text: rates({ limits: [{ type: "X", qps: 0, burst: -1, cacheSize: -1 }] }),
    message:
      'couldn\'t init admission plugin "EventRateLimit": [limits[0].type: Unsupported value: "X": supported values: "Namespace", "Server", "SourceAndObject", "User", limits[0].burst: Invalid value: -1: must be positive, limits[0].qps: Invalid value: 0: must be positive, limits[0].cacheSize: Invalid value: -1: must not be negative]',
  },
  {
    text: quota({ limitedResources: [{ matchContains: ["x"] }] }),
    message: 'couldn\'t init admission plugin "ResourceQuota": limitedResources[0].resource: Required value',
  },
  {
    text: tolerations({ default: [{ operator: "Exists", effect: "X" }], whitelist: [{ key: "a", operator: "Maybe" }] }),
    message:
      'couldn\'t init admission plugin "PodTolerationRestriction": invalid config: [podtolerationrestriction.default[0].effect: Unsupported value: "X": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute" podtolerationrestriction.whitelist[0].operator: Unsupported value: "Maybe": supported values: "Equal", "Exists"]',
  },
  {
    text: plugin("ValidatingAdmissionWebhook", { kubeConfigFile: "/f" }),
    message: 'couldn\'t init admission plugin "ValidatingAdmissionWebhook": Object \'Kind\' is missing in \'{"kubeConfigFile":"/f"}\'',
  },
  {
    text: webhooks("MutatingAdmissionWebhook", { kubeConfigFile: "f" }),
    message:
      'couldn\'t init admission plugin "MutatingAdmissionWebhook": kubeConfigFile: Invalid value: "f": must be an absolute file path',
  },
  {
    text: webhooks("MutatingAdmissionWebhook", { staticManifestsDir: "/d" }),
    message:
      'couldn\'t init admission plugin "MutatingAdmissionWebhook": staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled',
  },
  {
    text: imagePolicy({ retryBackoff: 300_001 }),
    message: 'couldn\'t init admission plugin "ImagePolicyWebhook": valid value is between 1ns and 5m0s, got 5m0.001s',
  },
  {
    text: imagePolicy({ denyTTL: 1801 }),
    message: 'couldn\'t init admission plugin "ImagePolicyWebhook": valid value is between 1s and 30m0s, got 30m1s',
  },
];
for (const { text, message } of refused)
  test(`an admission configuration is refused: ${text.slice(-60)}`, async () => {
    const name = /name: (\w+)/.exec(text)?.[1] ?? "PodSecurity";
    await assert.rejects(loadAdmissionConfiguration(text, only(name)), { message });
  });

test("a plugin that needs a configuration is not there without one", async () => {
  const message = 'couldn\'t init admission plugin "EventRateLimit": limits: Invalid value: null: must not be empty';
  await assert.rejects(loadAdmissionConfiguration(undefined, everything), { message });
  const none = 'couldn\'t init admission plugin "ImagePolicyWebhook": no config specified';
  await assert.rejects(loadAdmissionConfiguration(undefined, only("ImagePolicyWebhook")), { message: none });
});
