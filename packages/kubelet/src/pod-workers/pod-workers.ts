/** The workers of a node by uid, and what keeps a Pod from having one. */
import { qosClass } from "@coxswain/api";
import { nodes } from "@coxswain/client";
import type { PodSource } from "../config/pod-source.ts";
import { recordPodEvent } from "../events/record-events.ts";
import { type AdmissionDecision, admitPod } from "../lifecycle/admission.ts";
import type { Rejection } from "../lifecycle/predicate.ts";
import type { LocalPod } from "../pod/local-pods.ts";
import type { Pod } from "../pod/pod.ts";
import { isDeleted, isTerminal } from "../pod/pod-state.ts";
import { isMirrorOf, isStaticPod } from "../pod/source-annotations.ts";
import { PodManager } from "../pod-manager/pod-manager.ts";
import { within } from "../runtime/deadline.ts";
import { StatusWriter } from "../status/status-writer.ts";
import { removeContainers } from "./end-pod.ts";
import type { Eviction } from "./pod-eviction.ts";
import type { PodSyncLoopOptions } from "./pod-sync-loop-options.ts";
import { type NodeContext, PodSyncStatus } from "./pod-sync-status.ts";
import { PodWorker } from "./pod-worker.ts";
import { isResizePending } from "./resize-pod.ts";

/** No Pod is given less time to end. */
const minKillMs = 10_000;

type Ref = Parameters<Parameters<PodSource["subscribe"]>[0]>[0];

export class PodWorkers {
  readonly #options: PodSyncLoopOptions;
  readonly #node: NodeContext;
  readonly #signal: AbortSignal;
  readonly #mirrors: PodManager;
  readonly #workers = new Map<string, PodWorker>();
  /** Critical Pods for which others are made to go, by uid. */
  readonly #awaitingPreemption = new Map<string, Pod>();
  /** Pods about whose node the API is asked before they are rejected, by uid. */
  readonly #awaitingNode = new Map<string, Pod>();
  readonly #rechecks = new Set<Promise<void>>();
  /** Uids by namespace and name, the oldest first. */
  readonly #names = new Map<string, string[]>();

