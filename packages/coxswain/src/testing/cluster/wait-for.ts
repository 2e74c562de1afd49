/** Waits for an object to be as a test wants it. */
import type { Client, ReconcileFailure, ResourceRef, Target } from "@coxswain/client";
import { type Clock, type KubeObject, qualifiedResource, stringifyYaml, systemClock } from "@coxswain/machinery";
import { VirtualClock } from "../chance-and-time/virtual-clock.ts";
import { show, validateOptions } from "../validation/options.ts";
import { describeFailures } from "./describe-failures.ts";
import { recordFailureOf } from "./failure-recordings.ts";
import { parseCondition } from "./wait-condition.ts";

/** How long `waitFor` waits, and what ends it earlier. */
export interface WaitOptions {
  /** By the cluster's clock and, where that stands still, by the real one too. Default: 30,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** It did not come about in time. The message shows the object as it was last seen, and which reconciles fail. */
export class WaitError extends Error {
  readonly lastSeen: KubeObject | undefined;
  /** Of the controllers that run with the client, or with others of the same cluster; the latest first. */
  readonly failures: readonly ReconcileFailure[];
  constructor(message: string, { lastSeen, failures = [], cause }: WaitErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.name = "WaitError";
    this.lastSeen = lastSeen;
    this.failures = failures;
  }
}

/** What a `WaitError` knows besides its message. */
export interface WaitErrorOptions extends ErrorOptions {
  readonly lastSeen?: KubeObject | undefined;
  readonly failures?: readonly ReconcileFailure[];
}

/** A predicate, or what `kubectl wait --for` takes: `condition=Ready`, `jsonpath={.status.phase}=Running`, `create`, `delete`. */
export type Until<T> = string | ((object: T) => boolean);

/** Which object is waited for, and what it is to be. */
export interface WaitTarget<T extends KubeObject> {
  readonly ref: ResourceRef<T>;
  readonly target: Target;
  readonly until: Until<T>;
  /** What an error says of the object that was seen last. Default: that `until` did not hold. */
  readonly unmet?: () => string;
}

/** Resolves with the object as it then is; after `delete`, as it was last seen. @throws WaitError */
export async function waitFor<T extends KubeObject>(
  client: Client,
  { ref, target, until, unmet }: WaitTarget<T>,
  options: WaitOptions = {},
): Promise<T | undefined> {
  validateOptions("waitFor", options, { timeoutMs: true, signal: true });
  const { timeoutMs = 30_000, signal } = options;
  if (typeof timeoutMs !== "number" || Number.isNaN(timeoutMs))
    throw new TypeError(`timeoutMs is in milliseconds: ${show(timeoutMs)} is no number`);
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
  const problem =
    unmet === undefined || lastSeen === undefined
      ? `${unmet === undefined ? `${wanted} did not hold` : "it did not exist"} within ${timeoutMs} ms.`
      : `not within ${timeoutMs} ms: ${unmet()}`;
  const failures = client.reconcileFailures.list();
  const seen = lastSeen === undefined ? "It was never seen." : `Last seen:\n${await stringifyYaml(withoutManagedFields(lastSeen))}`;
  const separator = failures.length > 0 || problem.includes("\n") ? "\n" : " ";
  const message = [`${what}: ${problem}`, ...describeFailures(failures), seen].join(separator);
  const recorded = await recordFailureOf(client.transport, {
    message: message.slice(0, maxRecordedMessage),
    about: { group: ref.group, resource: ref.resource, name, ...(namespace === undefined ? {} : { namespace }) },
    ...(typeof until === "string" ? { until } : {}),
  });
  throw new WaitError(`${message}${recorded}`, { lastSeen, failures, cause: interruption });
}

/** Characters: the object that was seen last is in the recording. */
const maxRecordedMessage = 2_000;

/** Who wrote which field takes most of an object, and is seldom the question. */
function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata };
}

function nameOfTarget(target: Target, client: Client, ref: ResourceRef): { readonly name: string; readonly namespace: string | undefined } {
  const { name, namespace } = typeof target === "string" ? { name: target, namespace: undefined } : target;
  return { name, namespace: ref.namespaced ? (namespace ?? client.namespace) : undefined };
}

/** A test must fail in the end, even if its time does not pass. */
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
