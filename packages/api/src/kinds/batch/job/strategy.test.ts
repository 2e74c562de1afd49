import assert from "node:assert/strict";
import { test } from "node:test";
import type { Job } from "@coxswain/types/batch-v1";
import { createdAs, statusUpdatedAs, updatedAs } from "../../kind-under-test.ts";
import { cronJob } from "../cron-job/strategy.ts";
import { job } from "./strategy.ts";

const uid = "00000000-0000-4000-8000-000000000000";
const podSpec = { restartPolicy: "Never", containers: [{ name: "c", image: "busybox" }] };
const bodyOf = (spec: object, metadata: object = {}) => ({
  metadata: { name: "j", uid, ...metadata },
  spec: { template: { spec: podSpec }, ...spec },
});
const generated = {
  "job-name": "j",
  "batch.kubernetes.io/job-name": "j",
  "controller-uid": uid,
  "batch.kubernetes.io/controller-uid": uid,
};

test("a job chooses its pods by its uid", () => {
  const { object, problems } = createdAs(job, bodyOf({}));
  assert.deepEqual(problems, []);
  assert.deepEqual(object.spec?.selector, { matchLabels: { "batch.kubernetes.io/controller-uid": uid } });
  assert.deepEqual(object.spec?.template.metadata?.labels, generated);
});

test("labels of its own stay as they are, those taken from the template grow with it", () => {
  const template = { metadata: { labels: { app: "x" } }, spec: podSpec };
  assert.deepEqual(createdAs(job, bodyOf({ template }, { labels: { app: "x" } })).object.metadata?.labels, { app: "x" });
  assert.deepEqual(createdAs(job, bodyOf({ template })).object.metadata?.labels, { app: "x", ...generated });
});

test("a job whose template has no labels gets none, and those of its pods hold its name", () => {
  const name = "j".repeat(64);
  const { object, problems } = createdAs(job, bodyOf({}, { name }));
  assert.equal(object.metadata?.labels, undefined);
  assert.deepEqual(problems, Array(2).fill(`spec.template.labels: Invalid value: "${name}": must be no more than 63 bytes`));
});

test("who chooses the pods by hand says how", () => {
  assert.deepEqual(createdAs(job, bodyOf({ manualSelector: true })).problems, [
    "spec.selector: Required value",
    "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
  ]);
});

const cases: readonly { readonly name: string; readonly spec: object; readonly problems: readonly string[] }[] = [
  {
    name: "pods of a job end",
    spec: { template: { spec: { ...podSpec, restartPolicy: "Always" } } },
    problems: ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  },
  {
    name: "indexes need completions",
    spec: { completionMode: "Indexed", parallelism: 1 },
    problems: ["spec.completions: Required value: when completion mode is Indexed"],
  },
  {
    name: "only an Indexed job has limits for each index",
    spec: { backoffLimitPerIndex: 1, maxFailedIndexes: 2 },
    problems: [
      "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode",
      "spec.maxFailedIndexes: Invalid value: 2: requires indexed completion mode",
    ],
  },
  {
    name: "a failure policy has well-formed rules",
    spec: {
      podFailurePolicy: {
        rules: [
          { action: "Shrug", onExitCodes: { operator: "In", values: [3, 0, 3], containerName: "x" } },
          { action: "Ignore" },
          { action: "FailIndex", onPodConditions: [{ type: "DisruptionTarget" }] },
        ],
      },
    },
    problems: [
      'spec.podFailurePolicy.rules[0].action: Unsupported value: "Shrug": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
      'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template',
      "spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator",
      "spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 3",
      "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [3,0,3]: must be ordered",
      "spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
      'spec.podFailurePolicy.rules[2].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
    ],
  },
  {
    name: "a success policy names indexes that there are",
    spec: {
      completionMode: "Indexed",
      completions: 3,
      successPolicy: { rules: [{ succeededIndexes: "0-1,2,5" }, { succeededIndexes: "0-1", succeededCount: 3 }, {}] },
    },
    problems: [
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0-1,2,5": error parsing succeededIndexes: too large index: "5"',
      "spec.successPolicy.rules[1].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)",
      "spec.successPolicy.rules[2]: Required value: at least one of succeededCount or succeededIndexes must be specified",
    ],
  },
];
for (const { name, spec, problems } of cases) test(name, () => assert.deepEqual(createdAs(job, bodyOf(spec)).problems, problems));

