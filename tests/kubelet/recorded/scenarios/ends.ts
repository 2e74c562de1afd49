/** How Pods end, and restart. */
import { images } from "../../containerd/images.ts";
import { condition, idle, isReady, loops, phase, running, type Scenario, see, sh, statusOf, stays } from "../scenario.ts";

const shortRun = { runMs: 500 };

export const ends: readonly Scenario[] = [
  { name: "runs", spec: { containers: [idle()] }, steps: [see("runs", isReady)] },
  {
    name: "completes",
    spec: { restartPolicy: "Never", containers: [sh("sleep 0.5")] },
    plays: { main: shortRun },
    steps: [see("has ended", phase("Succeeded"))],
  },
  {
    name: "fails",
    spec: { restartPolicy: "Never", containers: [sh("sleep 0.5; exit 3")] },
    plays: { main: { ...shortRun, exitCode: 3 } },
    steps: [see("has ended", phase("Failed"))],
  },
  {
    name: "one-of-two-fails",
    spec: { restartPolicy: "Never", containers: [sh("sleep 0.5; exit 3", { name: "bad" }), sh("sleep 4", { name: "good" })] },
    plays: { bad: { ...shortRun, exitCode: 3 }, good: { runMs: 4_000 } },
    steps: [see("one has failed", (pod) => statusOf(pod, "bad")?.state?.terminated !== undefined), see("has ended", phase("Failed"))],
  },
  {
    name: "fails-then-completes",
    spec: {
      restartPolicy: "OnFailure",
      volumes: [{ name: "seen", emptyDir: {} }],
      containers: [
        sh("sleep 0.5; test -e /seen/once && exit 0; touch /seen/once; exit 1", { volumeMounts: [{ name: "seen", mountPath: "/seen" }] }),
      ],
    },
    plays: { main: [{ ...shortRun, exitCode: 1 }, shortRun] },
    steps: [see("has ended", phase("Succeeded"))],
  },
  {
    name: "completes-always",
    spec: { containers: [sh("sleep 0.5")] },
    plays: { main: shortRun },
    steps: loops(1),
  },
  {
    name: "crash-loop",
    spec: { containers: [sh("sleep 0.5; exit 3")] },
    plays: { main: { ...shortRun, exitCode: 3 } },
    steps: [...loops(1), ...loops(2)],
  },
  {
    name: "out-of-memory",
    spec: {
      restartPolicy: "Never",
      containers: [{ name: "main", image: images.hog, resources: { requests: { cpu: "10m" }, limits: { cpu: "500m", memory: "20Mi" } } }],
    },
    plays: { main: { ...shortRun, exitReason: "OOMKilled" } },
    steps: [see("has ended", phase("Failed"))],
  },
  {
    name: "deadline",
    spec: { activeDeadlineSeconds: 3, containers: [idle()] },
    steps: [see("has ended", phase("Failed"))],
  },
  {
    name: "stubborn",
    spec: { restartPolicy: "Never", containers: [sh("trap '' TERM; while :; do sleep 1; done")] },
    plays: { main: { stopMs: Number.POSITIVE_INFINITY } },
    steps: [see("runs", isReady)],
  },
  {
    name: "killed-in-loop",
    spec: { containers: [sh("sleep 0.5; exit 3"), idle({ name: "other" })] },
    plays: { main: { ...shortRun, exitCode: 3 } },
    steps: loops(1),
  },
  {
    name: "pre-stop",
    spec: {
      terminationGracePeriodSeconds: 10,
      restartPolicy: "Never",
      containers: [idle({ lifecycle: { preStop: { exec: { command: ["sleep", "2"] } } } })],
    },
    steps: [see("runs", isReady)],
  },
  {
    name: "pre-stop-fails",
    spec: {
      terminationGracePeriodSeconds: 10,
      containers: [idle({ lifecycle: { preStop: { exec: { command: ["/bin/sh", "-c", "echo no >&2; exit 4"] } } } })],
    },
    plays: { main: { exec: () => ({ exitCode: 4, stderr: "no\n" }) } },
    steps: [see("runs", isReady)],
  },
  {
    name: "post-start-fails",
    spec: {
      containers: [idle({ lifecycle: { postStart: { exec: { command: ["/bin/sh", "-c", "echo no >&2; exit 4"] } } } })],
    },
    plays: { main: { exec: () => ({ exitCode: 4, stderr: "no\n" }) } },
    steps: loops(1),
  },
  {
    name: "message-of-file",
    spec: {
      restartPolicy: "Never",
      containers: [sh("echo spoken; echo written > /tmp/last; sleep 0.5", { terminationMessagePath: "/tmp/last" })],
    },
    plays: { main: { ...shortRun, exitMessage: "written\n" } },
    steps: [see("has ended", phase("Succeeded"))],
  },
  {
    name: "message-of-log",
    spec: {
      restartPolicy: "Never",
      containers: [sh("echo spoken; echo loudly >&2; sleep 0.5; exit 3", { terminationMessagePolicy: "FallbackToLogsOnError" })],
    },
    plays: { main: { ...shortRun, exitCode: 3, logs: ["spoken", "loudly"] } },
    steps: [see("has ended", phase("Failed"))],
  },
  {
    name: "rules-of-restart",
    spec: {
      restartPolicy: "Never",
      containers: [
        sh("sleep 0.5; exit 42", {
          restartPolicy: "Never",
          restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }],
        }),
      ],
    },
    plays: { main: { ...shortRun, exitCode: 42 } },
    steps: loops(1),
  },
  {
    name: "gates-of-readiness",
    spec: { readinessGates: [{ conditionType: "example.com/listed" }], containers: [idle()] },
    steps: [see("runs", condition("ContainersReady"))],
  },
  {
    name: "ends-by-signal",
    spec: { restartPolicy: "Never", containers: [sh("sleep 1; exit 137"), sh(stays, { name: "other" })] },
    plays: { main: { runMs: 1_000, exitCode: 137 } },
    steps: [see("one has ended", (pod) => statusOf(pod)?.state?.terminated !== undefined && running("other")(pod))],
  },
];
