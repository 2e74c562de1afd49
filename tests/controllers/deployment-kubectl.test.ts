/** `kubectl rollout` and what belongs to it: what it prints is what it prints with Kubernetes' own controllers. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { systemClock } from "@coxswain/machinery";
import { findKubectls, runKubectl } from "../conformance/kubectl/kubectl.ts";
import { startWorkloads } from "./workload-under-test.ts";

const [kubectl] = findKubectls();

const rolledOut = /deployment "web" successfully rolled out\n$/;

const history = (...revisions: readonly (readonly [revision: string, cause: string])[]): string =>
  [
    "deployment.apps/web ",
    "REVISION  CHANGE-CAUSE",
    ...revisions.map(([revision, cause]) => `${revision.padEnd(10)}${cause}`),
    "",
    "",
  ].join("\n");

const steps: readonly (readonly [run: string, prints: string | RegExp, code?: number])[] = [
  ["create deployment web --image=nginx:1 --replicas=3", "deployment.apps/web created\n"],
  ["rollout status deployment/web", rolledOut],
  ["annotate deployment/web kubernetes.io/change-cause=first", "deployment.apps/web annotated\n"],
  ["set image deployment/web nginx=nginx:2", "deployment.apps/web image updated\n"],
  ["annotate deployment/web kubernetes.io/change-cause=second", "deployment.apps/web annotated\n"],
  ["rollout status deployment/web", rolledOut],
  ["rollout history deployment/web", history(["1", "first"], ["2", "second"])],
  ["rollout history deployment/web --revision=2", /^deployment.apps\/web with revision #2\nPod Template:\n(?:.*\n)*.*Image:\tnginx:2\n/],
  ["rollout undo deployment/web", "deployment.apps/web rolled back\n"],
  ["rollout status deployment/web", rolledOut],
  ["rollout history deployment/web", history(["2", "second"], ["3", "first"])],
  ["rollout undo deployment/web --to-revision=2", "deployment.apps/web rolled back\n"],
  ["rollout status deployment/web", rolledOut],
  ["get deployment web -o jsonpath={..image}", "nginx:2"],
  ["rollout pause deployment/web", "deployment.apps/web paused\n"],
  [
    'wait deployment/web --for=jsonpath={.status.conditions[?(@.type=="Progressing")].reason}=DeploymentPaused',
    "deployment.apps/web condition met\n",
  ],
  ["set image deployment/web nginx=nginx:3", "deployment.apps/web image updated\n"],
  ["rollout undo deployment/web", /^error: you cannot rollback a paused deployment/, 1],
  ["rollout resume deployment/web", "deployment.apps/web resumed\n"],
  ["rollout status deployment/web", rolledOut],
  ["rollout restart deployment/web", "deployment.apps/web restarted\n"],
  ["rollout status deployment/web", rolledOut],
  ["scale deployment/web --replicas=5", "deployment.apps/web scaled\n"],
  ["rollout status deployment/web", rolledOut],
  ["wait deployment/web --for=condition=Available", "deployment.apps/web condition met\n"],
  ["get deployment/web --no-headers", /^web +5\/5 +5 +5 +\d+s\n$/],
  [
    "describe deployment/web",
    /Replicas: +5 desired \| 5 updated \| 5 total \| 5 available \| 0 unavailable\n(?:.*\n)*.*Conditions:\n.*\n.*\n(?: +\w+ +True +(?:MinimumReplicasAvailable|NewReplicaSetAvailable)\n){2}OldReplicaSets:(?:.*\n)*.*NewReplicaSet: +web-\w+ \(5\/5 replicas created\)\nEvents:(?:.*\n)*.*Normal +ScalingReplicaSet +\S+ +deployment-controller +Scaled up replica set web-\w+ from 0 to 3\n/,
  ],
  ['patch deployment/web -p {"spec":{"progressDeadlineSeconds":1}}', "deployment.apps/web patched\n"],
  [
    'patch deployment/web -p {"spec":{"template":{"metadata":{"annotations":{"simulated.coxswain/ready-after-ms":"never"}}}}}',
    "deployment.apps/web patched\n",
  ],
  ["rollout status deployment/web", /(?:^|\n)error: deployment "web" exceeded its progress deadline\n$/, 1],
  ['patch deployment/web -p {"spec":{"progressDeadlineSeconds":600}}', "deployment.apps/web patched\n"],
  ["rollout undo deployment/web", "deployment.apps/web rolled back\n"],
  ["rollout status deployment/web", rolledOut],
  ["delete deployment/web", 'deployment.apps "web" deleted\n'],
];

test("kubectl rolls a Deployment out, rolls it back and pauses it", {
  skip: kubectl === undefined ? "there is no kubectl" : false,
}, async () => {
  assert.ok(kubectl !== undefined);
  await using workloads = await startWorkloads(systemClock);
  const { kubeconfig } = await workloads.cluster.listen();
  const home = dirname(kubeconfig);
  for (const [run, prints, code = 0] of steps) {
    const ran = await runKubectl(kubectl, run.split(" "), { KUBECONFIG: kubeconfig, HOME: home, KUBECACHEDIR: join(home, "cache") });
    const printed = `${ran.stdout}${ran.stderr}`;
    const output = `kubectl ${run}\n${printed}`;
    assert.equal(ran.code, code, output);
    if (typeof prints === "string") assert.equal(printed, prints, output);
    else assert.match(printed, prints, output);
  }
});
