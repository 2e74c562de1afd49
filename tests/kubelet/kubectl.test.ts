/** What users do with nodes and running Pods, with each kubectl, against the whole command: simulated nodes, and real processes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { hangMs } from "@coxswain/machinery/testing";
import { check, eachKubectl, type Session } from "../conformance/kubectl/session.ts";
import type { Step } from "../conformance/kubectl/steps.ts";

interface UserStep extends Step {
  /** Again until it shows this: nothing that kubectl could wait for says when. */
  readonly eventually?: true;
}

const busy = JSON.stringify({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "busy" },
  spec: {
    selector: { matchLabels: { app: "busy" } },
    template: {
      metadata: { labels: { app: "busy" }, annotations: { "simulation.coxswain.io/cpu": "100m" } },
      spec: { containers: [{ name: "c", image: "busy", resources: { requests: { cpu: "100m" } } }] },
    },
  },
});

const placement = "get pods -l app=web -o jsonpath={.items[*].spec.nodeName}";
const nodeLine = (name: string, status: string) => `${name} +${status} +<none> +\\S+ +v1\\.36\\.\\S+`;

const simulated: readonly UserStep[] = [
  { run: "wait --for=condition=Ready node --all", prints: /node-1 condition met\nnode\/node-2 condition met/, eventually: true },
  { run: "get nodes --no-headers", prints: new RegExp(`^${nodeLine("node-1", "Ready")}\\n${nodeLine("node-2", "Ready")}$`) },
  { run: "create deployment web --image=nginx --replicas=4", prints: "deployment.apps/web created" },
  { run: "rollout status deployment/web", prints: /successfully rolled out$/ },
  { run: "wait --for=condition=Ready pod -l app=web", prints: /^(pod\/web-\S+ condition met\n?){4}$/ },
  { run: "exec deploy/web -- echo hi", prints: "hi" },
  {
    // As k9s opens a shell.
    run: ["exec", "-i", "deploy/web", "--", "sh", "-c", "command -v bash >/dev/null && exec bash || exec sh"],
    stdin: "X=1; [ $X = 1 ] && echo in $0; exit 3\n",
    prints: "in sh",
    code: 3,
  },
  { run: "logs deploy/web", prints: "" },
  { run: "top node --no-headers", prints: /^node-1 +\d+m +\d+% +\d+Mi +\d+% *\nnode-2 +\d+m +\d+% +\d+Mi +\d+%$/ },
  { run: "top pod -l app=web --no-headers", prints: /^(web-\S+ +[12]m +8Mi *\n?){4}$/ },
  { run: "top pod -l app=web --containers --no-headers", prints: /^(web-\S+ +nginx +[12]m +8Mi *\n?){4}$/ },
  { run: "get podmetrics -l app=web --no-headers", prints: /^(web-\S+ +\d+n +8192Ki +\d\S+ *\n?){4}$/ },
  { run: "cordon node-1", prints: "node/node-1 cordoned" },
  { run: "get nodes node-1 --no-headers", prints: new RegExp(nodeLine("node-1", "Ready,SchedulingDisabled")) },
  { run: "drain node-1 --ignore-daemonsets", prints: /node\/node-1 drained$/ },
  { run: placement, prints: /^(node-2 ?){4}$/, eventually: true },
  { run: "uncordon node-1", prints: "node/node-1 uncordoned" },
  { run: "taint nodes node-2 maintenance=now:NoExecute", prints: "node/node-2 tainted" },
  { run: placement, prints: /^(node-1 ?){4}$/, eventually: true },
  { run: "taint nodes node-2 maintenance-", prints: "node/node-2 untainted" },
  {
    run: "run once --image=busybox -i --rm --restart=Never --pod-running-timeout=5m -- echo hello",
    prints: /^hello\n?(pod "once" deleted.*)?$/,
  },
  { run: "run inspected --image=nginx", prints: "pod/inspected created" },
  { run: "wait --for=condition=Ready pod/inspected", prints: "pod/inspected condition met" },
  {
    run: "get --raw /api/v1/namespaces/default/pods/inspected/proxy/",
    code: 1,
    complains: /error trying to reach service: dial tcp [\d.]+:80: connect: connection refused/,
  },
  { run: "debug inspected -i --image=busybox --target=inspected -- echo debugged", prints: /debugged$/ },
  { run: "get pod inspected -o jsonpath={.spec.ephemeralContainers[*].image}", prints: "busybox" },
  { run: "debug node/node-1 -i --image=busybox -- echo on the node", prints: /on the node$/ },
  { run: "apply -f -", stdin: busy, prints: "deployment.apps/busy created" },
  { run: "autoscale deployment busy --min=1 --max=3 --cpu-percent=50", prints: "horizontalpodautoscaler.autoscaling/busy autoscaled" },
  { run: "get deployment busy -o jsonpath={.spec.replicas}", prints: /[23]/, eventually: true },
  { run: "delete pod inspected", prints: /^pod "inspected" deleted/ },
];

