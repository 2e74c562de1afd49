import assert from "node:assert/strict";
import { test } from "node:test";
import type { AdmissionPluginFactory } from "../contracts/admission.ts";
import type { AdmissionPluginConfigurations } from "../contracts/admission-configuration.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { alwaysDeny } from "./always-deny.ts";
import { alwaysPullImages } from "./always-pull-images.ts";
import { extendedResourceToleration } from "./extended-resource-toleration.ts";
import { limitPodHardAntiAffinityTopology } from "./limit-pod-hard-anti-affinity-topology.ts";
import { admitted } from "./plugin-under-test.ts";
import { podNodeSelector } from "./pod-node-selector.ts";
import { podTolerationRestriction } from "./pod-toleration-restriction.ts";

const pod = (spec: object = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p", namespace: "n" },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

const namespace = (annotations: Readonly<Record<string, string>>) => [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "n", annotations } },
];

const configured = (
  factory: AdmissionPluginFactory<ObjectReader & { readonly configuration?: AdmissionPluginConfigurations }>,
  configuration: AdmissionPluginConfigurations,
): AdmissionPluginFactory<ObjectReader> => ({ ...factory, create: (reader) => factory.create({ ...reader, configuration }) });

test("AlwaysPullImages changes the policy of every container and image volume", async () => {
  const containers = [{ name: "c", image: "i", imagePullPolicy: "Never" }];
  const volumes = [
    { name: "v", image: { reference: "i", pullPolicy: "Never" } },
    { name: "e", emptyDir: {} },
  ];
  const always = [{ name: "c", image: "i", imagePullPolicy: "Always" }];
  const sent = pod({ containers, initContainers: containers, ephemeralContainers: containers, volumes });
  const expected = pod({
    containers: always,
    initContainers: always,
    ephemeralContainers: always,
    volumes: [{ name: "v", image: { reference: "i", pullPolicy: "Always" } }, volumes[1]],
  });
  assert.deepEqual(await admitted(alwaysPullImages, { object: sent }), expected);
});

test("AlwaysPullImages leaves an update without a new image alone, and no other", async () => {
  const before = pod({ containers: [{ name: "c", image: "i", imagePullPolicy: "Never" }] });
  assert.deepEqual(await admitted(alwaysPullImages, { object: before, previous: before }), before);
  const next = pod({ containers: [{ name: "c", image: "j", imagePullPolicy: "Never" }] });
  const expected = pod({ containers: [{ name: "c", image: "j", imagePullPolicy: "Always" }] });
  assert.deepEqual(await admitted(alwaysPullImages, { object: next, previous: before }), expected);
});

test("AlwaysPullImages refuses other policies that came after it", async () => {
  const onlyValidates: AdmissionPluginFactory<ObjectReader> = {
    ...alwaysPullImages,
    create: (reader) => ({ ...alwaysPullImages.create(reader), mutate: () => undefined }),
  };
  const never = { name: "c", image: "i", imagePullPolicy: "Never" };
  const one = 'pods "p" is forbidden: spec.containers[0].imagePullPolicy: Unsupported value: "Never": supported values: "Always"';
  assert.equal(await admitted(onlyValidates, { object: pod({ containers: [never] }) }), one);
  const volumes = [{ name: "v", image: { reference: "i", pullPolicy: "Never" } }];
  const other = 'pods "p" is forbidden: spec.volumes[0].image.pullPolicy: Unsupported value: "Never": supported values: "Always"';
  assert.equal(await admitted(onlyValidates, { object: pod({ containers: [never], volumes }) }), `[${one}, ${other}]`);
});

test("LimitPodHardAntiAffinityTopology allows nodes alone", async () => {
  const keyed = (topologyKey: string) =>
    pod({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey }] } } });
  const why =
    'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key kubernetes.io/hostname is allowed';
  assert.equal(await admitted(limitPodHardAntiAffinityTopology, { object: keyed("zone") }), why);
  const allowed = keyed("kubernetes.io/hostname");
  assert.deepEqual(await admitted(limitPodHardAntiAffinityTopology, { object: allowed }), allowed);
});

