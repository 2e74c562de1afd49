import assert from "node:assert/strict";
import { test } from "node:test";
import { type api, type Client, events, jobs, pods, startControllers } from "@coxswain/client";
import { jobController } from "@coxswain/controllers";
import { startCluster, type TestCluster, virtualClock } from "coxswain/testing";
import { simulateNodes } from "./simulated-node.ts";
import type { Pod, PodOutcome } from "./simulated-pod.ts";

type Job = api.batchV1.Job;
type JobSpec = Partial<api.batchV1.JobSpec>;

const finalizer = "batch.kubernetes.io/job-tracking";

const jobOf = (spec: JobSpec, name = "sum"): Job => ({
  metadata: { name },
  spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "sum" }] } }, ...spec },
});

const succeeds: PodOutcome = { kind: "ends", exitCode: 0, afterMs: 5_000 };
const fails: PodOutcome = { kind: "ends", exitCode: 1, afterMs: 5_000 };
const runsOn: PodOutcome = { kind: "runs" };

interface Setting {
  readonly cluster: TestCluster;
  readonly client: Client;
  /** Of the Job `sum`, once it is finished. */
  finished(): Promise<Job>;
}

/** A virtual clock that goes on by itself, with nodes on which each Pod fares as is said. */
async function withJobs(podOutcome: (pod: Pod) => PodOutcome, run: (setting: Setting) => Promise<void>): Promise<void> {
  await using cluster = await startCluster({ clock: virtualClock({ autoAdvance: true }) });
  const { client } = cluster;
  await using _nodes = await simulateNodes({ client, podOutcome });
  await using _controllers = startControllers(jobController.make({ client, settings: {} }), { client });
  const isFinished = ({ status }: Job): boolean =>
    status?.conditions?.some(({ type, status }) => (type === "Complete" || type === "Failed") && status === "True") === true;
  await run({ cluster, client, finished: () => cluster.waitFor(jobs, "sum", isFinished, { timeoutMs: 7_200_000 }) });
}

const indexOf = ({ metadata }: Pod): string => metadata?.annotations?.["batch.kubernetes.io/job-completion-index"] ?? "";

/** Without times, which the tests of the clock look at. */
const statusOf = ({ status }: Job): unknown => {
  const { startTime: _, completionTime: __, conditions = [], ...rest } = status ?? {};
  return { ...rest, conditions: conditions.map(({ type, reason, message }) => [type, reason, message]) };
};

const complete = (reason: string, message: string) => [
  ["SuccessCriteriaMet", reason, message],
  ["Complete", reason, message],
];
const failed = (reason: string, message: string) => [
  ["FailureTarget", reason, message],
  ["Failed", reason, message],
];
const completed = complete("CompletionsReached", "Reached expected number of succeeded pods");
const quiet = { ready: 0, terminating: 0, uncountedTerminatedPods: {} };

const cases: readonly { name: string; spec: JobSpec; podOutcome: (pod: Pod) => PodOutcome; expect: object }[] = [
  {
    name: "Complete, when as many Pods as completions have succeeded",
    spec: { completions: 5, parallelism: 2 },
    podOutcome: () => succeeds,
    expect: { ...quiet, succeeded: 5, conditions: completed },
  },
  {
    name: "Complete, when one Pod has succeeded and there is no completions",
    spec: { parallelism: 3 },
    podOutcome: () => succeeds,
    expect: { ...quiet, succeeded: 3, conditions: completed },
  },
  {
    name: "Failed, when there are more failures than backoffLimit",
    spec: { backoffLimit: 2 },
    podOutcome: () => fails,
    expect: { ...quiet, failed: 3, conditions: failed("BackoffLimitExceeded", "Job has reached the specified backoff limit") },
  },
  {
    name: "Failed, when activeDeadlineSeconds is exceeded",
    spec: { activeDeadlineSeconds: 60, parallelism: 2, completions: 2 },
    podOutcome: () => runsOn,
    expect: { ...quiet, failed: 2, conditions: failed("DeadlineExceeded", "Job was active longer than specified deadline") },
  },
  {
    name: "Complete, when each index has succeeded",
    spec: { completions: 4, parallelism: 2, completionMode: "Indexed" },
    podOutcome: () => succeeds,
    expect: { ...quiet, succeeded: 4, completedIndexes: "0-3", conditions: completed },
  },
  {
    name: "Failed, when some indexes exceed backoffLimitPerIndex",
    spec: { completions: 4, parallelism: 4, completionMode: "Indexed", backoffLimitPerIndex: 1 },
    podOutcome: (pod) => (indexOf(pod) === "1" ? fails : succeeds),
    expect: {
      ...quiet,
      succeeded: 3,
      failed: 2,
      completedIndexes: "0,2,3",
      failedIndexes: "1",
      conditions: failed("FailedIndexes", "Job has failed indexes"),
    },
  },
  {
    name: "Failed, when more indexes than maxFailedIndexes fail",
    spec: { completions: 4, parallelism: 4, completionMode: "Indexed", backoffLimitPerIndex: 0, maxFailedIndexes: 1 },
    podOutcome: (pod) => (Number(indexOf(pod)) < 2 ? fails : runsOn),
    expect: {
      ...quiet,
      failed: 4,
      failedIndexes: "0,1",
      conditions: failed("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes"),
    },
  },
  {
    name: "Complete, when the success policy is met",
    spec: {
      completions: 3,
      parallelism: 3,
      completionMode: "Indexed",
      successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 1 }] },
    },
    podOutcome: (pod) => (indexOf(pod) === "1" ? succeeds : runsOn),
    expect: { ...quiet, succeeded: 1, completedIndexes: "1", conditions: complete("SuccessPolicy", "Matched rules at index 0") },
  },
];
for (const { name, spec, podOutcome, expect } of cases)
  test(`a Job ends: ${name}`, () =>
    withJobs(podOutcome, async ({ client, finished }) => {
      await client.resource(jobs).create(jobOf(spec));
      assert.deepEqual(statusOf(await finished()), expect);
      const { items } = await client.resource(pods).list();
      assert.ok(!items.some(({ metadata }) => metadata?.finalizers?.includes(finalizer)));
    }));

