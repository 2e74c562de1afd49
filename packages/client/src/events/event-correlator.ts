/**
 * Makes few Events of many: counts what repeats, combines what is similar, and drops what is too much. The rules and figures
 * are those of client-go's correlator.
 */
import { type Clock, formatTime } from "@coxswain/machinery";
import type { coreV1 } from "@coxswain/types";
import { TokenBucket } from "../workqueue/token-bucket.ts";
import { LruMap } from "./lru-map.ts";

export type CoreEvent = coreV1.Event;

/** Limits of the correlation of Events; defaults are client-go's. */
export interface CorrelatorOptions {
  readonly clock: Clock;
  /** Names an Event about the object of this name; different each time. */
  readonly nameFor: (objectName: string) => string;
  /** How many groups of events are remembered. Default: 4096. */
  readonly remembered?: number;
  /** So many different messages of one reason are combined from then on, until there was none for the interval. Default: 10. */
  readonly similarEvents?: number;
  /** Default: ten minutes. */
  readonly similarIntervalMs?: number;
  /** How many events one object may have at once, and how many more a second. Default: 25, and one in five minutes. */
  readonly burst?: number;
  readonly perSecond?: number;
}

export type Correlated =
  | { readonly do: "create"; readonly event: CoreEvent }
  /** The event was written before: what changed in it. Where it is gone, `event` is created. */
  | { readonly do: "patch"; readonly event: CoreEvent; readonly patch: object }
  | { readonly do: "drop" };

interface Written {
  readonly name: string;
  readonly firstTimestamp: string | undefined;
  readonly count: number;
}

interface Group {
  readonly messages: Set<string>;
  lastAt: number;
}

const combined = "(combined from similar events): ";

export class EventCorrelator {
  readonly #options: CorrelatorOptions;
  readonly #clock: Clock;
  readonly #groups: LruMap<string, Group>;
  readonly #written: LruMap<string, Written>;
  readonly #buckets: LruMap<string, TokenBucket>;

  constructor(options: CorrelatorOptions) {
    const remembered = options.remembered ?? 4096;
    this.#options = options;
    this.#clock = options.clock;
    this.#groups = new LruMap(remembered);
    this.#written = new LruMap(remembered);
    this.#buckets = new LruMap(remembered);
  }

  correlate(event: CoreEvent): Correlated {
    const { event: grouped, key } = this.#combine(event);
    const before = this.#written.get(key);
    const counted = before === undefined ? grouped : countedAgain(grouped, before);
    this.#remember(key, counted);
    if (!this.#bucketOf(event).tryTake()) return { do: "drop" };
    if (before === undefined) return { do: "create", event: counted };
    const { count, lastTimestamp, message } = counted;
    return { do: "patch", event: counted, patch: { count, lastTimestamp, message } };
  }

  /** What the server made of it: the count may have restarted. */
  written(event: CoreEvent): void {
    this.#remember(eventKey(event), event);
  }

  /** The event itself, or one that stands for all that differ from it only in their messages. */
  #combine(event: CoreEvent): { readonly event: CoreEvent; readonly key: string } {
    const { similarEvents = 10, similarIntervalMs = 600_000, nameFor } = this.#options;
    const key = groupKey(event);
    const now = this.#clock.now();
    const known = this.#groups.get(key);
    const group = known !== undefined && now - known.lastAt <= similarIntervalMs ? known : { messages: new Set<string>(), lastAt: now };
    group.messages.add(event.message ?? "");
    group.lastAt = now;
    this.#groups.set(key, group);
    if (group.messages.size < similarEvents) return { event, key: eventKey(event) };
    for (const oldest of group.messages) {
      group.messages.delete(oldest);
      break;
    }
    const time = formatTime({ seconds: Math.floor(now / 1000), nanos: 0 }) ?? "";
    const metadata = { name: nameFor(event.involvedObject.name ?? ""), ...namespaceOf(event) };
    const message = `${combined}${event.message ?? ""}`;
    return { event: { ...event, metadata, message, count: 1, firstTimestamp: time, lastTimestamp: time }, key };
  }

  #remember(key: string, { metadata, firstTimestamp, count = 1 }: CoreEvent): void {
    this.#written.set(key, { name: metadata.name ?? "", firstTimestamp, count });
  }

  #bucketOf(event: CoreEvent): TokenBucket {
    const { burst = 25, perSecond = 1 / 300, clock } = this.#options;
    const key = sourceKey(event);
    const bucket = this.#buckets.get(key) ?? new TokenBucket({ clock, burst, perSecond });
    this.#buckets.set(key, bucket);
    return bucket;
  }
}

const countedAgain = (event: CoreEvent, { name, firstTimestamp, count }: Written): CoreEvent => ({
  ...event,
  metadata: { ...event.metadata, name },
  ...(firstTimestamp === undefined ? {} : { firstTimestamp }),
  count: count + 1,
});

const namespaceOf = ({ metadata: { namespace } }: CoreEvent): { readonly namespace?: string } =>
  namespace === undefined ? {} : { namespace };

/** Who says something of this type about which object. */
function sourceKey({ source, involvedObject, type }: CoreEvent): string {
  const { kind, namespace, name, uid, apiVersion } = involvedObject;
  return JSON.stringify([source?.component, source?.host, kind, namespace, name, uid, apiVersion, type]);
}

const groupKey = (event: CoreEvent): string =>
  JSON.stringify([sourceKey(event), event.reason, event.reportingComponent, event.reportingInstance]);

const eventKey = (event: CoreEvent): string =>
  JSON.stringify([sourceKey(event), event.involvedObject.fieldPath, event.reason, event.message]);
