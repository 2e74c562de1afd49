/** What happens to Pods while they run. */
import { type Client, pods } from "@coxswain/client";
import { images } from "../../containerd/images.ts";
import { condition, idle, isReady, loops, type Pod, running, type Scenario, says, see, sh, statusOf, stays } from "../scenario.ts";

const probe = { periodSeconds: 1, timeoutSeconds: 5 };

export const runs: readonly Scenario[] = [
  {
    name: "readiness",
    spec: {
      containers: [
        sh("trap 'exit 0' TERM; (sleep 5; touch /tmp/up) & sleep 3600 & wait $!", {
          readinessProbe: { ...probe, ...says("/tmp/up", "not ready yet") },
        }),
      ],
    },
    plays: { main: { readyMs: 5_000 } },
    steps: [see("is not ready", running()), see("is ready", isReady)],
  },
  {
    name: "liveness",
    spec: {
      containers: [
        sh("trap 'exit 0' TERM; touch /tmp/well; (sleep 3; rm /tmp/well) & sleep 3600 & wait $!", {
          livenessProbe: { ...probe, failureThreshold: 2, ...says("/tmp/well", "unwell") },
        }),
      ],
    },
    plays: { main: { unhealthyMs: 3_000 } },
    steps: [see("runs", isReady), see("runs again", running("main", 1))],
  },
  {
    name: "startup-fails",
    spec: {
      containers: [idle({ startupProbe: { ...probe, failureThreshold: 2, ...says("/tmp/up", "not ready yet") } })],
    },
    plays: { main: { readyMs: Number.POSITIVE_INFINITY } },
    steps: loops(2),
  },
  {
    name: "debugged",
    spec: { containers: [idle()] },
    steps: [see("runs", isReady), { act: addDebugger }, see("is debugged", running("debug"))],
  },
  {
    name: "debugged-briefly",
    spec: { containers: [idle()] },
    plays: { debug: { runMs: 500, exitCode: 3 } },
    steps: [
      see("runs", isReady),
      { act: (client, pod) => addDebugger(client, pod, "sleep 0.5; exit 3") },
      see("was debugged", (pod) => statusOf(pod, "debug")?.state?.terminated !== undefined),
    ],
  },
  {
    name: "another-image",
    spec: { containers: [{ name: "main", image: images.web1 }] },
    steps: [
      see("runs", isReady),
      { act: async (client, pod) => await change(client, pod, images.web2) },
      see("runs again", (pod) => running("main", 1)(pod) && isReady(pod)),
    ],
  },
  {
    name: "gate-opens",
    spec: { readinessGates: [{ conditionType: "example.com/listed" }], containers: [idle()] },
    steps: [see("waits for it", condition("ContainersReady")), { act: openGate }, see("is ready", isReady)],
  },
  {
    name: "token",
    objects: [{ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot" } }],
    spec: {
      serviceAccountName: "robot",
      containers: [idle({ volumeMounts: [{ name: "token", mountPath: "/token", readOnly: true }] })],
      volumes: [
        {
          name: "token",
          projected: {
            sources: [
              { serviceAccountToken: { path: "token", audience: "vault" } },
              { downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
            ],
          },
        },
      ],
    },
    steps: [see("runs", isReady)],
  },
  {
    name: "downward",
    spec: {
      restartPolicy: "Never",
      volumes: [{ name: "about", downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } }],
      containers: [
        sh("{ echo $NAME $LABEL $CPU $MEMORY $(NAME); cat /about/labels; } > /dev/termination-log; sleep 0.5", {
          resources: { limits: { cpu: "250m", memory: "32Mi" } },
          volumeMounts: [{ name: "about", mountPath: "/about" }],
          env: [
            { name: "NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
            { name: "LABEL", valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
            { name: "CPU", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } },
            { name: "MEMORY", valueFrom: { resourceFieldRef: { resource: "limits.memory" } } },
          ],
        }),
      ],
    },
    plays: { main: { runMs: 500, exitMessage: 'downward downward 250 33554432 downward\napp="downward"' } },
    steps: [see("has ended", (pod) => pod.status?.phase === "Succeeded")],
  },
  {
    name: "two-containers",
    spec: {
      containers: [idle(), idle({ name: "other", volumeMounts: [{ name: "v", mountPath: "/v" }] })],
      volumes: [{ name: "v", emptyDir: {} }],
    },
    steps: [see("runs", isReady)],
  },
];

async function addDebugger(client: Client, name: string, command: string = stays): Promise<void> {
  const pod = await client.resource(pods, "default").get(name);
  const ephemeralContainers = [{ ...sh(command), name: "debug" }];
  await client
    .resource(pods, "default")
    .subresource(name, "ephemeralcontainers")
    .update({ ...pod, spec: { ...pod.spec, ephemeralContainers } } as Pod);
}

async function change(client: Client, name: string, image: string): Promise<void> {
  const patch = { spec: { containers: [{ name: "main", image }] } };
  await client.resource(pods, "default").patch(name, { type: "strategic", patch });
}

async function openGate(client: Client, name: string): Promise<void> {
  const conditions = [{ type: "example.com/listed", status: "True" }];
  await client.resource(pods, "default").patch(name, { type: "strategic", patch: { status: { conditions } } }, { subresource: "status" });
}