const shell = (script: string) => ["--image=none", "--restart=Never", "--command", "--", "sh", "-c", script];

const picky = JSON.stringify({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "picky" },
  spec: {
    nodeSelector: { zone: "a" },
    terminationGracePeriodSeconds: 1,
    containers: [{ name: "c", image: "none", command: ["sleep", "1000"] }],
  },
});

const processes: readonly UserStep[] = [
  { run: "wait --for=condition=Ready node --all", prints: /condition met$/, eventually: true },
  { run: "label node --all zone=a", prints: /labeled$/ },
  { run: "apply -f -", stdin: picky, prints: "pod/picky created" },
  { run: "wait --for=condition=Ready pod/picky", prints: "pod/picky condition met" },
  { run: "delete pod picky", prints: /^pod "picky" deleted/ },
  { run: ["run", "clock", ...shell("echo begun; while read line; do echo got $line; done; sleep 1000")], prints: "pod/clock created" },
  { run: "wait --for=condition=Ready pod/clock", prints: "pod/clock condition met" },
  { run: "logs clock", prints: "begun", eventually: true },
  { run: ["exec", "clock", "--", "sh", "-c", "echo err >&2; exit 5"], code: 5, complains: /^err\ncommand terminated with exit code 5/ },
  { run: ["exec", "-i", "clock", "--", "wc", "-c"], stdin: "0123456789", prints: "10" },
  { run: "top pod --no-headers", prints: /^clock +\d+m +\d+Mi$/, eventually: true },
  { run: ["run", "failing", "-i", "--rm", ...shell("read line; echo got $line; exit 3")], stdin: "out\n", code: 3, prints: /^got out/ },
  { run: ["run", "talking", "-i", "--rm", ...shell("cat")], stdin: "spoken\n", prints: /^spoken/ },
  { run: "wait --for=jsonpath={.status.phase}=Running pod/clock", prints: "pod/clock condition met" },
  { run: "delete pod clock --grace-period=1", prints: /^pod "clock" deleted/ },
];

async function eventually(session: Session, step: UserStep): Promise<void> {
  const deadline = performance.now() + hangMs;
  for (;;) {
    try {
      return void (await check(session, step));
    } catch (error) {
      if (performance.now() > deadline || !(error instanceof assert.AssertionError)) throw error;
      await setTimeout(200);
    }
  }
}

const testAll =
  (steps: readonly UserStep[]) =>
  (session: () => Session): void => {
    for (const step of steps) {
      const words = typeof step.run === "string" ? step.run : step.run.join(" ");
      test(`kubectl ${words}`, async () => {
        if (step.eventually === true) await eventually(session(), step);
        else await check(session(), step);
      });
    }
  };

// An autoscaler complains of Pods that are not measured yet.
eachKubectl("simulated nodes", testAll(simulated), ["--runtime=simulated", "--nodes=2", "--log-level=error"]);
eachKubectl("processes", testAll(processes), ["--runtime=process"]);
