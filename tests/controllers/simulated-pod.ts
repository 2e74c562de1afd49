/** What becomes of a Pod on a simulated node: pure, from what is seen of it and for how long. */
import type { api } from "@coxswain/client";
import { formatTime } from "@coxswain/machinery";

export type Pod = api.coreV1.Pod;

/** Times in milliseconds. */
export type PodOutcome =
  /** Runs, and is ready after this time; never with Infinity. */
  | { readonly kind: "runs"; readonly readyAfterMs?: number }
  /** Each container ends with this code after this time; whether it then runs again is for the restart policy to say. */
  | { readonly kind: "ends"; readonly exitCode: number; readonly afterMs?: number };

const prefix = "simulated.coxswain/";

/**
 * As its annotations say, runs otherwise: `simulated.coxswain/ready-after-ms: "5000"` or `never`,
 * `simulated.coxswain/exit-code: "1"`, `simulated.coxswain/after-ms: "2000"`.
 */
export function outcomeInAnnotations({ metadata }: Pod): PodOutcome {
  const read = (name: string): number | undefined => {
    const text = metadata?.annotations?.[prefix + name];
    return text === undefined ? undefined : text === "never" ? Number.POSITIVE_INFINITY : Number(text);
  };
  const exitCode = read("exit-code");
  if (exitCode !== undefined) return { kind: "ends", exitCode, afterMs: read("after-ms") ?? 0 };
  return { kind: "runs", readyAfterMs: read("ready-after-ms") ?? 0 };
}

export interface Observed {
  readonly pod: Pod;
  readonly podOutcome: PodOutcome;
  readonly nowMs: number;
  /** Since it came to the node, was last started, or is asked to go, whatever was last. */
  readonly sinceMs: number;
  /** How long its containers take to end once they are asked to. */
  readonly stopAfterMs: number;
  readonly podIp: string;
}

export type Step =
  | { readonly do: "nothing" }
  | { readonly do: "wait"; readonly ms: number }
  /** `restarts`: the time restarts. */
  | { readonly do: "report"; readonly status: api.coreV1.PodStatus; readonly restarts?: true }
  | { readonly do: "remove" };

const nothing: Step = { do: "nothing" };

export function nextStep(observed: Observed): Step {
  const { pod, podOutcome } = observed;
  const { phase = "Pending" } = pod.status ?? {};
  const isOver = phase === "Succeeded" || phase === "Failed";
  if (pod.metadata?.deletionTimestamp !== undefined) return isOver ? { do: "remove" } : stopping(observed);
  if (isOver) return nothing;
  if (phase === "Pending")
    return { do: "report", status: running(observed, podOutcome.kind === "ends" || (podOutcome.readyAfterMs ?? 0) === 0) };
  if (podOutcome.kind === "runs") return becomingReady(observed, podOutcome.readyAfterMs ?? 0);
  return after(observed, podOutcome.afterMs ?? 0, () => ended(observed, podOutcome.exitCode));
}

function after({ nowMs, sinceMs }: Observed, ms: number, then: () => Step): Step {
  const left = sinceMs + ms - nowMs;
  if (left <= 0) return then();
  return Number.isFinite(left) ? { do: "wait", ms: left } : nothing;
}

function becomingReady(observed: Observed, readyAfterMs: number): Step {
  if (conditionOf(observed.pod, "Ready")?.status === "True") return nothing;
  return after(observed, readyAfterMs, () => ({ do: "report", status: running(observed, true) }));
}

function stopping(observed: Observed): Step {
  const { pod, stopAfterMs } = observed;
  const graceMs = (pod.metadata?.deletionGracePeriodSeconds ?? 30) * 1000;
  const isKilled = stopAfterMs > graceMs;
  return after(observed, Math.min(stopAfterMs, graceMs), () => ({ do: "report", status: over(observed, isKilled ? 137 : 0) }));
}

function ended(observed: Observed, exitCode: number): Step {
  const policy = observed.pod.spec?.restartPolicy ?? "Always";
  if (policy === "Never" || (policy === "OnFailure" && exitCode === 0)) return { do: "report", status: over(observed, exitCode) };
  return { do: "report", status: running(observed, true, terminated(observed, exitCode)), restarts: true };
}

/** `last` is how the containers ended that are started again. */
function running(observed: Observed, ready: boolean, last?: api.coreV1.ContainerStateTerminated): api.coreV1.PodStatus {
  const { pod, podIp } = observed;
  const { status } = pod;
  return {
    ...status,
    phase: "Running",
    conditions: conditions(observed, ready ? undefined : { reason: "ContainersNotReady" }),
    hostIP: "10.0.0.1",
    podIP: status?.podIP ?? podIp,
    podIPs: status?.podIPs ?? [{ ip: podIp }],
    startTime: status?.startTime ?? time(observed),
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = "" }, i) => {
      const { restartCount = 0, lastState = {} } = status?.containerStatuses?.[i] ?? {};
      const state = { running: { startedAt: time(observed) } };
      const common = { name, image, imageID: image, containerID: `simulated://${pod.metadata?.uid}-${i}`, started: true, ready, state };
      return last === undefined
        ? { ...common, restartCount, lastState }
        : { ...common, restartCount: restartCount + 1, lastState: { terminated: last } };
    }),
  };
}

function over(observed: Observed, exitCode: number): api.coreV1.PodStatus {
  const { status = {} } = observed.pod;
  const why = { reason: exitCode === 0 ? "PodCompleted" : "PodFailed" };
  return {
    ...running(observed, false),
    phase: exitCode === 0 ? "Succeeded" : "Failed",
    conditions: conditions({ ...observed, pod: { ...observed.pod, status } }, why),
    containerStatuses: (running(observed, false).containerStatuses ?? []).map((one) => ({
      ...one,
      started: false,
      state: { terminated: terminated(observed, exitCode) },
    })),
  };
}

const terminated = (observed: Observed, exitCode: number): api.coreV1.ContainerStateTerminated => ({
  exitCode,
  reason: exitCode === 0 ? "Completed" : "Error",
  startedAt: observed.pod.status?.startTime ?? time(observed),
  finishedAt: time(observed),
});

type Condition = api.coreV1.PodCondition;

const conditionOf = ({ status }: Pod, type: string): Condition | undefined => status?.conditions?.find((one) => one.type === type);

const ofTheNode = ["PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready"];

function conditions(observed: Observed, notReady: { readonly reason: string } | undefined): Condition[] {
  const others = (observed.pod.status?.conditions ?? []).filter(({ type }) => !ofTheNode.includes(type));
  const own = ofTheNode.map((type): Condition => {
    const before = conditionOf(observed.pod, type);
    const holds = !type.endsWith("Ready") || notReady === undefined;
    const status = holds ? "True" : "False";
    const lastTransitionTime = before?.status === status ? (before.lastTransitionTime ?? time(observed)) : time(observed);
    return { type, status, lastTransitionTime, ...(holds ? {} : notReady) };
  });
  return [...own, ...others];
}

const time = ({ nowMs }: Observed): string => formatTime({ seconds: Math.floor(nowMs / 1000), nanos: 0 }) ?? "";
