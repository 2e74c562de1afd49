/** A client that reports what is written through it. */
import { type KubeObject, StatusError } from "@coxswain/machinery";
import { modifyObject } from "../client/modify.ts";
import type { Client, DeleteOptions, ResourceClient, Target, WriteOptions } from "../contracts/client.ts";
import type { ResourceRef } from "../contracts/resource-ref.ts";
import { ConnectionError } from "../transport/transport.ts";

/** What was written to: one object, or without a name any of a namespace, or without that any at all. */
export interface WriteTarget {
  readonly resource: ResourceClient<KubeObject>;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

export interface WriteTracker {
  /** A write has been sent. */
  begin(what: WriteTarget): OpenWrite;
}

/** How a write ended; reported once. */
export interface OpenWrite {
  /** The answer shows the object as it was left; `mayHaveMore`: an earlier attempt may have made another of another name. */
  answered(answer: KubeObject, mayHaveMore: boolean): void;
  /** It took effect; `uid` where it is known which object of the name was meant, `answer` where the server answered with the object. */
  deleted(uid: string | undefined, answer: KubeObject | undefined): void;
  /** It may have taken effect, or what it did is not known. */
  unconfirmed(): void;
  /** It had no effect. */
  rejected(): void;
}

/** Not a client of its own: disposing it closes the one given. */
export function trackedClient(client: Client, tracker: WriteTracker): Client {
  return {
    clock: client.clock,
    random: client.random,
    namespace: client.namespace,
    log: client.log,
    reconcileFailures: client.reconcileFailures,
    transport: client.transport,
    resource: <T extends KubeObject>(ref: ResourceRef<T>, namespace?: string) => trackedResource<T>(client, ref, namespace, tracker),
    refOf: (kind, opts) => client.refOf(kind, opts),
    discover: (opts) => client.discover(opts),
    request: (request) => client.request(request),
    with: (changes) => trackedClient(client.with(changes), tracker),
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

function trackedResource<T extends KubeObject>(
  client: Client,
  ref: ResourceRef<T>,
  bound: string | undefined,
  tracker: WriteTracker,
): ResourceClient<T> {
  const inner = client.resource(ref, bound);
  const resource = client.resource<KubeObject>({ ...ref }, bound);
  const defaultNamespace = ref.namespaced ? (bound ?? client.namespace) : "";
  const targeted = (target: Target): WriteTarget =>
    typeof target === "string"
      ? { resource, namespace: defaultNamespace, name: target }
      : { resource, namespace: target.namespace ?? defaultNamespace, name: target.name };
  const named = ({ metadata }: T): WriteTarget => ({ resource, namespace: metadata?.namespace ?? defaultNamespace, name: metadata?.name });

  const writes = new TrackedWrites(ref.kind, tracker);
  const tracked: ResourceClient<T> = {
    ref,
    namespace: inner.namespace,
    get: (target, opts) => inner.get(target, opts),
    list: (opts) => inner.list(opts),
    pages: (opts) => inner.pages(opts),
    watch: (opts) => inner.watch(opts),
    create: (object, opts) => writes.written(named(object), opts, (all) => inner.create(object, all)),
    update: (object, opts) => writes.written(named(object), opts, (all) => inner.update(object, all)),
    updateStatus: (object, opts) => writes.written(named(object), opts, (all) => inner.updateStatus(object, all)),
    modify: (target, change, opts = {}) => modifyObject(tracked, client, { target, change, opts }),
    patch: (target, patch, opts) => writes.written(targeted(target), opts, (all) => inner.patch(target, patch, all)),
    apply: (object, opts) => writes.written(named(object), opts, (all) => inner.apply(object, all)),
    delete: (target, opts = {}) => {
      let uid = opts.preconditions?.uid;
      const onDeleted = (deletedUid: string): void => {
        uid = deletedUid;
        opts.onDeleted?.(deletedUid);
      };
      const write = (all: DeleteOptions) => inner.delete(target, { ...all, onDeleted });
      return writes.track(targeted(target), opts, write, (open, answer) => open.deleted(uid, answer));
    },
    deleteCollection: (opts = {}) => {
      const what = { resource, namespace: ref.namespaced ? bound : "", name: undefined };
      return writes.track(
        what,
        opts,
        (all) => inner.deleteCollection(all),
        (open) => open.unconfirmed(),
      );
    },
    scale: (target, replicas, opts = {}) =>
      writes.track(
        targeted(target),
        opts,
        (all) => inner.scale(target, replicas, all),
        (open) => open.unconfirmed(),
      ),
    subresource: (target, name) => {
      const part = inner.subresource(target, name);
      const what = targeted(target);
      return {
        get: (opts) => part.get(opts),
        create: (object, opts) => writes.written(what, opts, (all) => part.create(object, all)),
        update: (object, opts) => writes.written(what, opts, (all) => part.update(object, all)),
      };
    },
  };
  return tracked;
}

/** The writes of one resource, each reported to the tracker with how it ends. */
class TrackedWrites {
  readonly #kind: string;
  readonly #tracker: WriteTracker;

  constructor(kind: string, tracker: WriteTracker) {
    this.#kind = kind;
    this.#tracker = tracker;
  }

  async track<O extends TrackedOptions, R>(
    what: WriteTarget,
    opts: O,
    write: (opts: O) => Promise<R>,
    done: (open: OpenWrite, answer: R, isRepeated: boolean) => void,
  ): Promise<R> {
    if (opts.dryRun === true) return write(opts);
    const open = this.#tracker.begin(what);
    let isRepeated = false;
    const onRepeated = (): void => {
      isRepeated = true;
      opts.onRepeated?.();
    };
    try {
      const answer = await write({ ...opts, onRepeated });
      done(open, answer, isRepeated);
      return answer;
    } catch (error) {
      // What refuses the last attempt may be what the first has done.
      if (isRepeated || mayHaveTakenEffect(error)) open.unconfirmed();
      else open.rejected();
      throw error;
    }
  }

  /** Of a write whose answer may be the object as it was left. */
  written<O extends TrackedOptions, R extends KubeObject>(
    what: WriteTarget,
    opts: O | undefined,
    write: (opts: O) => Promise<R>,
  ): Promise<R> {
    return this.track(what, opts ?? ({} as O), write, (open, answer, isRepeated) => {
      // A scale, a Status and the like say too little about the object.
      if (answer.kind === this.#kind) open.answered(answer, isRepeated && what.name === undefined);
      else open.unconfirmed();
    });
  }
}

type TrackedOptions = Pick<WriteOptions, "dryRun" | "onRepeated">;

/** A refusal is certain, and so is what was never sent or never made; anything else is not. */
function mayHaveTakenEffect(error: unknown): boolean {
  if (error instanceof StatusError) return error.code >= 500;
  if (error instanceof ConnectionError) return !error.unsent;
  return !(error instanceof TypeError);
}