test("ExtendedResourceToleration tolerates what the containers' extended resources are kept by", async () => {
  const using = (...names: readonly string[]) => ({
    name: "c",
    resources: { requests: Object.fromEntries(names.map((name) => [name, "1"])) },
  });
  const kept = [{ key: "example.com/b", operator: "Exists", effect: "NoSchedule" }];
  const sent = pod({
    containers: [using("cpu", "example.com/b", "kubernetes.io/x")],
    initContainers: [using("example.com/a")],
    tolerations: kept,
  });
  const tolerations = [...kept, { key: "example.com/a", operator: "Exists", effect: "NoSchedule" }];
  assert.deepEqual(await admitted(extendedResourceToleration, { object: sent }), { ...sent, spec: { ...sent.spec, tolerations } });
});

test("ExtendedResourceToleration takes the place of a toleration that ends", async () => {
  const key = { key: "example.com/b", operator: "Exists", effect: "NoSchedule" };
  const containers = [{ name: "c", resources: { requests: { "example.com/b": "1" } } }];
  const sent = pod({ containers, tolerations: [{ ...key, tolerationSeconds: 3 }] });
  assert.deepEqual(await admitted(extendedResourceToleration, { object: sent }), pod({ containers, tolerations: [key] }));
});

const selector = "scheduler.alpha.kubernetes.io/node-selector";

test("PodNodeSelector gives Pods the selector of their Namespace, else that of the cluster", async () => {
  const stored = namespace({ [selector]: "env=test,disk=ssd" });
  const expected = pod({ nodeSelector: { zone: "a", env: "test", disk: "ssd" } });
  assert.deepEqual(await admitted(podNodeSelector, { object: pod({ nodeSelector: { zone: "a" } }), stored }), expected);
  const plugin = configured(podNodeSelector, { podNodeSelector: { clusterDefaultNodeSelector: "tier=x" } });
  assert.deepEqual(await admitted(plugin, { object: pod(), stored: namespace({}) }), pod({ nodeSelector: { tier: "x" } }));
  assert.deepEqual(await admitted(plugin, { object: pod(), stored: namespace({ [selector]: "" }) }), pod());
});

test("PodNodeSelector refuses what contradicts the Namespace or is not on its list", async () => {
  const object = pod({ nodeSelector: { env: "live" } });
  const conflict = 'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector';
  assert.equal(await admitted(podNodeSelector, { object, stored: namespace({ [selector]: "env=test" }) }), conflict);
  const plugin = configured(podNodeSelector, { podNodeSelector: { n: "env=test,zone=a" } });
  const unlisted = 'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist';
  assert.equal(await admitted(plugin, { object, stored: namespace({}) }), unlisted);
  const listed = pod({ nodeSelector: { zone: "a" } });
  assert.deepEqual(await admitted(plugin, { object: listed, stored: namespace({}) }), listed);
});

for (const [text, why] of [
  ["env", "invalid selector: [env]"],
  ["a=b=c", "invalid selector: [a b c]"],
  ["en v=x", '<nil>: Invalid value: "en v": name part must consist of'],
  ["env=x y", '[env]: Invalid value: "x y": a valid label must be an empty string'],
] as const)
  test(`PodNodeSelector refuses the selector ${text}`, async () => {
    const message = await admitted(podNodeSelector, { object: pod(), stored: namespace({ [selector]: text }) });
    assert.ok(typeof message === "string" && message.startsWith(why), String(message));
  });

const defaults = "scheduler.alpha.kubernetes.io/defaultTolerations";
const whitelist = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";
const equal = { key: "k", operator: "Equal", value: "v", effect: "NoSchedule" } as const;
const exists = { key: "k", operator: "Exists" } as const;

test("PodTolerationRestriction gives new Pods the tolerations of their Namespace, else those of the cluster", async () => {
  const plugin = configured(podTolerationRestriction, { podTolerationRestriction: { default: [exists], whitelist: [] } });
  const stored = namespace({ [defaults]: JSON.stringify([equal]) });
  assert.deepEqual(await admitted(plugin, { object: pod(), stored }), pod({ tolerations: [equal] }));
  assert.deepEqual(await admitted(plugin, { object: pod(), stored: namespace({}) }), pod({ tolerations: [exists] }));
  for (const none of ["", "null", "[]"])
    assert.deepEqual(await admitted(plugin, { object: pod(), stored: namespace({ [defaults]: none }) }), pod());
  assert.deepEqual(await admitted(plugin, { object: pod(), previous: pod(), stored }), pod());
});

