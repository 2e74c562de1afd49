/** What the loop that runs the Pods of a node is given. */

import type { coreV1 } from "@coxswain/api";
import type { Client, EventRecorder, MetricsRegistry } from "@coxswain/client";
import type { RandomSource } from "@coxswain/machinery";
import type { FileSource } from "../config/file-source.ts";
import type { PodSource } from "../config/pod-source.ts";
import type { KubeletLog } from "../pod/log.ts";
import type { PodWorkerDependencies } from "./dependencies.ts";

/** Where the Pods of a node come from, and what runs them. */
export interface PodSyncLoopOptions {
  readonly nodeName: string;
  readonly client: Client;
  /** The Pods that the API server has for this node. */
  readonly pods: PodSource;
  readonly dependencies: PodWorkerDependencies;
  /** As it is now; undefined while it is not registered. */
  readonly node: () => coreV1.Node | undefined;
  /** Before it is registered Pods are not admitted. Default: it is. */
  readonly registered?: Promise<unknown>;
  readonly events: Pick<EventRecorder, "record">;
  readonly random: RandomSource;
  readonly log: KubeletLog;
  readonly metrics: MetricsRegistry;
  /** The node's own; the first is of the family that its Pods have too. */
  readonly addresses: () => readonly string[];
  /** Why Pods get no network of their own now. Default: they do. */
  readonly networkProblem?: () => string | undefined;
  /** Pods that stand in files on the node. Default: none. */
  readonly staticPods?: FileSource;
}
