/** The cluster in which a recording is done again: it begins as the recording does, and its time passes when that of the recording does. */
import { makeServiceAccountKey } from "@coxswain/apiserver";
import { AsyncDisposableStack, isObject, type KubeObject, parseJson } from "@coxswain/machinery";
import { createMemoryStore, type Entry, type KeyedChange, type MemoryStore, type Revision } from "@coxswain/store";
import type { RecordedObject, RecordedRef } from "../../recording/format.ts";
import { storedValueOf, storeKeyOf } from "../../recording/stored-object.ts";
import { seededRandom } from "../../testing/chance-and-time/random.ts";
import { VirtualClock } from "../../testing/chance-and-time/virtual-clock.ts";
import { startInProcess } from "../../testing/cluster/in-process-cluster.ts";
import { createSnapshot } from "../../testing/cluster/snapshot.ts";
import type { TestCluster } from "../../testing/cluster/test-cluster.ts";
import { withEdits } from "./object-edits.ts";
import type { RecordedRun, RunWrite } from "./recorded-run.ts";

/** Why a recorded write was not done again. */
export type Skipped = "there already" | "not there" | "so already";

export class ReplayCluster implements AsyncDisposable {
  readonly cluster: TestCluster;
  readonly clock: VirtualClock;
  readonly #store: MemoryStore;
  /** Up to where changes were taken. */
  #seen: Revision;
  readonly #own = new Set<number>();
  /** Keys of objects that have another uid here, by the one that they were recorded with. */
  readonly #uids = new Map<string, string>();

  private constructor(cluster: TestCluster, store: MemoryStore, clock: VirtualClock) {
    this.cluster = cluster;
    this.clock = clock;
    this.#store = store;
    this.#seen = store.revision;
  }

  static async start({ header, objects }: RecordedRun): Promise<ReplayCluster> {
    await using stack = new AsyncDisposableStack();
    const now = Date.parse(header.from.time);
    const clock = new VirtualClock({ now });
    const store = createMemoryStore({ clock, historyRevisions: 1_000_000, historyBytes: 1024 * 1024 * 1024 });
    stack.defer(() => store[Symbol.asyncDispose]());
    for (const { ref, object } of objects.toSorted((a, b) => a.resourceVersion - b.resourceVersion))
      await store.write({ op: "put", key: storeKeyOf(ref), value: storedValueOf(object, ref), expect: "absent" });
    const seed = header.seed ?? 1;
    const from = createSnapshot({
      store: { revision: store.revision, open: () => store },
      now,
      random: seededRandom(seed).named("server"),
      serviceAccountKey: makeServiceAccountKey(),
      serviceClusterIpRange: rangesIn(objects),
      virtual: { autoAdvance: false },
    });
    const cluster = await startInProcess({ from, clock, seed });
    await clock.settle();
    stack.move();
    return new ReplayCluster(cluster, store, clock);
  }

  /** Called with each change of an object, in the turn in which it takes effect. */
  subscribe(fn: () => void): Disposable {
    return this.#store.subscribe("", { after: this.#store.revision }, fn);
  }

  /** Of objects that the recorded controller had made, and that another one may make here. */
  expect({ object, key }: RunWrite): void {
    const uid = object?.metadata?.uid;
    if (uid !== undefined) this.#uids.set(uid, key);
  }

  /** Does again what somebody wrote, as the fields that it changed, to the object as it is here. */
  async redo(write: RunWrite): Promise<KeyedChange | Skipped> {
    // The controller may write meanwhile: then to what that has made of it.
    for (;;) {
      const done = await this.#tryRedo(write);
      if (done !== "changed") return done;
    }
  }

  /** What was written since it was asked last, but for what was done again. */
  takeChanges(): readonly KeyedChange[] {
    const { revision, changes } = this.#store.changes?.({ after: this.#seen, limit: Number.POSITIVE_INFINITY }) ?? {
      revision: this.#seen,
      changes: [],
    };
    this.#seen = revision;
    return changes.filter((change) => !this.#own.has(change.revision));
  }

  async objectAt(key: string): Promise<KubeObject | undefined> {
    return objectOf((await this.#store.get(key)).entry);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cluster[Symbol.asyncDispose]();
  }

  async #tryRedo(write: RunWrite): Promise<KeyedChange | Skipped | "changed"> {
    const { key, ref, by, operation } = write;
    const { entry } = await this.#store.get(key);
    if (operation === "create" && entry !== undefined) return "there already";
    if (operation !== "create" && entry === undefined) return "not there";
    const value = operation === "delete" ? undefined : await this.#valueOf(write, entry, ref);
    if (entry !== undefined && value !== undefined && Buffer.from(value).equals(entry.value)) return "so already";
    const note = { ...by, ...(by.requestID === undefined ? {} : { requestId: by.requestID }) };
    const op =
      value !== undefined
        ? ({ op: "put", key, value, expect: entry?.modified ?? "absent" } as const)
        : ({ op: "delete", key, expect: (entry as Entry).modified } as const);
    const done = await this.#store.write(op, note);
    if (!done.ok) return "changed";
    this.#own.add(done.revision);
    return { key, revision: done.revision, at: this.clock.now(), entry: done.entry, previous: entry, note };
  }

  async #valueOf({ edits, object }: RunWrite, entry: Entry | undefined, ref: RecordedRef): Promise<Uint8Array> {
    const current = objectOf(entry);
    const made = current === undefined ? object : withEdits(current, edits);
    return this.#withUids(storedValueOf(made ?? {}, ref));
  }

  /** References lead to the object that is here. */
  async #withUids(value: Uint8Array): Promise<Uint8Array> {
    let text = Buffer.from(value).toString();
    for (const [uid, key] of this.#uids) {
      if (!text.includes(uid)) continue;
      const here = (await this.objectAt(key))?.metadata?.uid;
      if (here !== undefined) text = text.replaceAll(uid, here);
    }
    return Buffer.from(text);
  }
}

export const objectOf = (entry: Entry | undefined): KubeObject | undefined =>
  entry === undefined ? undefined : (parseJson(entry.value) as KubeObject);

/** Addresses of Services are of the ranges that they were of. */
function rangesIn(objects: readonly RecordedObject[]): readonly string[] | undefined {
  const found = objects.find(({ ref }) => ref.resource === "servicecidrs" && ref.name === "kubernetes")?.object as
    | { spec?: unknown }
    | undefined;
  const cidrs = isObject(found?.spec) ? found.spec.cidrs : undefined;
  return Array.isArray(cidrs) && cidrs.length > 0 && cidrs.every((one) => typeof one === "string") ? cidrs : undefined;
}
