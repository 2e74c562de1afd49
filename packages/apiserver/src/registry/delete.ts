/**
 * Deleting an object: at once, or marked and left to whoever holds its finalizers or its grace period.
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
import { conflict, deepEqual, type KubeObject, notFound, type ObjectMeta, type StatusError } from "@coxswain/machinery";
import type { Entry, Revision } from "@coxswain/store";
import type { RequestContext } from "../context.ts";
import type { ServedResource } from "../contracts/served-resource.ts";
import { OffloadRequired } from "../request/offload-required.ts";
import type { DeleteOptions } from "../request/options.ts";
import { keyOf } from "../storage/served-resource.ts";
import { entryAt, isConverted } from "../storage/versions.ts";
import type { Outcome } from "./create.ts";
import { guaranteedUpdate } from "./guaranteed-update.ts";
import { wholeSeconds } from "./metadata.ts";
import { noteOf, putObject } from "./put-object.ts";
import { staleWrite } from "./stale-write.ts";
import { finishesDeletion } from "./update.ts";

/** `gone`: nothing is left of it; `lingering`: it waits for finalizers or its grace period. */
export interface Deletion {
  readonly kind: "gone" | "lingering";
  /** The last state, or the waiting one. */
  readonly outcome: Outcome;
}

export function deleteObject(ctx: RequestContext, namespace: string, name: string, options: DeleteOptions): Promise<Deletion> {
  const { server, resource } = ctx;
  const key = keyOf(resource, namespace, name);
  // With the mark the deletion has begun: another writer that comes before the end of it does not take it back.
  let mark: Entry | undefined;
  const attemptOn = async (entry: Entry | undefined): Promise<Deletion | "conflict"> => {
    if (mark !== undefined && entry?.created !== mark.created) return { kind: "gone", outcome: { kind: "entry", entry: mark } };
    if (entry === undefined) throw notFound(resource.groupResource, name);
    if (mark === undefined && entry.value.byteLength > ctx.maxBytes) throw new OffloadRequired();
    const current = server.cache.objectAt(await entryAt(server.cache, entry, resource), resource);
    if (mark === undefined) checkPreconditions(resource, name, current, options);
    await server.admission.validate({
      operation: "delete",
      resource,
      subresource: "",
      namespace,
      name,
      user: ctx.user,
      dryRun: options.dryRun,
      object: undefined,
      previous: current,
      warnings: ctx.warnings,
    });
    return attempt(ctx, key, entry, current, { ...options, onMark: (marked) => (mark = marked) });
  };
  return guaranteedUpdate<Deletion>(server, key, attemptOn, { inLine: !isConverted(resource) });
}

interface MarkingOptions extends DeleteOptions {
  readonly onMark: (marked: Entry) => void;
}

async function attempt(
  ctx: RequestContext,
  key: string,
  entry: Entry,
  current: Readonly<KubeObject>,
  options: MarkingOptions,
): Promise<Deletion | "conflict"> {
  const { server, resource } = ctx;
  const plan = planDeletion(resource, current, options, server.clock.now());
  if (plan === "pending") return { kind: "lingering", outcome: { kind: "entry", entry } };
  if (plan === "remove") return remove(ctx, key, entry, options);
  const kind = finishesDeletion(plan, resource) ? "gone" : "lingering";
  if (options.dryRun) return { kind, outcome: { kind: "object", object: plan } };
  const written = await putObject(ctx, { key, object: plan, expect: entry.modified, readAt: options.preconditions.resourceVersion });
  if (!("entry" in written)) return "conflict";
  options.onMark(written.entry);
  // Watchers of a kind with a grace period see its end too: first the mark, then that the object is gone.
  return kind === "gone" ? remove(ctx, key, written.entry, options) : { kind, outcome: { kind: "entry", entry: written.entry } };
}

async function remove(ctx: RequestContext, key: string, entry: Entry, options: DeleteOptions): Promise<Deletion | "conflict"> {
  if (options.dryRun) return { kind: "gone", outcome: { kind: "entry", entry } };
  const written = await ctx.server.store.write(
    { op: "delete", key, expect: entry.modified },
    noteOf(ctx, options.preconditions.resourceVersion),
  );
  return written.ok ? { kind: "gone", outcome: { kind: "entry", entry: atItsEnd(entry, written.revision) } } : "conflict";
}

/** The last state, with the version that the deletion has: that is what the answer tells, and what watchers see. */
const atItsEnd = ({ key, value, created }: Entry, modified: Revision): Entry => ({ key, value, created, modified, derived: undefined });

/**
 * What a delete makes of an object: it goes, it already waits, or it waits from now on as the returned object. While a grace
 * period runs, a later delete may only shorten it; otherwise every delete says anew what becomes of the dependents.
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

/** More than anybody waits, and little enough that a time so far away can still be written. */
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

/** @throws the 409 of a failed precondition */
export function checkPreconditions(
  resource: ServedResource,
  name: string,
  current: Readonly<KubeObject>,
  { preconditions: { uid, resourceVersion } }: Pick<DeleteOptions, "preconditions">,
): void {
  const meta = current.metadata ?? {};
  const { group, kind } = resource.definition;
  const refuse = group === "" && kind === "Namespace" ? refusedNamespace : refused;
  const found = { resource, found: current };
  if (uid !== undefined && uid !== meta.uid) throw staleWrite(refuse(resource, name, "UID", uid, meta.uid), { ...found, names: "uid" });
  if (resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) {
    const error = refuse(resource, name, "ResourceVersion", resourceVersion, meta.resourceVersion);
    throw staleWrite(error, { ...found, names: "version", readAt: resourceVersion, intended: "delete" });
  }
}

const suspicions = { UID: "The object might have been deleted and then recreated", ResourceVersion: "The object might have been modified" };

type Refusal = (
  resource: ServedResource,
  name: string,
  what: keyof typeof suspicions,
  asked: string,
  actual: string | undefined,
) => StatusError;

/** It names the Kind where other conflicts name the resource. */
const refused: Refusal = (
  {
    storage: {
      definition: { group, kind },
    },
  },
  name,
  what,
  asked,
  actual,
) => {
  const why = `the ${what} in the precondition (${asked}) does not match the ${what} in record (${actual})`;
  return conflict({ group, resource: kind }, name, `${why}. ${suspicions[what]}`);
};

/** Namespaces have a deletion of their own, with texts of its own. */
const refusedNamespace: Refusal = ({ groupResource }, name, what, asked, actual) =>
  conflict(groupResource, name, `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${actual}`);
