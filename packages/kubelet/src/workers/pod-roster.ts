/** The workers of a node by uid, and what keeps a Pod from having one. */
import { qosClass } from "@coxswain/api";
import type { Rejection } from "../admission/admit.ts";
import { answer } from "../admission/doorkeeper.ts";
import type { LocalPod, Pod, PodSource } from "../parts.ts";
import { StatusWriter } from "../status/status-writer.ts";
import { within } from "../sync/deadline.ts";
import { isDeleted, isTerminal } from "../sync/pod-state.ts";
import { tellPod } from "../sync/sync-context.ts";
import { removeContainers } from "./end-pod.ts";
import type { PodManagerOptions } from "./pod-manager.ts";
import { type Eviction, PodWorker } from "./pod-worker.ts";
import { type NodeContext, Tenancy } from "./tenancy.ts";

/** Nobody is given less time to end. */
const leastKillMs = 10_000;

type Ref = Parameters<Parameters<PodSource["subscribe"]>[0]>[0];

export class PodRoster {
  readonly #options: PodManagerOptions;
  readonly #node: NodeContext;
  readonly #signal: AbortSignal;
  readonly #workers = new Map<string, PodWorker>();
  /** Critical Pods for which others are made to go, by uid. */
  readonly #unseated = new Map<string, Pod>();
  /** Uids by namespace and name, the oldest first. */
  readonly #names = new Map<string, string[]>();

  constructor(options: PodManagerOptions, node: NodeContext, signal: AbortSignal) {
    this.#options = options;
    this.#node = node;
    this.#signal = signal;
  }

  /** Those that were here first come first. Whoever runs already, by uid, was let in by an earlier kubelet. */
  begin(pods: readonly Pod[], running: ReadonlySet<string>): void {
    const age = ({ metadata }: Pod): string => metadata?.creationTimestamp ?? "";
    for (const pod of pods.toSorted((a, b) => (age(a) < age(b) ? -1 : age(a) > age(b) ? 1 : 0))) {
      if (running.has(pod.metadata?.uid ?? "")) this.#add(pod);
      else this.#take(pod);
    }
  }

  see({ namespace, name }: Ref, pod: Pod | undefined): void {
    if (this.#signal.aborted) return;
    for (const uid of this.#names.get(`${namespace}/${name}`) ?? []) {
      if (uid !== pod?.metadata?.uid) this.#workers.get(uid)?.remove();
    }
    for (const [uid, { metadata }] of this.#unseated) {
      if (metadata?.namespace === namespace && metadata.name === name && uid !== pod?.metadata?.uid) this.#unseated.delete(uid);
    }
    if (pod === undefined) return;
    const uid = pod.metadata?.uid ?? "";
    if (this.#unseated.has(uid) && !isDeleted(pod)) this.#unseated.set(uid, pod);
    else this.#take(pod);
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
    const limitMs = Math.max(leastKillMs, graceSeconds * 1500);
    await within(this.#node.clock, limitMs, this.#signal, () => worker.stopped).catch((error: unknown) => {
      this.#signal.throwIfAborted();
      const message = "Container runtime did not kill the pod within specified grace period.";
      tellPod(this.#node, worker.pod, "Warning", "ExceededGracePeriod", message);
      throw error;
    });
  }

  /** Frees what containers have left that have ended for good. */
  async collectGarbage(signal: AbortSignal): Promise<void> {
    for (const { isOver, tenancy } of this.#workers.values()) {
      if (isOver) await removeContainers(this.#node, await tenancy.look(signal), signal);
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
  }

  #take(pod: Pod): void {
    const worker = this.#workers.get(pod.metadata?.uid ?? "");
    if (worker !== undefined) return void worker.update(pod);
    if (isDeleted(pod) || isTerminal(pod.status?.phase)) return void this.#add(pod);
    const active = [...this.#workers.values()].filter(({ isActive }) => isActive);
    const reply = answer(
      pod,
      this.#options.node(),
      active.map((one) => one.pod),
    );
    switch (reply.kind) {
      case "welcome":
        return void this.#add(pod);
      case "refused":
        return void this.#add(pod, reply.rejection);
      case "inTheirPlace":
        for (const one of active) if (reply.victims.includes(one.pod)) this.#preempt(one);
        this.#unseated.set(pod.metadata?.uid ?? "", pod);
    }
  }

  #preempt(worker: PodWorker): void {
    const message = "Preempted in order to admit critical pod";
    tellPod(this.#node, worker.pod, "Warning", "Preempting", message);
    worker.evict({ reason: "Preempting", message, condition: preempted });
  }

  #add(pod: Pod, rejection?: Rejection): void {
    const { client, random, log } = this.#options;
    const { namespace, name, uid = "" } = pod.metadata ?? {};
    const key = `${namespace}/${name}`;
    const before = this.#names.get(key) ?? [];
    const writer = new StatusWriter({ client, random, pod, log, signal: this.#signal });
    const tenancy = new Tenancy(this.#node, pod, { isStatic: false, writer });
    if (rejection !== undefined) this.#refuse(tenancy, writer, rejection);
    const worker = new PodWorker({
      tenancy,
      random,
      signal: this.#signal,
      isWaiting: before.length > 0 && !isDeleted(pod) && rejection === undefined,
      isRejected: rejection !== undefined,
      onStopped: () => this.#seat(),
      onGone: () => this.#drop(key, uid),
    });
    this.#names.set(key, [...before, uid]);
    this.#workers.set(uid, worker);
    worker.poke();
  }

  #refuse({ pod }: Tenancy, writer: StatusWriter, { reason, message }: Rejection): void {
    tellPod(this.#node, pod, "Warning", reason, message);
    const generation = pod.metadata?.generation;
    writer.hasStopped();
    writer.tell(pod, {
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      phase: "Failed",
      reason,
      message: `Pod was rejected: ${message}`,
      ...(pod.spec === undefined ? {} : { qosClass: qosClass(pod.spec) }),
    });
  }

  /** Somebody's place has become free. */
  #seat(): void {
    const waiting = [...this.#unseated.values()];
    this.#unseated.clear();
    for (const pod of waiting) this.#take(pod);
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

const localPod = ({ tenancy: { pod, state } }: PodWorker): LocalPod => ({ pod, sandbox: state.sandboxes[0], containers: state.containers });
