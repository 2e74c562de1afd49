/**
 * Which node ports are in use, as it is stored for all servers: the writes of Services keep it. Here is put right what an older server
 * did not write, and what a kube-apiserver left that ended between its two writes: Kubernetes' portallocator-repair-controller.
 */
import { type Clock, sleep } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import { includesPort, type PortRange, portRangeText } from "../configuration/port-range.ts";
import type { Log } from "../contracts/log.ts";
import { nodePortsKey, PortBitmap } from "../effects/core/service/port-bitmap.ts";
import { portsOf } from "../effects/core/service/service-values.ts";
import type { ObjectReader } from "../storage/object-reader.ts";
import { writeNote } from "./write-note.ts";

const intervalMs = 180_000;
/** What no Service has in so many passes one after another is free: a kube-apiserver takes a port some time before it stores the Service. */
const passesOfLeak = 3;
/** When others change it meanwhile. */
const attempts = 8;
/** How many objects are read in one turn of the event loop. */
const maxPerTurn = 64;

interface ServiceNodePortsOptions {
  readonly reader: ObjectReader;
  readonly clock: Clock;
  readonly log: Log;
  readonly ports: PortRange;
}

export class ServiceNodePorts implements AsyncDisposable {
  readonly #options: ServiceNodePortsOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #leaks: ReadonlyMap<number, number> = new Map();

  constructor(options: ServiceNodePortsOptions) {
    this.#options = options;
  }

  /** Once now, and again and again where others write, too. */
  start(): void {
    this.#running ??= this.#run();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log, reader } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#pass(reader.store);
      } catch (error) {
        log.warn({ error }, "failed to repair the node ports of all Services");
      }
      if (reader.store.freshen === undefined) return;
      await sleep(clock, intervalMs, signal).catch(() => undefined);
    }
  }

  async #pass(store: Store): Promise<void> {
    const { log, ports: range } = this.#options;
    for (let attempt = 0; attempt < attempts && !this.#stop.signal.aborted; attempt++) {
      const { used, entry } = await this.#read(store);
      const { bitmap, leaks } = planNodePorts({ range, used, value: entry?.value, leaks: this.#leaks });
      const written =
        bitmap === undefined
          ? undefined
          : await store.write({ op: "put", key: nodePortsKey, value: bitmap.encode(), expect: entry?.modified ?? "absent" }, writeNote);
      if (written?.ok === false) continue;
      this.#leaks = leaks;
      if (written !== undefined) log.info({}, "repaired the node ports of Services");
      return;
    }
  }

  /** Of one revision. */
  async #read(store: Store) {
    const { cache, served } = this.#options.reader;
    const used = new Set<number>();
    const prefix = served.find("", "v1", "services")?.prefix;
    if (prefix === undefined) return { used, entry: undefined };
    const { entries, revision } = await store.list(prefix);
    const { entry } = await store.get(nodePortsKey, { at: revision });
    for (const [i, service] of entries.entries()) {
      if (i % maxPerTurn === maxPerTurn - 1) await new Promise((resolve) => setImmediate(resolve));
      for (const port of portsOf(cache.objectOf(service))) used.add(port);
    }
    return { used, entry };
  }
}

export interface ObservedNodePorts {
  readonly range: PortRange;
  /** By Services. */
  readonly used: ReadonlySet<number>;
  /** What is stored. */
  readonly value: Uint8Array | undefined;
  /** How often a port was found without a Service, one time after another. */
  readonly leaks: ReadonlyMap<number, number>;
}

export interface NodePortsPlan {
  /** Undefined where what is stored may stay. */
  readonly bitmap: PortBitmap | undefined;
  readonly leaks: ReadonlyMap<number, number>;
}

export function planNodePorts({ range, used, value, leaks }: ObservedNodePorts): NodePortsPlan {
  const stored = value === undefined ? undefined : PortBitmap.parse(value);
  const left = (stored?.ports() ?? []).filter((port) => !used.has(port));
  const counted = left.map((port) => [port, (leaks.get(port) ?? 0) + 1] as const).filter(([, times]) => times < passesOfLeak);
  const next = PortBitmap.of(range, [...used, ...counted.map(([port]) => port)]);
  const isSame =
    stored === undefined
      ? value === undefined && ![...used].some((port) => includesPort(range, port))
      : portRangeText(stored.range) === portRangeText(range) && Buffer.compare(next.encode(), stored.encode()) === 0;
  return { bitmap: isSame ? undefined : next, leaks: new Map(counted) };
}
