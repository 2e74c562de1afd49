/**
 * Deleting an object: at once, or marked and left to whoever holds its finalizers or its grace period.
 * @see https://kubernetes.io/docs/concepts/architecture/garbage-collection/
 */
import { type Clock, type KubeObject, notFound } from "@coxswain/machinery";
import type { Entry, Revision } from "@coxswain/store";
import type { Admission, AdmissionRequest } from "../contracts/admission.ts";
import type { RequestContext } from "../contracts/request-context.ts";
import { OffloadRequired } from "../request/offload-required.ts";
import type { DeleteOptions } from "../request/options.ts";
import type { ObjectPlace } from "../storage/follow-resource.ts";
import type { KeyedLock } from "../storage/keyed-lock.ts";
import type { WritableStore } from "../storage/revision.ts";
import { keyOf } from "../storage/served-resource.ts";
import type { ObjectCache } from "../storage/stored-object.ts";
import { entryAt, isConverted } from "../storage/versions.ts";
import { guaranteedUpdate } from "./guaranteed-update.ts";
import type { ObjectWriter } from "./object-writer.ts";
import type { Outcome } from "./outcome.ts";
import { planDeletion } from "./plan-deletion.ts";
import { checkPreconditions } from "./preconditions.ts";
import { removeEntry } from "./remove-entry.ts";
import { finishesDeletion } from "./strategy-update.ts";

/** `gone`: nothing is left of it; `lingering`: it waits for finalizers or its grace period. */
export interface Deletion {
  readonly kind: "gone" | "lingering";
  /** The last state, or the waiting one. */
  readonly outcome: Outcome;
}

export interface ObjectDeleterOptions {
  readonly store: WritableStore;
  readonly cache: ObjectCache;
  readonly clock: Clock;
  readonly locks: KeyedLock;
  readonly admission: Admission;
  readonly writer: ObjectWriter;
}

export class ObjectDeleter {
  readonly #services: ObjectDeleterOptions;

  constructor(services: ObjectDeleterOptions) {
    this.#services = services;
  }

  /** @throws notFound(), the 409 of a failed precondition, and what admission throws */
  delete(ctx: RequestContext, namespace: string, name: string, options: DeleteOptions): Promise<Deletion> {
    const { cache, admission } = this.#services;
    const { resource } = ctx;
    const key = keyOf(resource, namespace, name);
    // With the mark the deletion has begun: another writer that comes before the end of it does not take it back.
    let mark: Entry | undefined;
    const attemptOn = async (entry: Entry | undefined): Promise<Deletion | "conflict"> => {
      if (mark !== undefined && entry?.created !== mark.created) return { kind: "gone", outcome: { kind: "entry", entry: mark } };
      if (entry === undefined) throw notFound(resource.groupResource, name);
      if (mark === undefined && entry.value.byteLength > ctx.maxBytes) throw new OffloadRequired();
      const current = cache.objectAt(await entryAt(cache, entry, resource), resource);
      if (mark === undefined) checkPreconditions(resource, name, current, options);
      if (mark === undefined && options.admitted !== true) await this.#admit(ctx, { namespace, name }, current, options);
      return this.#attempt(ctx, entry, current, { ...options, onMark: (marked) => (mark = marked) });
    };
    return guaranteedUpdate<Deletion>(this.#services, key, attemptOn, {
      inLine: !isConverted(resource) && !admission.mayWait("delete", resource, ""),
    });
  }

  /** @throws what admission throws */
  async #admit(
    ctx: RequestContext,
    { namespace, name }: ObjectPlace,
    current: Readonly<KubeObject>,
    options: DeleteOptions,
  ): Promise<void> {
    const { resource, user, warnings } = ctx;
    const request: AdmissionRequest = {
      operation: "delete",
      resource,
      subresource: "",
      namespace,
      name,
      user,
      dryRun: options.dryRun,
      object: undefined,
      previous: current,
      options,
      warnings,
      auditAnnotations: ctx.audit?.annotations,
    };
    await this.#services.admission.mutate(request);
    await this.#services.admission.validate(request);
  }

  async #attempt(
    ctx: RequestContext,
    entry: Entry,
    current: Readonly<KubeObject>,
    options: MarkingOptions,
  ): Promise<Deletion | "conflict"> {
    const { clock, writer } = this.#services;
    const { resource } = ctx;
    const plan = planDeletion(resource, current, options, clock.now());
    if (plan === "pending") return { kind: "lingering", outcome: { kind: "entry", entry } };
    if (plan === "remove") return this.#remove(ctx, entry, options);
    const kind = finishesDeletion(plan, resource) ? "gone" : "lingering";
    if (options.dryRun) return { kind, outcome: { kind: "object", object: plan } };
    const readAt = options.preconditions.resourceVersion;
    const written = await writer.put(ctx, { key: entry.key, object: plan, expect: entry.modified, readAt });
    if (!("entry" in written)) return "conflict";
    options.onMark(written.entry);
    // Watchers of a kind with a grace period see its end too: first the mark, then that the object is gone.
    return kind === "gone" ? this.#remove(ctx, written.entry, options) : { kind, outcome: { kind: "entry", entry: written.entry } };
  }

  async #remove(ctx: RequestContext, entry: Entry, options: DeleteOptions): Promise<Deletion | "conflict"> {
    if (options.dryRun) return { kind: "gone", outcome: { kind: "entry", entry } };
    const written = await removeEntry(this.#services, ctx, entry, options.preconditions.resourceVersion);
    return written.ok ? { kind: "gone", outcome: { kind: "entry", entry: atItsEnd(entry, written.revision) } } : "conflict";
  }
}

interface MarkingOptions extends DeleteOptions {
  readonly onMark: (marked: Entry) => void;
}

/** The last state, with the version that the deletion has: that is what the answer says, and what watchers see. */
const atItsEnd = ({ key, value, created }: Entry, modified: Revision): Entry => ({ key, value, created, modified, derived: undefined });
