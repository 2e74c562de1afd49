/** Pods that serve and ask: Node of this machine, in containers with the network and the names that Kubernetes gives them. */
import { dirname, join } from "node:path";
import { images } from "../containerd/images.ts";
import { podSpec } from "./manifests.ts";

export const agentFile = join(import.meta.dirname, "service-agent.mjs");

/** What Node needs of this machine: itself, the libraries of the system, and the script. */
const folders = [dirname(process.execPath), "/usr/lib", "/lib64", "/lib", import.meta.dirname];

export const agentCommand = (...args: readonly string[]): readonly string[] => [process.execPath, agentFile, ...args];

/** Where a container finds them. */
export const nodeMounts = folders.map((mountPath, at) => ({ name: `folder-${at}`, mountPath, readOnly: true }));
export const nodeVolumes = folders.map((path, at) => ({ name: `folder-${at}`, hostPath: { path } }));

/** The specification of a Pod that runs the script in this mode. */
export function agentPod(args: readonly string[], { version = "0", port = {}, writes, ...more }: AgentPod = {}): object {
  const written = writes === undefined ? [] : [{ name: "written", hostPath: { path: writes } }];
  const container = {
    image: images.shell,
    command: [...agentCommand(...args)],
    env: [{ name: "VERSION", value: version }],
    volumeMounts: [...nodeMounts, ...written.map(({ name, hostPath }) => ({ name, mountPath: hostPath.path }))],
    ...(args[0] === "serve" ? { ports: [{ containerPort: 8080, ...port }], readinessProbe: ready, lifecycle: leaves } : {}),
  };
  return podSpec(container, { volumes: [...nodeVolumes, ...written], terminationGracePeriodSeconds: 10, ...more });
}

interface AgentPod {
  /** What the server answers with, beside its name. */
  readonly version?: string;
  /** What else is said of its port 8080. */
  readonly port?: { readonly hostPort?: number; readonly hostIP?: string };
  readonly restartPolicy?: "Always" | "Never";
  /** A folder of this machine that it writes to. */
  readonly writes?: string;
}

const ready = { httpGet: { path: "/", port: 8080 }, periodSeconds: 1, timeoutSeconds: 10 };

/** Endpoints that end serve on until every proxy has taken them out of its rules. */
const leaves = { preStop: { sleep: { seconds: 3 } } };

export const deployment = (name: string, replicas: number, version = "0"): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    template: { metadata: { labels: { app: name } }, spec: agentPod(["serve"], { version }) },
  },
});

export const service = (name: string, spec: object = {}): object => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: {
    selector: { app: name },
    ports: [
      { name: "http", port: 80, targetPort: 8080 },
      { name: "echo", port: 7000 },
      { name: "udp", port: 5300, protocol: "UDP" },
    ],
    ...spec,
  },
});
