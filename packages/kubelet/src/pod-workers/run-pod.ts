/** One sync of a Pod that shall run: what the runtime has of it, and what is to be done about it. */
import { messageOf } from "@coxswain/machinery";
import { recordPodEvent } from "../events/record-events.ts";
import { computePodActions } from "../kuberuntime/compute-pod-actions.ts";
import type { StartSignals } from "../kuberuntime/start-container.ts";
import { syncPod } from "../kuberuntime/sync-pod.ts";
import { hasAnything, isTerminal, isWatched, latest } from "../pod/pod-state.ts";
import { isWholeRestarting } from "../pod/restart-policy.ts";
import type { MountedVolumes } from "../volume-manager/mounted-volumes.ts";
import { deadlineExceeded, deadlineOf, pastDeadline } from "./active-deadline.ts";
import type { PodSyncStatus } from "./pod-sync-status.ts";
import { actuateResize, decideResize, followResize, isResizePending } from "./resize-pod.ts";

export type RunOutcome =
  /** It has ended, or must. */
  | { readonly kind: "over" }
  /** Sync again at once: something was done. */
  | { readonly kind: "again" }
  /** Sync again then at the latest, by the monotonic clock; undefined: when something happens. */
  | { readonly kind: "settled"; readonly syncAt: number | undefined };

export interface RunOptions extends StartSignals {
  /** Something about the Pod may have changed. */
  readonly changed: () => void;
}

export async function runPod(podSync: PodSyncStatus, { signal, syncSignal, changed }: RunOptions): Promise<RunOutcome> {
  const { node } = podSync;
  const state = await podSync.refreshState(signal);
  decideResize(podSync);
  followResize(podSync);
  const { pod } = podSync;
  if (isWatched(pod)) node.dependencies.probes.syncPod(pod, state.containers, podIpsOf(podSync)[0] ?? "", changed);
  if (pastDeadline(pod, podSync.reported, node.clock.now())) {
    const { reason, message } = deadlineExceeded;
    recordPodEvent(node, pod, { type: "Normal", reason, message });
  }
  const status = podSync.status({ isOver: false });
  podSync.setStatus(status);
  if (isTerminal(status.phase)) return { kind: "over" };
  checkNetwork(podSync);
  const volumes = await mount(podSync, syncSignal);
  return act(podSync, volumes, { signal, syncSignal });
}

/** @throws what keeps a Pod from a network of its own, after the event about it */
function checkNetwork({ node, pod }: PodSyncStatus): void {
  const problem = pod.spec?.hostNetwork === true ? undefined : node.networkProblem?.();
  if (problem === undefined) return;
  const message = `network is not ready: ${problem}`;
  recordPodEvent(node, pod, { type: "Warning", reason: "NetworkNotReady", message });
  throw new Error(message);
}

/** Addresses that the containers get to know. */
export const podIpsOf = ({ pod, state, node }: PodSyncStatus): readonly string[] =>
  pod.spec?.hostNetwork === true ? node.hostIps() : state.ips;

/** @throws what cannot be mounted, after the event about it */
async function mount({ node, pod }: PodSyncStatus, syncSignal: AbortSignal): Promise<MountedVolumes> {
  try {
    return await node.dependencies.volumes.mount(pod, syncSignal);
  } catch (error) {
    if (!syncSignal.aborted) recordPodEvent(node, pod, { type: "Warning", reason: "FailedMount", message: messageOf(error) });
    throw new MountError(error);
  }
}

/** Is tried again sooner at first, and later then, than what else fails. */
export class MountError extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
    this.name = "MountError";
  }
}

async function act(podSync: PodSyncStatus, volumes: MountedVolumes, signals: StartSignals): Promise<RunOutcome> {
  const { node, pod, state, reported, backoff, waits, retryTimes } = podSync;
  const restarting = hasAnything(state) && isWholeRestarting(pod, state, reported);
  const actions = computePodActions({
    pod,
    state,
    probes: podSync.probes,
    resizing: podSync.allocation.resizing,
    isWholeRestarting: restarting,
  });
  const podIps = podIpsOf(podSync);
  const onSandbox = () => reportSandbox(podSync);
  const request = {
    pod,
    state,
    actions,
    podIps,
    volumes,
    reported,
    backoff,
    waits,
    retryTimes,
    onSandbox,
    resize: () => actuateResize(podSync, actions, signals.signal),
  };
  const { retryAfterMs, hasNewReason, didAct, failedToRun } = await syncPod(node, request, signals);
  for (const container of [...actions.initToStart, ...actions.toStart]) podSync.allocation.restarts(container);
  if (didAct && retryAfterMs === undefined) return { kind: "again" };
  const deadline = deadlineOf(pod, podSync.reported);
  const deadlineMs = deadline === undefined ? undefined : deadline - node.clock.now();
  const resizeMs = isResizePending(podSync) ? resizeRetryMs : undefined;
  const begun = node.clock.monotonic();
  const times = [retryAfterMs, deadlineMs, resizeMs].filter((ms) => ms !== undefined).map((ms) => begun + ms);
  // What kept a container from starting stands in the status at the next sync, which must not wait for the next attempt.
  if (hasNewReason || failedToRun.length > 0) {
    await podSync.refreshState(signals.signal);
    podSync.setStatus(podSync.status({ isOver: false }));
  }
  // As one that has crashed: when it is started again depends on how often it did.
  for (const name of failedToRun.filter((one) => latest(podSync.state, one)?.state === "exited")) {
    const at = node.clock.monotonic() + relistMs;
    retryTimes.set(name, at);
    times.push(at);
  }
  return { kind: "settled", syncAt: times.length === 0 ? undefined : Math.min(...times) };
}

/** Kubelets list so often what their runtime has. */
const relistMs = 1_000;
/** So often a node that has too little is asked again. */
const resizeRetryMs = 180_000;

/** At once: pulling images may take long. */
function reportSandbox(podSync: PodSyncStatus): void {
  const { reported } = podSync;
  const conditions = reported.conditions?.map((one) => {
    if (one.type !== "PodReadyToStartContainers") return one;
    const { reason: _reason, message: _message, ...rest } = one;
    return { ...rest, status: "True" };
  });
  podSync.setStatus({ ...reported, ...(conditions === undefined ? {} : { conditions }) });
}
