/**
 * The Service proxy of a node: keeps its nftables rules as Services and EndpointSlices want them.
 * @see https://kubernetes.io/docs/reference/networking/virtual-ips/
 */
import type { RequestListener } from "node:http";
import { type Change, endpointSlices, nodes, type Subscriber, serviceCIDRs, services, type Task, type TaskContext } from "@coxswain/client";
import { AsyncDisposableStack, type KubeObject } from "@coxswain/machinery";
import { jsonHeaders, type ListenAddress, listen } from "../health/health-server.ts";
import { ProxyHealth } from "../health/proxy-health.ts";
import { serveHealth } from "../health/serve-health.ts";
import { proxyMetrics } from "../metrics/proxy-metrics.ts";
import { type ProxyParts, ProxySync, type ProxySyncOptions } from "./proxy-sync.ts";
import { nextStep, type SyncPeriods } from "./sync-schedule.ts";
import { Tracker } from "./tracker.ts";

/** What a proxy is made of. */
export interface ProxyOptions extends ProxySyncOptions, SyncPeriods {
  /** Where /healthz and /livez are answered; undefined: nowhere. */
  readonly healthz: ListenAddress | undefined;
}

/** A Proxy is a task that runs once in each `run` of a manager. Rules stay when it ends: connections go on. */
export interface Proxy extends Task {
  /** Resolves when the rules were first written; rejects when it ends before. */
  readonly ready: Promise<void>;
  /** Whether rules were written, and follow what happens in the cluster. */
  healthy(): boolean;
}

/** Services that name another proxy are left to it. */
const ofNoOtherProxy = "!service.kubernetes.io/service-proxy-name";
const servedSlices = `${ofNoOtherProxy},!service.kubernetes.io/headless`;

/** Creates a proxy, which works once it runs in a manager. */
export function createProxy(options: ProxyOptions): Proxy {
  const ready = Promise.withResolvers<void>();
  // Who does not wait for it need not handle that it never comes.
  ready.promise.catch(() => undefined);
  let current: ProxyHealth | undefined;
  return {
    name: "proxy",
    component: "kube-proxy",
    ready: ready.promise,
    healthy: () => current?.isHealthy === true,
    run: async (ctx, signal) => {
      const health = new ProxyHealth(ctx.client.clock, 2 * options.syncMs);
      const onReady = (): void => {
        current = health;
        ready.resolve();
      };
      try {
        await runProxy(options, { ctx, health, onReady }, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        current = undefined;
        ready.reject(new Error("the proxy has ended"));
      }
    },
  };
}

interface Surroundings {
  readonly ctx: TaskContext;
  readonly health: ProxyHealth;
  readonly onReady: () => void;
}

async function runProxy(options: ProxyOptions, { ctx, health, onReady }: Surroundings, signal: AbortSignal): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const { clock } = ctx.client;
  const tracker = new Tracker();
  const metrics = proxyMetrics(ctx.metrics, () => tracker.pending);
  const parts: ProxyParts = { tracker, metrics, health, clock, log: ctx.log };
  const sync = stack.use(new ProxySync(options, parts));
  if (options.healthz !== undefined)
    stack.use(serveHealth(options.healthz, healthAnswers(parts), { ...parts, listen: options.listen ?? listen }));
  follow(ctx, { parts, sync, nodeName: options.configuration.nodeName }, stack);
  await ctx.informers.synced({ signal });
  sync.start();
  while (!signal.aborted) {
    const { step, at } = nextStep(sync.state, options);
    const waitMs = at - clock.monotonic();
    if (waitMs > 0) {
      await sync.changedOr(waitMs, signal);
      continue;
    }
    await sync.perform(step, signal);
    if (sync.hasSynced) onReady();
  }
}

interface Followers {
  readonly parts: ProxyParts;
  readonly sync: ProxySync;
  readonly nodeName: string;
}

/** What comes is only noted; the loop writes it. */
function follow({ informers }: TaskContext, { parts, sync, nodeName }: Followers, stack: AsyncDisposableStack): void {
  const { tracker, metrics } = parts;
  const noting =
    <T extends KubeObject>(note: (change: Change<T>) => boolean, count?: () => void): Subscriber<T> =>
    (change) => {
      count?.();
      if (note(change)) sync.noteChange();
    };
  const ofServices = stack.use(informers.use(services, { labelSelector: ofNoOtherProxy })).informer;
  stack.use(ofServices.subscribe(noting((change) => tracker.onService(change), metrics.serviceChanged)));
  const ofSlices = stack.use(informers.use(endpointSlices, { labelSelector: servedSlices })).informer;
  stack.use(ofSlices.subscribe(noting((change) => tracker.onEndpointSlice(change), metrics.endpointsChanged)));
  const ofNode = stack.use(informers.use(nodes, { fieldSelector: `metadata.name=${nodeName}` })).informer;
  stack.use(ofNode.subscribe(noting((change) => tracker.onNode(change))));
  const ofCidrs = stack.use(informers.use(serviceCIDRs)).informer;
  stack.use(ofCidrs.subscribe(noting((change) => tracker.onServiceCidr(change))));
}

function healthAnswers({ health, tracker, metrics }: ProxyParts): RequestListener {
  return (request, response) => {
    const path = request.url?.split("?", 1)[0];
    if (path !== "/healthz" && path !== "/livez") return void response.writeHead(404).end("404 page not found\n");
    const answer = path === "/healthz" ? health.ready(tracker.node) : health.live();
    const status = answer.healthy && answer.nodeEligible !== false ? 200 : 503;
    metrics.healthAsked(path === "/healthz" ? "healthz" : "livez", status);
    response.writeHead(status, jsonHeaders).end(JSON.stringify(answer));
  };
}
