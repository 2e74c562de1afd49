import assert from "node:assert/strict";
import { test } from "node:test";
import { parseYaml } from "@coxswain/machinery";
import type { PluginFactory } from "../framework/plugin.ts";
import { handleOf } from "../plugins/volumes/objects-under-test.ts";
import { createProfile } from "../runtime/profile.ts";
import { pluginModulesOf, readSchedulerConfig, resolveScheduler, type SchedulerConfig } from "./read-config.ts";

const head = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";
const own = "apiVersion: scheduler.coxswain.io/v1\nkind: SchedulerConfiguration\n";
const read = async (text: string, plugins?: Record<string, PluginFactory>): Promise<SchedulerConfig> =>
  readSchedulerConfig(await parseYaml(text), plugins);
const profileOf = (config: SchedulerConfig, i = 0) => {
  const spec = config.profiles[i];
  assert.ok(spec);
  return createProfile(spec, () => handleOf());
};

/** Each as kube-scheduler 1.36.3 says it. */
const wrong: readonly { name: string; text: string; expect: string }[] = [
  {
    name: "an old version",
    text: "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration",
    expect:
      'no kind "KubeSchedulerConfiguration" is registered for version "kubescheduler.config.k8s.io/v1beta3" in scheme "pkg/runtime/scheme.go:111"',
  },
  {
    name: "unknown fields",
    text: `${head}foo: 1\nprofiles: [{schedulerNam: x}]`,
    expect: 'strict decoding error: unknown field "foo", unknown field "profiles[0].schedulerNam"',
  },
  {
    name: "a wrong type",
    text: `${head}percentageOfNodesToScore: many`,
    expect: "json: cannot unmarshal string into Go struct field KubeSchedulerConfiguration.percentageOfNodesToScore of type int32",
  },
  {
    name: "much at once",
    text: `${head}percentageOfNodesToScore: 101
parallelism: 0
podInitialBackoffSeconds: 20
podMaxBackoffSeconds: 10
profiles: [{schedulerName: a}, {schedulerName: a, percentageOfNodesToScore: -1}]
extenders:
- {urlPrefix: "http://x", prioritizeVerb: p, bindVerb: b, managedResources: [{name: foo}]}
- {urlPrefix: "http://y", bindVerb: b}`,
    expect:
      '[parallelism: Invalid value: 0: should be an integer value greater than zero, profiles[1].percentageOfNodesToScore: Invalid value: -1: not in valid range [0-100], profiles[1].schedulerName: Duplicate value: {}, percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100], podMaxBackoffSeconds: Invalid value: 10: must be greater than or equal to PodInitialBackoffSeconds, extenders[0].weight: Invalid value: 0: must have a positive weight applied to it, extenders[0].managedResources[0].name: Invalid value: "foo": is an invalid extended resource name, extenders: Invalid value: "found 2 extenders implementing bind": only one extender can implement bind]',
  },
  {
    name: "a profile without a name",
    text: `${head}profiles: [{schedulerName: a}, {}]`,
    expect: "profiles[1].schedulerName: Required value",
  },
  {
    name: "a plugin that does not exist",
    text: `${head}profiles: [{plugins: {score: {enabled: [{name: Missing}]}}}]`,
    expect: 'initializing profiles: creating profile for scheduler name default-scheduler: ScorePlugin "Missing" does not exist',
  },
  {
    name: "a plugin that does not exist, at multiPoint",
    text: `${head}profiles: [{plugins: {multiPoint: {enabled: [{name: Missing}]}}}]`,
    expect: 'initializing profiles: creating profile for scheduler name default-scheduler: PreFilterPlugin "Missing" does not exist',
  },
  {
    name: "a plugin where it has nothing to do",
    text: `${head}profiles: [{plugins: {score: {enabled: [{name: NodeName, weight: 1}]}}}]`,
    expect:
      'initializing profiles: creating profile for scheduler name default-scheduler: plugin "NodeName" does not extend ScorePlugin plugin',
  },
  {
    name: "a plugin twice",
    text: `${head}profiles: [{plugins: {score: {enabled: [{name: NodeAffinity, weight: 1}, {name: NodeAffinity, weight: 2}]}}}]`,
    expect:
      'initializing profiles: creating profile for scheduler name default-scheduler: plugin "NodeAffinity" already registered as "ScorePlugin"',
  },
  {
    name: "no bind plugin",
    text: `${head}profiles: [{plugins: {bind: {disabled: [{name: "*"}]}}}]`,
    expect:
      'initializing profiles: creating profile for scheduler name default-scheduler: at least one bind plugin is needed for profile with scheduler name "default-scheduler"',
  },
  {
    name: "no queue sort plugin",
    text: `${head}profiles: [{plugins: {queueSort: {disabled: [{name: "*"}]}}}]`,
    expect:
      'initializing profiles: creating profile for scheduler name default-scheduler: only one queue sort plugin required for profile with scheduler name "default-scheduler", but got 0',
  },
  {
    name: "an argument that a plugin does not have",
    text: `${head}profiles: [{pluginConfig: [{name: DefaultPreemption, args: {x: 1}}]}]`,
    expect:
      'strict decoding error: decoding .profiles[0].pluginConfig[0]: strict decoding error: decoding args for plugin DefaultPreemption: strict decoding error: unknown field "x"',
  },
  {
    name: "arguments out of range, and twice",
    text: `${head}profiles:
- pluginConfig:
  - {name: VolumeBinding, args: {bindTimeoutSeconds: -1}}
  - {name: InterPodAffinity, args: {hardPodAffinityWeight: 101}}
  - {name: InterPodAffinity}`,
    expect:
      '[profiles[0].pluginConfig[0].args.bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value, profiles[0].pluginConfig[1].args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100], profiles[0].pluginConfig[2]: Duplicate value: "InterPodAffinity"]',
  },
  {
    name: "arguments that are seen when the plugin is made",
    text: `${head}profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: {type: Foo}}}]}]`,
    expect:
      'initializing profiles: creating profile for scheduler name default-scheduler: initializing plugin "NodeResourcesFit": scoringStrategy.type: Unsupported value: "Foo": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"',
  },
  { name: "no duration", text: `${head}extenders: [{urlPrefix: "http://x", httpTimeout: soon}]`, expect: 'time: invalid duration "soon"' },
  {
    name: "queues that are sorted differently",
    text: `${head}profiles: [{schedulerName: a, plugins: {queueSort: {disabled: [{name: PrioritySort}]}}}, {schedulerName: b}]`,
    expect: 'profiles[1].plugins.queueSort: Invalid value: {"Enabled":null,"Disabled":null}: must be the same for all profiles',
  },
  {
    name: "plugins of one's own under kube-scheduler's name",
    text: `${head}plugins: [./a.ts]`,
    expect: 'strict decoding error: unknown field "plugins"',
  },
];

