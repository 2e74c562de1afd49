/** Pods and what a runtime has of them, in short, for tables. */
import type { coreV1 } from "@coxswain/api";
import { recordOf } from "../pod/container-record.ts";
import type { Container, Pod } from "../pod/pod.ts";
import { type PodState, podState } from "../pod/pod-state.ts";
import type { ProbeResults } from "../prober/results.ts";
import type { ContainerStatus, SandboxStatus } from "../runtime/runtime-status.ts";

const identity = { uid: "u1", namespace: "default", name: "web" };

export const containerUnderTest = (name: string, more: Partial<Container> = {}): Container => ({ name, image: "app:1", ...more });

/** A sidecar's name ends with `*`. */
export const initsUnderTest = (...names: readonly string[]): Container[] =>
  names.map((name) => containerUnderTest(name.replace("*", ""), name.endsWith("*") ? { restartPolicy: "Always" } : {}));

export const podUnderTest = (spec: Partial<coreV1.PodSpec> = {}, metadata: Pod["metadata"] = {}): Pod => ({
  metadata: { ...identity, generation: 1, ...metadata },
  spec: { restartPolicy: "Always", containers: [containerUnderTest("main")], ...spec },
});

/**
 * `main:running`, `main:exited=1`, `main:created`, `main:unknown`, with `@2` behind it for the attempt; the newest first.
 * Ids are `main-2`.
 */
export function stateUnderTest(pod: Pod, containers: readonly string[], { ready = true, attempt = 0 } = {}): PodState {
  return podState(
    [sandboxUnderTest(attempt, ready)],
    containers.map((text, i) => containerStatus(pod, text, containers.length - i, `sandbox-${attempt}`)),
  );
}

export const sandboxUnderTest = (attempt: number, ready: boolean): SandboxStatus => ({
  id: `sandbox-${attempt}`,
  pod: identity,
  attempt,
  ready,
  createdAt: attempt,
  ips: ["10.0.0.1"],
  labels: {},
  annotations: {},
});

export function containerStatus(pod: Pod, text: string, createdAt: number, sandboxId = "sandbox-0"): ContainerStatus {
  const [, name = "", state = "", code = "0", attempt = "0"] = /^(\w+):(\w+)(?:=(\d+))?(?:@(\d+))?$/.exec(text) ?? [];
  const spec = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find((one) => one.name === name);
  if (!isState(state)) throw new TypeError(`no state of a container: ${text}`);
  return {
    id: `${name}-${attempt}`,
    sandboxId,
    pod: identity,
    name,
    attempt: Number(attempt),
    state,
    createdAt,
    startedAt: state === "created" ? 0 : createdAt,
    finishedAt: state === "exited" ? createdAt : 0,
    exitCode: Number(code),
    reason: state !== "exited" ? "" : code === "0" ? "Completed" : "Error",
    message: "",
    image: spec?.image ?? "",
    imageRef: `${spec?.image}@sha256:0`,
    logPath: "",
    labels: {},
    annotations: spec === undefined ? {} : recordOf(pod, spec, Number(attempt)),
    mounts: [],
    resources: undefined,
  };
}

const isState = (text: string): text is ContainerStatus["state"] => ["created", "running", "exited", "unknown"].includes(text);

export const noResults: ProbeResults = { startup: undefined, readiness: undefined, liveness: undefined };
