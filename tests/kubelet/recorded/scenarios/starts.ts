/** What keeps Pods from starting, and what comes before they do. */
import { idle, isReady, loops, missingImage, phase, running, type Scenario, says, see, sh, waiting } from "../scenario.ts";

const shortRun = { runMs: 500 };
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data: { color: "blue" } };
const fromSettings = (name: string, key: string, optional?: boolean) => ({
  name: "COLOR",
  valueFrom: { configMapKeyRef: { name, key, ...(optional === undefined ? {} : { optional }) } },
});
const cannotBeMade = see("waits", waiting("CreateContainerConfigError"));

export const starts: readonly Scenario[] = [
  {
    name: "missing-image",
    spec: { containers: [{ name: "main", image: missingImage }] },
    steps: [see("waits", waiting("ImagePullBackOff"))],
  },
  {
    name: "image-never-pulled",
    spec: { containers: [{ name: "main", image: missingImage, imagePullPolicy: "Never" }] },
    steps: [see("waits", waiting("ErrImageNeverPull"))],
  },
  {
    name: "invalid-image",
    spec: { containers: [{ name: "main", image: "Not/An/Image" }] },
    steps: [see("waits", waiting("InvalidImageName"))],
  },
  {
    name: "missing-key",
    objects: [configMap],
    spec: { containers: [idle({ env: [fromSettings("settings", "size")] })] },
    steps: [cannotBeMade],
  },
  {
    name: "missing-config-map",
    spec: { containers: [idle({ envFrom: [{ configMapRef: { name: "nowhere" } }] })] },
    steps: [cannotBeMade],
  },
  {
    name: "missing-secret",
    spec: { containers: [idle({ env: [{ name: "KEY", valueFrom: { secretKeyRef: { name: "nowhere", key: "key" } } }] })] },
    steps: [cannotBeMade],
  },
  {
    name: "optional-references",
    objects: [configMap],
    spec: {
      containers: [
        idle({
          env: [fromSettings("settings", "size", true), fromSettings("nowhere", "color", true)],
          envFrom: [{ secretRef: { name: "nowhere", optional: true } }],
          volumeMounts: [{ name: "v", mountPath: "/v", readOnly: true }],
        }),
      ],
      volumes: [{ name: "v", secret: { secretName: "nowhere", optional: true } }],
    },
    steps: [see("runs", isReady)],
  },
  {
    name: "missing-volume",
    spec: {
      containers: [idle({ volumeMounts: [{ name: "v", mountPath: "/v" }] })],
      volumes: [{ name: "v", configMap: { name: "nowhere" } }],
    },
    steps: [see("waits", waiting("ContainerCreating"))],
  },
  {
    name: "non-root",
    spec: { securityContext: { runAsNonRoot: true }, containers: [idle()] },
    steps: [cannotBeMade],
  },
  {
    name: "non-root-as-root",
    spec: { containers: [idle({ securityContext: { runAsNonRoot: true, runAsUser: 0 } })] },
    steps: [cannotBeMade],
  },
  {
    name: "bad-command",
    spec: { restartPolicy: "Never", containers: [idle({ command: ["/bin/nothing"] })] },
    plays: { main: { failStart: "failed to create containerd task: exec: no such file or directory" } },
    steps: [see("has ended", phase("Failed"))],
  },
  {
    name: "bad-command-always",
    spec: { containers: [idle({ command: ["/bin/nothing"] })] },
    plays: { main: { failStart: "failed to create containerd task: exec: no such file or directory" } },
    steps: loops(1),
  },
  {
    name: "init-containers",
    spec: {
      restartPolicy: "Never",
      initContainers: [sh("sleep 3", { name: "first" }), sh("sleep 3", { name: "second" })],
      containers: [sh("sleep 0.5")],
    },
    plays: { first: { runMs: 3_000 }, second: { runMs: 3_000 }, main: shortRun },
    steps: [see("first", running("first")), see("second", running("second")), see("has ended", phase("Succeeded"))],
  },
  {
    name: "init-fails",
    spec: { restartPolicy: "Never", initContainers: [sh("sleep 0.5; exit 2", { name: "first" })], containers: [idle()] },
    plays: { first: { ...shortRun, exitCode: 2 } },
    steps: [see("has ended", phase("Failed"))],
  },
  {
    name: "init-fails-always",
    spec: { initContainers: [sh("sleep 0.5; exit 2", { name: "first" })], containers: [idle()] },
    plays: { first: { ...shortRun, exitCode: 2 } },
    steps: loops(1, "first"),
  },
  {
    name: "sidecar",
    spec: {
      restartPolicy: "Never",
      initContainers: [idle({ name: "proxy", restartPolicy: "Always" }), sh("sleep 3", { name: "second" })],
      containers: [sh("sleep 3")],
    },
    plays: { second: { runMs: 3_000 }, main: { runMs: 3_000 } },
    steps: [see("second", running("second")), see("runs", isReady), see("has ended", phase("Succeeded"))],
  },
  {
    name: "other-selector",
    spec: { nodeSelector: { disk: "golden" }, containers: [idle()] },
    steps: [see("is refused", phase("Failed"))],
  },
  {
    name: "too-large",
    spec: { containers: [idle({ resources: { requests: { cpu: "1000" } } })] },
    steps: [see("is refused", phase("Failed"))],
  },
  {
    name: "host-network",
    spec: { hostNetwork: true, containers: [idle({ ports: [{ containerPort: 18080 }] })] },
    steps: [see("runs", isReady)],
  },
  {
    name: "starts-slowly",
    spec: {
      containers: [
        sh("trap 'exit 0' TERM; (sleep 4; touch /tmp/up) & sleep 3600 & wait $!", {
          startupProbe: { ...says("/tmp/up", "not ready yet"), periodSeconds: 1, failureThreshold: 30 },
        }),
      ],
    },
    plays: { main: { readyMs: 4_000 } },
    steps: [see("begins", running()), see("runs", isReady)],
  },
];