for (const { name, text, expect } of wrong)
  test(`wrong: ${name}`, async () => {
    await assert.rejects(async () => profileOf(await read(text)), { message: expect });
  });

test("without anything it is the default", async () => {
  const config = await read(head);
  const { schedulerName, score, filter } = profileOf(config);
  assert.equal(schedulerName, "default-scheduler");
  assert.deepEqual(
    score.map(({ plugin, weight }) => `${plugin.name} ${weight}`),
    [
      "TaintToleration 3",
      "NodeAffinity 2",
      "NodeResourcesFit 1",
      "PodTopologySpread 2",
      "InterPodAffinity 2",
      "NodeResourcesBalancedAllocation 1",
      "ImageLocality 1",
    ],
  );
  assert.equal(filter[0]?.name, "NodeUnschedulable");
  assert.deepEqual([config.podInitialBackoffMs, config.podMaxBackoffMs], [1000, 10_000]);
  assert.deepEqual(config.leaderElection, {
    leaderElect: true,
    lease: { namespace: "kube-system", name: "kube-scheduler" },
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2_000,
  });
});

const merged = [
  {
    name: "a default takes another weight and keeps its place",
    plugins: "{multiPoint: {enabled: [{name: TaintToleration, weight: 9}]}}",
    score: "TaintToleration 9, NodeAffinity 2",
  },
  {
    name: "at one point only",
    plugins: "{score: {enabled: [{name: NodeAffinity, weight: 7}]}}",
    score: "NodeAffinity 7, TaintToleration 3",
  },
  { name: "all but one", plugins: '{score: {disabled: [{name: "*"}], enabled: [{name: ImageLocality}]}}', score: "ImageLocality 1" },
  { name: "one less", plugins: "{score: {disabled: [{name: TaintToleration}]}}", score: "NodeAffinity 2, NodeResourcesFit 1" },
  { name: "nowhere", plugins: "{multiPoint: {disabled: [{name: TaintToleration}]}}", score: "NodeAffinity 2, NodeResourcesFit 1" },
  {
    name: "one's own comes last",
    plugins: "{multiPoint: {enabled: [{name: Own, weight: 4}]}}",
    score: "TaintToleration 3, NodeAffinity 2",
    last: "Own 4",
  },
];
for (const { name, plugins, score, last } of merged)
  test(`plugins: ${name}`, async () => {
    const ownPlugin: PluginFactory = () => ({ name: "Own", score: () => 1 });
    const profile = profileOf(await read(`${head}profiles: [{plugins: ${plugins}}]`, { Own: ownPlugin }));
    const weights = profile.score.map(({ plugin, weight }) => `${plugin.name} ${weight}`);
    assert.equal(weights.slice(0, 2).join(", "), score);
    if (last !== undefined) assert.equal(weights.at(-1), last);
  });

test("own plugins are named by the own kind", async () => {
  const text = `${own}plugins: [./a.ts, b]\npluginTimeout: 5s`;
  assert.deepEqual(pluginModulesOf(await parseYaml(text)), ["./a.ts", "b"]);
  assert.equal((await read(text)).profiles.length, 1);
});

test("a plugin with the name of one of the scheduler's own is rejected", () => {
  assert.throws(() => resolveScheduler({ plugins: { NodeName: () => ({ name: "NodeName" }) } }), {
    message: "a plugin named NodeName already exists",
  });
});

test("what an extender looks after is not counted", async () => {
  const extenders = 'extenders: [{urlPrefix: "http://x", managedResources: [{name: example.com/gpu, ignoredByScheduler: true}]}]';
  assert.deepEqual((await read(head + extenders)).profiles[0]?.args, { NodeResourcesFit: { ignoredResources: ["example.com/gpu"] } });
});