test("PodTolerationRestriction keeps of two tolerations the one that includes the other", async () => {
  const stored = namespace({ [defaults]: JSON.stringify([exists]) });
  assert.deepEqual(
    await admitted(podTolerationRestriction, { object: pod({ tolerations: [equal] }), stored }),
    pod({ tolerations: [exists] }),
  );
});

test("PodTolerationRestriction keeps one of two equal tolerations, also without an operator", async () => {
  for (const twice of [equal, { key: "k", value: "v" }]) {
    const stored = namespace({ [defaults]: JSON.stringify([twice]), [whitelist]: JSON.stringify([twice]) });
    const object = pod({ tolerations: [twice] });
    assert.deepEqual(await admitted(podTolerationRestriction, { object, stored }), object);
  }
});

test("PodTolerationRestriction lets Pods with requests onto nodes short of memory", async () => {
  const containers = [{ name: "c", resources: { requests: { cpu: "1" } } }];
  const tolerations = [{ key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" }];
  const object = pod({ containers });
  assert.deepEqual(await admitted(podTolerationRestriction, { object, stored: namespace({}) }), pod({ containers, tolerations }));
});

const inclusions = [
  { name: "the same", wide: equal, narrow: equal, includes: true },
  { name: "any key", wide: { operator: "Exists" }, narrow: equal, includes: true },
  { name: "any effect", wide: exists, narrow: equal, includes: true },
  { name: "another key", wide: { key: "l", operator: "Exists" }, narrow: equal, includes: false },
  { name: "another effect", wide: { ...exists, effect: "NoExecute" }, narrow: equal, includes: false },
  { name: "another value", wide: { ...equal, value: "w" }, narrow: equal, includes: false },
  { name: "any value by one value", wide: equal, narrow: { ...exists, effect: "NoSchedule" }, includes: false },
  {
    name: "for longer",
    wide: { ...exists, effect: "NoExecute", tolerationSeconds: 3 },
    narrow: { ...exists, effect: "NoExecute", tolerationSeconds: 4 },
    includes: false,
  },
  {
    name: "for as long",
    wide: { ...exists, effect: "NoExecute", tolerationSeconds: 3 },
    narrow: { ...equal, effect: "NoExecute", tolerationSeconds: 3 },
    includes: true,
  },
] as const;
for (const { name, wide, narrow, includes } of inclusions)
  test(`PodTolerationRestriction ${includes ? "allows" : "refuses"} what the list of the Namespace has for ${name}`, async () => {
    const object = pod({ tolerations: [narrow] });
    const outcome = await admitted(podTolerationRestriction, { object, stored: namespace({ [whitelist]: JSON.stringify([wide]) }) });
    const why = "pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist";
    assert.deepEqual(outcome, includes ? object : why);
  });

test("PodTolerationRestriction asks the list of the cluster where the Namespace has none", async () => {
  const plugin = configured(podTolerationRestriction, { podTolerationRestriction: { default: [], whitelist: [equal] } });
  const object = pod({ tolerations: [exists] });
  const why = "pod tolerations (possibly merged with namespace default tolerations) conflict with its cluster whitelist";
  assert.equal(await admitted(plugin, { object, stored: namespace({}) }), why);
  assert.deepEqual(await admitted(plugin, { object, stored: namespace({ [whitelist]: "" }) }), object);
});

test("PodTolerationRestriction refuses annotations that are no list", async () => {
  const outcome = (text: string) => admitted(podTolerationRestriction, { object: pod(), stored: namespace({ [defaults]: text }) });
  assert.equal(await outcome("nope"), "invalid character 'o' in literal null (expecting 'u')");
  assert.equal(await outcome("{}"), "json: cannot unmarshal object into Go value of type []v1.Toleration");
});

test("AlwaysDeny refuses everything", async () => {
  assert.equal(await admitted(alwaysDeny, { object: pod() }), 'pods "p" is forbidden: admission control is denying all modifications');
});
