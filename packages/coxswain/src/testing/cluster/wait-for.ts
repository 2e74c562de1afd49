/** Waits for an object to be as a test wants it. */
import type { Client, ResourceRef, Target } from "@coxswain/client";
import { type Clock, type KubeObject, qualifiedResource, stringifyYaml, systemClock } from "@coxswain/machinery";
import { VirtualClock } from "../chance-and-time/virtual-clock.ts";
import { parseCondition } from "./wait-condition.ts";

/** How long `waitFor` waits, and what ends it earlier. */
export interface WaitOptions {
  /** By the cluster's clock and, where that stands still, by the real one too. Default: 30,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** It did not come about in time. The message shows the object as it was last seen. */
export class WaitError extends Error {
  readonly lastSeen: KubeObject | undefined;
  constructor(message: string, lastSeen: KubeObject | undefined, options?: ErrorOptions) {
    super(message, options);
    this.name = "WaitError";
    this.lastSeen = lastSeen;
  }
}

/** A predicate, or what `kubectl wait --for` takes: `condition=Ready`, `jsonpath={.status.phase}=Running`, `create`, `delete`. */
export type Until<T> = string | ((object: T) => boolean);

/** Resolves with the object as it then is; after `delete`, as it was last seen. @throws WaitError */
export async function waitFor<T extends KubeObject>(
  client: Client,
  { ref, target, until }: { readonly ref: ResourceRef<T>; readonly target: Target; readonly until: Until<T> },
  { timeoutMs = 30_000, signal }: WaitOptions = {},
): Promise<T | undefined> {
  const deletion = until === "delete";
  const holds = typeof until === "function" ? until : deletion ? () => false : parseCondition(until);
  const { name, namespace } = nameOfTarget(target, client, ref);
  let lastSeen: T | undefined;
  let interruption: unknown;
  using time = limit(client.clock, timeoutMs);
  const ended = signal === undefined ? time.signal : AbortSignal.any([signal, time.signal]);
  const onInterrupted = ({ error }: { readonly error: unknown }): void => {
    interruption = error;
  };
  try {
    const watch = client.resource(ref, namespace).watch({ fieldSelector: `metadata.name=${name}`, signal: ended, onInterrupted });
    for await (const event of watch) {
      if (event.type === "BOOKMARK") continue;
      const object = event.type === "LISTED" ? event.items[0] : event.object;
      lastSeen = object ?? lastSeen;
      const there = object !== undefined && event.type !== "DELETED";
      if (deletion ? !there : there && holds(object)) return lastSeen;
    }
  } catch (error) {
    if (!time.signal.aborted) throw error;
  }
  signal?.throwIfAborted();
  const what = `${qualifiedResource(ref)} "${name}"${namespace === undefined ? "" : ` in namespace "${namespace}"`}`;
  const wanted = typeof until === "string" ? until : `the predicate ${until.name || until.toString()}`;
  const seen = lastSeen === undefined ? "It was never seen." : `Last seen:\n${await stringifyYaml(lastSeen)}`;
  throw new WaitError(`${what}: ${wanted} did not hold within ${timeoutMs} ms. ${seen}`, lastSeen, { cause: interruption });
}

function nameOfTarget(target: Target, client: Client, ref: ResourceRef): { readonly name: string; readonly namespace: string | undefined } {
  const { name, namespace } = typeof target === "string" ? { name: target, namespace: undefined } : target;
  return { name, namespace: ref.namespaced ? (namespace ?? client.namespace) : undefined };
}

/** A test must fail in the end, even if nobody lets its time pass. */
function limit(clock: Clock, timeoutMs: number): Disposable & { readonly signal: AbortSignal } {
  const over = new AbortController();
  const clocks = clock instanceof VirtualClock ? [clock, systemClock] : [clock];
  const timers = clocks.map((one) => one.schedule(timeoutMs, () => over.abort(new Error(`${timeoutMs} ms are over`))));
  return {
    signal: over.signal,
    [Symbol.dispose]: () => {
      for (const timer of timers) timer[Symbol.dispose]();
    },
  };
}