  constructor(options: PodSyncLoopOptions, node: NodeContext, signal: AbortSignal) {
    this.#options = options;
    this.#node = node;
    this.#signal = signal;
    const end = () => {
      for (const worker of this.#workers.values()) worker.stop(signal.reason);
    };
    signal.addEventListener("abort", end, { once: true });
    const { client, nodeName, log } = options;
    const nodeUid = () => options.node()?.metadata?.uid;
    this.#mirrors = new PodManager({ client, nodeName, nodeUid, log, signal, onMirror: (ref, mirror) => this.#attach(ref, mirror) });
  }

  /** All that stand in files on the node. Whoever was one and is none any more ends. */
  setStaticPods(pods: readonly Pod[]): void {
    const uids = new Set(pods.map(({ metadata }) => metadata?.uid));
    for (const worker of this.#workers.values()) {
      if (!worker.podSync.isStatic || uids.has(worker.podSync.uid)) continue;
      worker.remove();
      const ref = worker.podSync.identity;
      if (!pods.some(({ metadata }) => metadata?.name === ref.name && metadata.namespace === ref.namespace))
        this.#mirrors.setStaticPod(ref, undefined);
    }
    for (const waiting of [this.#awaitingPreemption, this.#awaitingNode]) {
      for (const [uid, pod] of waiting) if (isStaticPod(pod) && !uids.has(uid)) waiting.delete(uid);
    }
    for (const pod of pods) if (!this.#workers.has(pod.metadata?.uid ?? "")) this.#admit(pod);
  }

  /** Those that were here first come first. Whoever runs already, by uid, was let in by an earlier kubelet. */
  begin(pods: readonly Pod[], running: ReadonlySet<string>): void {
    const age = ({ metadata }: Pod): string => metadata?.creationTimestamp ?? "";
    for (const pod of pods.toSorted((a, b) => (age(a) < age(b) ? -1 : age(a) > age(b) ? 1 : 0))) {
      if (this.#mirrors.observe(refOf(pod), pod)) continue;
      if (running.has(pod.metadata?.uid ?? "")) this.#add(pod);
      else this.#admit(pod);
    }
  }

  see(ref: Ref, pod: Pod | undefined): void {
    if (this.#signal.aborted || this.#mirrors.observe(ref, pod)) return;
    const { namespace, name } = ref;
    for (const uid of this.#names.get(`${namespace}/${name}`) ?? []) {
      if (uid !== pod?.metadata?.uid) this.#workers.get(uid)?.remove();
    }
    for (const waiting of [this.#awaitingPreemption, this.#awaitingNode]) {
      for (const [uid, { metadata }] of waiting) {
        if (metadata?.namespace === namespace && metadata.name === name && uid !== pod?.metadata?.uid) waiting.delete(uid);
      }
    }
    if (pod === undefined) return;
    const uid = pod.metadata?.uid ?? "";
    const waiting = [this.#awaitingPreemption, this.#awaitingNode].find((one) => one.has(uid));
    if (waiting !== undefined && !isDeleted(pod)) return void waiting.set(uid, pod);
    waiting?.delete(uid);
    this.#admit(pod);
  }

  poke(uid: string): void {
    this.#workers.get(uid)?.poke();
  }

  /** Ends a Pod for good. Resolves when its containers have ended. @throws when that takes too long */
  async evict(uid: string, eviction: Eviction): Promise<void> {
    const worker = this.#workers.get(uid);
    if (worker === undefined || !worker.isActive) return;
    worker.evict(eviction);
    const graceSeconds = eviction.graceSeconds ?? worker.pod.spec?.terminationGracePeriodSeconds ?? 30;
    const limitMs = Math.max(minKillMs, graceSeconds * 1500);
    await within(this.#node.clock, limitMs, this.#signal, () => worker.stopped).catch((error: unknown) => {
      this.#signal.throwIfAborted();
      const message = "Container runtime did not kill the pod within specified grace period.";
      recordPodEvent(this.#node, worker.pod, { type: "Warning", reason: "ExceededGracePeriod", message });
      throw error;
    });
  }

  /** Frees what containers have left that have ended for good. */
  async collectGarbage(signal: AbortSignal): Promise<void> {
    for (const { isOver, podSync } of this.#workers.values()) {
      if (isOver) await removeContainers(this.#node, await podSync.refreshState(signal), signal);
    }
  }

  isKnown(uid: string): boolean {
    return this.#workers.has(uid);
  }

  local(): LocalPod[] {
    return Array.from(this.#workers.values(), localPod);
  }

  /** Without a uid the newest of this name. */
  find(namespace: string, name: string, uid?: string): LocalPod | undefined {
    const uids = this.#names.get(`${namespace}/${name}`) ?? [];
    const found = uid === undefined || uid === "" ? uids.at(-1) : uids.find((one) => one === uid);
    const worker = found === undefined ? undefined : this.#workers.get(found);
    return worker === undefined ? undefined : localPod(worker);
  }

  /** Resolves when no worker does anything. */
  async idle(): Promise<void> {
    await Promise.all(Array.from(this.#workers.values(), ({ idle }) => idle));
    await Promise.all(this.#rechecks);
    await this.#mirrors.idle();
  }

  #admit(pod: Pod): void {
    const worker = this.#workers.get(pod.metadata?.uid ?? "");
    if (worker !== undefined) return void worker.update(pod);
    if (isDeleted(pod) || isTerminal(pod.status?.phase)) return void this.#add(pod);
    this.#apply(pod, admitPod(pod, this.#options.node(), this.active()));
  }

  #apply(pod: Pod, decision: AdmissionDecision): void {
    switch (decision.kind) {
      case "admit":
        return void this.#add(pod);
      case "reject":
        return void this.#add(pod, decision.rejection);
      case "recheckNode": {
        const recheck = this.#recheckNode(pod, decision.rejection).finally(() => this.#rechecks.delete(recheck));
        return void this.#rechecks.add(recheck);
      }
      case "preempt":
        for (const one of this.#workers.values()) if (decision.victims.includes(one.pod)) this.#preempt(one);
        this.#awaitingPreemption.set(pod.metadata?.uid ?? "", pod);
    }
  }

  /** As the node is now in the API: its labels may have changed just before the Pod was bound. Never rejects. */
  async #recheckNode(pod: Pod, rejection: Rejection): Promise<void> {
    const uid = pod.metadata?.uid ?? "";
    const { client, nodeName } = this.#options;
    this.#awaitingNode.set(uid, pod);
    const node = await client
      .resource(nodes)
      .get(nodeName, { signal: this.#signal })
      .catch(() => undefined);
    const newest = this.#awaitingNode.get(uid);
    if (newest === undefined || this.#signal.aborted) return;
    this.#awaitingNode.delete(uid);
    const decision = node === undefined ? undefined : admitPod(newest, node, this.active());
    this.#apply(newest, decision === undefined || decision.kind === "recheckNode" ? { kind: "reject", rejection } : decision);
  }

  #preempt(worker: PodWorker): void {
    if (worker.stage === "terminating") return;
    const message = "Preempted in order to admit critical pod";
    recordPodEvent(this.#node, worker.pod, { type: "Warning", reason: "Preempting", message });
    worker.evict({ reason: "Preempting", message, condition: preempted });
  }

  #add(pod: Pod, rejection?: Rejection): void {
    const { random } = this.#options;
    const { namespace, name, uid = "" } = pod.metadata ?? {};
    const life = new AbortController();
    const key = `${namespace}/${name}`;
    const before = this.#names.get(key) ?? [];
    const isStatic = isStaticPod(pod);
    const writer = isStatic ? undefined : this.#writer(pod, life.signal);
    const podSync = new PodSyncStatus(this.#node, pod, { isStatic, writer });
    if (rejection !== undefined) this.#reject(podSync, rejection);
    const worker = new PodWorker({
      podSync,
      random,
      life,
      isWaiting: before.length > 0 && !isDeleted(pod) && rejection === undefined,
      isRejected: rejection !== undefined,
      onStopped: () => this.#retryPreemptors(),
      onGone: () => this.#drop(key, uid),
    });
    this.#names.set(key, [...before, uid]);
    this.#workers.set(uid, worker);
    worker.poke();
    if (isStatic) this.#mirrors.setStaticPod(refOf(pod), pod);
  }

  /** The status of a static Pod is its mirror's. */
  #attach({ namespace, name }: Ref, mirror: Pod | undefined): void {
    for (const uid of this.#names.get(`${namespace}/${name}`) ?? []) {
      const worker = this.#workers.get(uid);
      if (worker?.podSync.isStatic !== true) continue;
      const { podSync, life } = worker;
      if (mirror === undefined || !isMirrorOf(mirror, podSync.pod)) podSync.writer = undefined;
      else if (podSync.writer !== undefined && podSync.writer.uid === mirror.metadata?.uid) podSync.writer.observe(mirror);
      else podSync.writer = this.#writer(mirror, life);
    }
  }

  #writer(pod: Pod, signal: AbortSignal): StatusWriter {
    const { client, random, log } = this.#options;
    return new StatusWriter({ client, random, pod, log, signal });
  }

  #reject(podSync: PodSyncStatus, { reason, message }: Rejection): void {
    const { pod } = podSync;
    this.#node.metrics.rejected(reason);
    recordPodEvent(this.#node, pod, { type: "Warning", reason, message });
    const generation = pod.metadata?.generation;
    podSync.writer?.markStopped();
    podSync.setStatus({
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      phase: "Failed",
      reason,
      message: `Pod was rejected: ${message}`,
      ...(pod.spec === undefined ? {} : { qosClass: qosClass(pod.spec) }),
    });
  }

  /** The resources of a Pod have become free. */
  #retryPreemptors(): void {
    const waiting = [...this.#awaitingPreemption.values()];
    this.#awaitingPreemption.clear();
    for (const pod of waiting) this.#admit(pod);
    for (const worker of this.#workers.values()) if (isResizePending(worker.podSync)) worker.poke();
  }

  /** Who holds resources of the node. */
  active(but?: string): Pod[] {
    return [...this.#workers.values()].flatMap(({ isActive, podSync: { uid, pod } }) => (isActive && uid !== but ? [pod] : []));
  }

  #drop(key: string, uid: string): void {
    this.#workers.delete(uid);
    const left = (this.#names.get(key) ?? []).filter((one) => one !== uid);
    if (left.length === 0) this.#names.delete(key);
    else this.#names.set(key, left);
    const [next] = left;
    if (next !== undefined) this.#workers.get(next)?.begin();
  }
}

const preempted = {
  type: "DisruptionTarget",
  status: "True",
  reason: "TerminationByKubelet",
  message: "Pod was preempted by Kubelet to accommodate a critical pod.",
} as const;

const refOf = ({ metadata: { namespace = "", name = "" } = {} }: Pod): Ref => ({ namespace, name });

const localPod = ({ podSync: { pod, state } }: PodWorker): LocalPod => ({ pod, sandbox: state.sandboxes[0], containers: state.containers });