const stored = (spec: object = {}): Job => createdAs(job, bodyOf(spec)).object;
const put = (prev: Job, spec: object) => updatedAs(job, prev, { ...prev, spec: { ...prev.spec, ...spec } }).problems;

test("what a job runs does not change, how many at once does", () => {
  const prev = stored();
  assert.deepEqual(put(prev, { parallelism: 3 }), []);
  assert.deepEqual(put(prev, { completions: 5 }), ["spec.completions: Invalid value: 5: field is immutable"]);
  const [problem] = put(prev, { template: { ...prev.spec!.template, spec: { ...podSpec, priorityClassName: "high" } } });
  assert.match(problem ?? "", /^spec.template: Invalid value: .*: field is immutable$/);
});

test("a suspended job may be sent elsewhere", () => {
  const prev = stored({ suspend: true });
  const { template } = prev.spec!;
  assert.deepEqual(put(prev, { template: { ...template, spec: { ...template.spec, nodeSelector: { zone: "a" } } } }), []);
  assert.equal(put(prev, { template: { ...template, spec: { ...template.spec, priorityClassName: "high" } } }).length, 1);
});

test("an Indexed job changes its size as a whole", () => {
  const prev = stored({ completionMode: "Indexed", completions: 3, parallelism: 3 });
  assert.deepEqual(put(prev, { completions: 5, parallelism: 5 }), []);
  assert.deepEqual(put(prev, { completions: 5 }), [
    "spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism",
  ]);
});

test("a finished job is consistent and stays finished", () => {
  const prev = stored();
  const complete = [
    { type: "SuccessCriteriaMet", status: "True" },
    { type: "Complete", status: "True" },
  ];
  assert.deepEqual(statusUpdatedAs(job, prev, { conditions: complete.slice(1), active: 1 }).problems, [
    "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    "status.completionTime: Required value: completionTime is required for Complete jobs",
    "status.active: Invalid value: 1: active>0 is invalid for finished job",
    "status.startTime: Required value: startTime is required for finished job",
  ]);
  const times = { startTime: "2026-01-01T00:00:00Z", completionTime: "2026-01-01T00:01:00Z" };
  const done = statusUpdatedAs(job, prev, { conditions: complete, succeeded: 1, ...times });
  assert.deepEqual(done.problems, []);
  assert.deepEqual(statusUpdatedAs(job, done.object, { succeeded: 1, startTime: times.startTime }).problems, [
    "status.conditions: Invalid value: cannot disable the terminal Complete=True condition",
    "status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition",
  ]);
  const now = Date.parse("2026-01-01T00:05:00Z");
  assert.deepEqual(job.columns?.cells(done.object, now), [
    "j",
    "Complete",
    "1/1",
    "60s",
    "<unknown>",
    "c",
    "busybox",
    `batch.kubernetes.io/controller-uid=${uid}`,
  ]);
});

test("a CronJob's zone is a field, and its name leaves room", () => {
  const spec = { schedule: "TZ=UTC 0 0 * * *", jobTemplate: { spec: { template: { spec: podSpec }, manualSelector: true } } };
  const { problems, object } = createdAs(cronJob, { metadata: { name: "n".repeat(53) }, spec });
  assert.deepEqual(problems, [
    'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    'spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    `metadata.name: Invalid value: "${"n".repeat(53)}": must be no more than 52 characters`,
  ]);
  assert.deepEqual(cronJob.columns?.cells(object, 0).slice(1, 6), ["TZ=UTC 0 0 * * *", "<none>", "False", 0, "<none>"]);
});
