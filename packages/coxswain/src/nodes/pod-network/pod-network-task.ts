/** Keeps the networks of Pods as the Nodes want them: a task of a manager. */
import { type ControllerLog, nodes, type Task, type TaskContext } from "@coxswain/client";
import { DisposableStack, sleep } from "@coxswain/machinery";
import { deleteLink, type Ip } from "../namespaces/links.ts";
import { type CniPlace, ensureCniConfig, type PodLink, podBridge, podLinkOf, wasBridged } from "./cni-config.ts";
import { type DesiredNetwork, desiredNetwork } from "./desired-network.ts";
import { masqueradeRules, type WriteRules } from "./masquerade.ts";
import { ensureRoutes } from "./routes.ts";

/** Where there is such a network. */
export interface PodNetworkPlace {
  /** Undefined: a machine that is none of the nodes, and reaches the Pods of each. */
  readonly nodeName: string | undefined;
  /** In its network namespace. */
  readonly ip: Ip;
  /** How the node's Pods get addresses; undefined: it has none. */
  readonly cni: CniPlace | undefined;
  /** How packets of Pods that leave the cluster get the node's address; undefined leaves that to others. */
  readonly writeRules: WriteRules | undefined;
}

export interface PodNetworkOptions {
  /** Asked at each start of the task. */
  readonly places: () => Promise<readonly PodNetworkPlace[]>;
  /** The ranges that those of Nodes have to be in; none: any. */
  readonly clusterCidrs: readonly string[];
}

export interface PodNetworkTask extends Task {
  /** Resolves when each place is as the Nodes of then want it. */
  readonly ready: Promise<void>;
  healthy(): boolean;
}

/** After which what others may have removed is written again. Milliseconds. */
const resyncMs = 60_000;

export function podNetworkTask(options: PodNetworkOptions): PodNetworkTask {
  const ready = Promise.withResolvers<void>();
  // Who does not wait for it need not handle that it never comes.
  ready.promise.catch(() => undefined);
  let isHealthy = false;
  return {
    name: "pod-network",
    ready: ready.promise,
    healthy: () => isHealthy,
    run: async (ctx, signal) => {
      try {
        await follow(options, ctx, signal, () => {
          isHealthy = true;
          ready.resolve();
        });
      } finally {
        isHealthy = false;
        ready.reject(new Error("the task has ended"));
      }
    },
  };
}

async function follow({ places, clusterCidrs }: PodNetworkOptions, ctx: TaskContext, signal: AbortSignal, onApplied: () => void) {
  const { clock } = ctx.client;
  const applied = (await places()).map((place) => new AppliedNetwork(place, ctx.log));
  using stack = new DisposableStack();
  const { informer } = stack.use(ctx.informers.use(nodes));
  let changed = new AbortController();
  stack.use(informer.subscribe(() => changed.abort()));
  await ctx.informers.synced({ signal });
  let fullAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    changed = new AbortController();
    const now = clock.monotonic();
    const isFull = now >= fullAt;
    const all = informer.lister.list();
    for (const network of applied) await network.apply(desiredNetwork(all, { nodeName: network.nodeName, clusterCidrs }), isFull);
    onApplied();
    if (isFull) fullAt = now + resyncMs;
    await sleep(clock, fullAt - now, AbortSignal.any([signal, changed.signal])).catch(() => undefined);
  }
}

/** One place, and what was last written there. */
class AppliedNetwork {
  readonly #place: PodNetworkPlace;
  readonly #log: ControllerLog;
  #last = "";
  #link: PodLink | undefined;
  #problems = "";

  constructor(place: PodNetworkPlace, log: ControllerLog) {
    this.#place = place;
    this.#log = log;
  }

  get nodeName(): string | undefined {
    return this.#place.nodeName;
  }

  /** @param isFull also what does not differ from last time. @throws ProgramError */
  async apply(wanted: DesiredNetwork, isFull: boolean): Promise<void> {
    const text = JSON.stringify(wanted);
    if (text === this.#last && !isFull) return;
    const { cni, writeRules, ip, nodeName } = this.#place;
    const { own, routes } = wanted;
    // Before a Pod has an address it is known what becomes of its packets.
    if (writeRules !== undefined) await writeRules(masqueradeRules(wanted));
    const link = cni === undefined ? "ptp" : await this.#podLink(cni);
    // A bridge has a route to all of the range.
    const nowhere = link === "ptp" ? own.map((to) => ({ to, via: undefined })) : [];
    this.#report(await ensureRoutes(ip, [...routes, ...nowhere]));
    if (cni !== undefined && own.length > 0 && ensureCniConfig(cni, link, own))
      this.#log.info({ node: nodeName, ranges: own, link }, "Pods of the node get addresses");
    this.#last = text;
  }

  /** Found out once: from the first on, new Pods are joined alike. */
  async #podLink({ confDir }: CniPlace): Promise<PodLink> {
    const { ip, nodeName } = this.#place;
    if (this.#link !== undefined) return this.#link;
    this.#link = await podLinkOf(ip, confDir);
    if (this.#link === "bridge")
      this.#log.info({ node: nodeName, bridge: podBridge }, "Pods are joined by the bridge until a start that finds none at it");
    else if (wasBridged(confDir)) await deleteLink(ip, podBridge);
    return this.#link;
  }

  /** Once, not each minute. */
  #report(problems: readonly string[]): void {
    const text = problems.join("; ");
    if (text !== "" && text !== this.#problems)
      this.#log.warn({ node: this.nodeName, problems }, "failed to make routes to Pods of other nodes: are they in one network?");
    this.#problems = text;
  }
}
