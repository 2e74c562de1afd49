import { deepEqual, type KubeObject, type ObjectMeta } from "@coxswain/machinery";
import type { ServedResource } from "../contracts/served-resource.ts";
import type { DeleteOptions } from "../request/options.ts";
import { wholeSeconds } from "./metadata.ts";

/**
 * What a delete makes of an object: it goes, it already waits, or it waits from now on as the returned object. While a grace
 * period runs, a later delete may only shorten it; otherwise every delete sets the propagation policy again.
 */
export function planDeletion(
  resource: ServedResource,
  current: Readonly<KubeObject>,
  options: DeleteOptions,
  now: number,
): "remove" | "pending" | KubeObject {
  const meta = current.metadata ?? {};
  const { strategy } = resource.definition;
  const asked = options.gracePeriodSeconds === undefined ? undefined : sensibleGrace(options.gracePeriodSeconds);
  const held = strategy.mayBeRemoved?.(current) === false;
  const finalizers = finalizersAfter(resource, meta, options);
  if (meta.deletionTimestamp === undefined) {
    if (strategy.checkGracefulDelete === undefined && !held && finalizers.length === 0) return "remove";
    const graceSeconds = sensibleGrace(strategy.checkGracefulDelete?.(current, asked) ?? 0);
    return marked(resource, current, finalizers, { until: now + graceSeconds * 1000, graceSeconds });
  }
  const { deletionGracePeriodSeconds: left = 0 } = meta;
  if (held || (left > 0 && (asked === undefined || asked >= left))) return "pending";
  if (left === 0 && finalizers.length === 0) return "remove";
  const next = marked(resource, current, finalizers, shortened(Date.parse(meta.deletionTimestamp), left, asked ?? 0, now));
  return deepEqual(next, current) ? "pending" : next;
}

/** A shorter grace period counts from where the first began, but does not end in the past; one that is over stays over. */
function shortened(until: number, left: number, asked: number, now: number): Wait {
  if (left === 0) return { until: Math.min(until, now), graceSeconds: 0 };
  const ends = until - (left - asked) * 1000;
  return ends < now ? { until: now, graceSeconds: Math.min(asked, 1) } : { until: ends, graceSeconds: asked };
}

/** More than any client waits, and little enough that a time so far away can still be written. */
const maxGraceSeconds = 2 ** 31;

/** What the client sent may be a bigint, whatever its type says: any int64 may. */
const sensibleGrace = (seconds: number): number => (seconds < 0 ? 1 : Math.min(Number(seconds), maxGraceSeconds));

interface Wait {
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly graceSeconds: number;
}

/** The object as it waits: for its grace period, or for its finalizers. */
function marked(
  resource: ServedResource,
  current: Readonly<KubeObject>,
  finalizers: readonly string[],
  { until, graceSeconds }: Wait,
): KubeObject {
  const { finalizers: _, ...meta } = current.metadata ?? {};
  const counts = meta.deletionTimestamp === undefined && (meta.generation ?? 0) > 0;
  const next: KubeObject = {
    ...current,
    metadata: {
      ...meta,
      deletionTimestamp: wholeSeconds(until),
      deletionGracePeriodSeconds: graceSeconds,
      ...(counts ? { generation: (meta.generation ?? 0) + 1 } : {}),
      ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }),
    },
  };
  resource.definition.strategy.markDeleting?.(next, current);
  return next;
}

const orphan = "orphan";
const foreground = "foregroundDeletion";

/** The two finalizers through which a delete speaks to the garbage collector follow its options. */
function finalizersAfter(resource: ServedResource, meta: Readonly<ObjectMeta>, options: DeleteOptions): readonly string[] {
  const present = meta.finalizers ?? [];
  const { strategy } = resource.definition;
  if (strategy.garbageCollected === false) return present;
  const wanted = collectorFinalizer(present, options.propagationPolicy, strategy.defaultGarbageCollectionPolicy);
  if (present.filter((name) => name === orphan || name === foreground).join() === wanted) return present;
  const others = present.filter((name) => name !== orphan && name !== foreground);
  return wanted === "" ? others : [...others, wanted];
}

/** What the delete asks for goes before what an earlier one left, and that before the kind's default. */
function collectorFinalizer(present: readonly string[], asked: DeleteOptions["propagationPolicy"], byDefault: string | undefined): string {
  if (asked === undefined && present.includes(orphan)) return orphan;
  if (asked === undefined && present.includes(foreground)) return foreground;
  switch (asked ?? byDefault) {
    case "Orphan":
      return orphan;
    case "Foreground":
      return foreground;
    default:
      return "";
  }
}
