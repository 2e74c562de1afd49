/** Samples the resource usage of all nodes every 15 seconds while it is requested: what metrics-server does. */
import type { Measured, MeasuredContainer, ResourceMetrics } from "@coxswain/apiserver";
import { type Client, nodes as nodeResource } from "@coxswain/client";
import { type Clock, sleep } from "@coxswain/machinery";
import { Rates } from "./rates.ts";
import { type NodeSample, type Sample, scrape } from "./scrape.ts";

export interface MeasureOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
}

export interface NodeMeasurements extends ResourceMetrics, AsyncDisposable {}

const intervalMs = 15_000;
/** Between the first two samples, which the first caller waits for. */
const firstIntervalMs = 1_500;
/** How long sampling goes on after the last call. */
const keepSamplingMs = 2 * 60_000;
const maxConcurrentScrapes = 16;
/** For one node; milliseconds. */
const scrapeTimeoutMs = 10_000;

export function measureNodes({ client, clock, log }: MeasureOptions): NodeMeasurements {
  const nodes = new Rates();
  const containers = new Rates();
  const stop = new AbortController();
  let askedAt = 0;
  let sampling: { readonly done: Promise<void>; readonly first: Promise<void> } | undefined;

  const sampleAll = async (): Promise<void> => {
    const { items } = await client.resource(nodeResource).list({ signal: stop.signal });
    const waiting = items.map(({ metadata }) => metadata?.name ?? "");
    const seen = new Map<string, Sample>();
    const inside = new Map<string, Sample>();
    const work = async (): Promise<void> => {
      for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
        const sample = await sampleOf(node);
        if (sample?.node !== undefined) seen.set(node, sample.node);
        for (const [key, one] of sample?.containers ?? []) inside.set(key, one);
      }
    };
    await Promise.all(Array.from({ length: maxConcurrentScrapes }, work));
    nodes.add(seen);
    containers.add(inside);
  };

  const sampleOf = async (node: string): Promise<NodeSample | undefined> => {
    const late = new AbortController();
    using timer = clock.schedule(scrapeTimeoutMs, () => late.abort(new Error("the kubelet does not answer")));
    timer.unref();
    try {
      return await scrape(client, node, AbortSignal.any([stop.signal, late.signal]));
    } catch (error) {
      if (!stop.signal.aborted) log.warn({ node, error }, "failed to measure the node's resource usage");
      return undefined;
    }
  };

  const keepSampling = async (first: () => void): Promise<void> => {
    try {
      await sampleAll();
      await sleep(clock, firstIntervalMs, stop.signal);
      await sampleAll();
      first();
      while (clock.monotonic() - askedAt < keepSamplingMs) {
        await sleep(clock, intervalMs, stop.signal);
        await sampleAll();
      }
    } catch (error) {
      if (!stop.signal.aborted) log.warn({ error }, "failed to measure the nodes' resource usage");
    } finally {
      first();
      sampling = undefined;
    }
  };

  const fresh = async (): Promise<void> => {
    askedAt = clock.monotonic();
    if (stop.signal.aborted) return;
    if (sampling === undefined) {
      const first = Promise.withResolvers<void>();
      sampling = { done: keepSampling(() => first.resolve()), first: first.promise };
    }
    await sampling.first;
  };

  return {
    async nodes() {
      await fresh();
      return new Map<string, Measured>(nodes.measured());
    },
    async pods() {
      await fresh();
      return containersByPod(containers.measured());
    },
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("the server is stopped"));
      await sampling?.done;
    },
  };
}

/** By namespace and Pod, of keys that name the container behind the last slash. */
function containersByPod(measuredContainers: Iterable<readonly [key: string, Measured]>): Map<string, MeasuredContainer[]> {
  const pods = new Map<string, MeasuredContainer[]>();
  for (const [key, measured] of measuredContainers) {
    const slash = key.lastIndexOf("/");
    const pod = key.slice(0, slash);
    pods.set(pod, [...(pods.get(pod) ?? []), { name: key.slice(slash + 1), ...measured }]);
  }
  return pods;
}
