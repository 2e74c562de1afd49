/** The options of a kubelet. */
import type { Client, EventRecorder, MetricsRegistry } from "@coxswain/client";
import type { RandomSource } from "@coxswain/machinery";
import type { Threshold } from "../eviction/thresholds.ts";
import type { MasterService } from "../kuberuntime/container-config/service-variables.ts";
import type { IsolatePod } from "../kuberuntime/sync-context.ts";
import type { NodeIdentity } from "../node-status/node-object.ts";
import type { KubeletLog } from "../pod/log.ts";
import type { Dial } from "../probe/dial.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";

/** Everything that makes one kubelet differ from another. Paths are absolute. */
export interface KubeletOptions {
  /** As the node: `system:node:<name>`. */
  readonly client: Client;
  /** What the runtime says of itself is added. */
  readonly identity: Omit<NodeIdentity, "runtimeVersion" | "runtimeHandlers">;
  readonly runtime: PodRuntime;
  /** Probes and hooks; default: over the network of this machine. */
  readonly dial?: Dial;
  /** Absolute; where volumes and whatever else belongs to Pods is kept. */
  readonly rootDir: string;
  /** Absolute. */
  readonly logsDir: string;
  /** False where containers are played: then nothing is written to disks. Default: true. */
  readonly hasMachine?: boolean;
  readonly events: EventRecorder;
  readonly random: RandomSource;
  readonly log: KubeletLog;
  readonly metrics?: MetricsRegistry;
  readonly thresholds: readonly Threshold[];
  readonly cgroupRoot?: string;
  readonly masterService?: MasterService;
  readonly clusterDns?: readonly string[];
  /** Absent where nobody isolates Pods. */
  readonly isolate?: IsolatePod;
  /** Default: `cluster.local`. */
  readonly clusterDomain?: string;
  /** The node's own; empty: none. Default: `/etc/resolv.conf`. */
  readonly resolvConf?: string;
  /** Absolute; a folder of Pods that the node runs by itself, or one such file. */
  readonly staticPods?: string;
}
