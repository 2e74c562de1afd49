/** Whether rules follow what happens in the cluster: what /healthz and /livez answer. */
import type { api } from "@coxswain/client";
import type { Clock } from "@coxswain/machinery";
import type { IpFamily } from "../contracts/ip-family.ts";

/** The taint by which the cluster autoscaler says that a node is about to go. */
const toBeDeletedTaint = "ToBeDeletedByClusterAutoscaler";

/** In the form of kube-proxy's answer; times are RFC 3339. */
export interface HealthAnswer {
  readonly lastUpdated: string;
  readonly currentTime: string;
  readonly nodeEligible?: boolean;
  readonly healthy: boolean;
  readonly status?: Readonly<Partial<Record<IpFamily, { readonly lastUpdated: string; readonly healthy: boolean }>>>;
}

/** Follows, for each family, when a sync was asked for and when one was done. */
export class ProxyHealth {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #updated = new Map<IpFamily, number>();
  readonly #queued = new Map<IpFamily, number>();

  /** A sync that was asked for longer ago than `timeoutMs` makes it unhealthy. */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** A sync is asked for. */
  queuedUpdate(family: IpFamily): void {
    if (!this.#queued.has(family)) this.#queued.set(family, this.#clock.now());
  }

  /** Rules are as they should be. */
  updated(family: IpFamily): void {
    this.#queued.delete(family);
    this.#updated.set(family, this.#clock.now());
  }

  /** Healthy, too, while it starts. */
  get isHealthy(): boolean {
    return [...this.#updated.keys()].every((family) => this.#isHealthy(family));
  }

  /** What /livez answers. */
  live(): HealthAnswer {
    const now = this.#clock.now();
    const updated = [...this.#updated];
    const healthy = this.isHealthy;
    return {
      lastUpdated: timeText(healthy ? now : Math.max(0, ...updated.map(([, at]) => at))),
      currentTime: timeText(now),
      healthy,
      status: Object.fromEntries(updated.map(([family, at]) => [family, { lastUpdated: timeText(at), healthy: this.#isHealthy(family) }])),
    };
  }

  /** What /healthz answers: a node that goes takes no more traffic from load balancers. */
  ready(node: api.coreV1.Node | undefined): HealthAnswer {
    const { lastUpdated, currentTime, healthy, status } = this.live();
    return { lastUpdated, currentTime, nodeEligible: isEligible(node), healthy, ...(status === undefined ? {} : { status }) };
  }

  #isHealthy(family: IpFamily): boolean {
    const queued = this.#queued.get(family);
    return queued === undefined || this.#clock.now() - queued < this.#timeoutMs;
  }
}

function isEligible(node: api.coreV1.Node | undefined): boolean {
  if (node === undefined || node.metadata?.deletionTimestamp !== undefined) return false;
  return !(node.spec?.taints ?? []).some(({ key }) => key === toBeDeletedTaint);
}

const timeText = (ms: number): string => new Date(ms).toISOString();
