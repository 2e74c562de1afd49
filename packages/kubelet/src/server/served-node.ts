/** What the kubelet's server serves. */
import type { LocalPods } from "../pod/local-pods.ts";
import type { PodRuntime } from "../runtime/pod-runtime.ts";
import type { NodeUsage } from "../stats/node-usage.ts";

/** One node behind the kubelet's server, which may serve several. */
export interface ServedNode {
  readonly name: string;
  readonly runtime: PodRuntime;
  readonly pods: LocalPods;
  /** Of the whole machine; without it, what its containers use. */
  readonly usage?: () => Promise<NodeUsage>;
  /** More for `/metrics`, and the whole of `/metrics/probes`, in Prometheus' text format. */
  readonly metrics?: () => string | Promise<string>;
  readonly probeMetrics?: () => string | Promise<string>;
  /** What `/configz` answers. */
  readonly config?: object;
}