test("a Pod failure policy fails the Job at an exit code and names the Pod", () =>
  withJobs(
    () => ({ kind: "ends", exitCode: 42 }),
    async ({ client, finished }) => {
      const rules = [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }];
      await client.resource(jobs).create(jobOf({ podFailurePolicy: { rules } }));
      const { status } = await finished();
      const { items } = await client.resource(pods).list();
      const pod = `default/${items[0]?.metadata?.name}`;
      assert.deepEqual(
        status?.conditions?.map(({ type, reason, message }) => [type, reason, message]),
        failed("PodFailurePolicy", `Container c for pod ${pod} failed with exit code 42 matching FailJob rule at index 0`),
      );
    },
  ));

test("a Job replaces a failed Pod after a delay that doubles", () =>
  withJobs(
    () => ({ kind: "ends", exitCode: 1 }),
    async ({ client, finished }) => {
      await client.resource(jobs).create(jobOf({ backoffLimit: 4 }));
      await finished();
      const { items } = await client.resource(pods).list();
      const made = items.map(({ metadata }) => Date.parse(metadata?.creationTimestamp ?? "")).sort((a, b) => a - b);
      const delays = made.slice(1).map((time, i) => Math.round((time - (made[i] ?? 0)) / 1000));
      assert.deepEqual(
        delays.map((delay, i) => Math.abs(delay - 10 * 2 ** i) <= 2),
        [true, true, true, true],
        `${delays}`,
      );
    },
  ));

test("a suspended Job has no Pods, and starts again when it is resumed", () =>
  withJobs(
    () => runsOn,
    async ({ cluster, client }) => {
      const resource = client.resource(jobs);
      const is = (wanted: (status: NonNullable<Job["status"]>) => boolean) =>
        cluster.waitFor(jobs, "sum", ({ status }) => status !== undefined && wanted(status), { timeoutMs: 600_000 });
      const suspend = (value: boolean) => resource.patch("sum", { type: "merge", patch: { spec: { suspend: value } } });
      await resource.create(jobOf({ parallelism: 2 }));
      const { status: running } = await is(({ ready }) => ready === 2);
      await suspend(true);
      const { status: suspended } = await is(({ terminating, conditions }) => terminating === 0 && conditions !== undefined);
      assert.equal(suspended?.startTime, undefined);
      assert.equal(suspended?.active, undefined);
      assert.equal(suspended?.failed, undefined);
      await suspend(false);
      const { status: resumed } = await is(({ ready }) => ready === 2);
      assert.ok((resumed?.startTime ?? "") >= (running?.startTime ?? ""));
      assert.deepEqual(
        resumed?.conditions?.map(({ type, status, reason }) => [type, status, reason]),
        [["Suspended", "False", "JobResumed"]],
      );
    },
  ));

test("a Job records the Events that Kubernetes records", () =>
  withJobs(
    () => succeeds,
    async ({ client, cluster, finished }) => {
      await client.resource(jobs).create(jobOf({}));
      const { metadata } = await finished();
      await cluster.waitFor(pods, (await client.resource(pods).list()).items[0]?.metadata?.name ?? "", () => true);
      const { items } = await client.resource(events).list();
      const recorded = items.filter(({ involvedObject }) => involvedObject?.uid === metadata?.uid);
      assert.deepEqual(
        recorded.map(({ reason, source }) => [reason, source?.component]),
        [
          ["SuccessfulCreate", "job-controller"],
          ["Completed", "job-controller"],
        ],
      );
    },
  ));

test("a Job that is deleted leaves no Pod with a tracking finalizer", () =>
  withJobs(
    () => runsOn,
    async ({ cluster, client }) => {
      await client.resource(jobs).create(jobOf({ parallelism: 2 }));
      await cluster.waitFor(jobs, "sum", ({ status }) => status?.ready === 2, { timeoutMs: 600_000 });
      await client.resource(jobs).delete("sum", { propagationPolicy: "Background" });
      const { items } = await client.resource(pods).list();
      for (const { metadata } of items)
        await cluster.waitFor(pods, metadata?.name ?? "", (pod) => pod.metadata?.finalizers === undefined, { timeoutMs: 600_000 });
    },
  ));

test("a Job with managedBy of another controller is not reconciled", () =>
  withJobs(
    () => succeeds,
    async ({ client, cluster, finished }) => {
      await client.resource(jobs).create(jobOf({ managedBy: "example.com/queue" }, "theirs"));
      await client.resource(jobs).create(jobOf({}));
      await finished();
      assert.equal((await cluster.client.resource(jobs).get("theirs")).status?.startTime, undefined);
    },
  ));
