/** What the steps that run, kill and start containers work with. */
import type { EventRecorder } from "@coxswain/client";
import type { Clock } from "@coxswain/machinery";
import type { ImageManager } from "../image-manager/image-manager.ts";
import type { HandlerRunner } from "../lifecycle/handler-runner.ts";
import type { PodMetrics } from "../metrics/pod-metrics.ts";
import type { KubeletLog } from "../pod/log.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { ConfigGenerator } from "./container-config/config-generator.ts";

/** What it takes to bring containers to life and to end them. */
export interface RuntimeDependencies {
  readonly runtime: PodRuntime;
  readonly configs: ConfigGenerator;
  readonly images: ImageManager;
  readonly hooks: HandlerRunner;
  /** Absent where nobody isolates Pods. */
  readonly isolate?: IsolatePod;
}

/** A Pod in whose network nothing runs yet. */
export interface NetworkedPod {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly addresses: readonly string[];
}

/**
 * Resolves when containers may start: NetworkPolicies about the Pod count, or nobody enforces any.
 * @param report says why it takes long, or why it is not so
 * @throws the signal's reason
 */
export type IsolatePod = (pod: NetworkedPod, report: (problem: string) => void, signal: AbortSignal) => Promise<void>;

export interface SyncContext {
  readonly dependencies: RuntimeDependencies;
  readonly clock: Clock;
  readonly events: Pick<EventRecorder, "record">;
  readonly log: KubeletLog;
  readonly metrics: PodMetrics;
}
