import assert from "node:assert/strict";
import { test } from "node:test";
import type { Clock, KubeObject } from "@coxswain/machinery";
import fc from "fast-check";
import type { Change } from "../cache/change.ts";
import { compareVersions } from "../cache/resource-version.ts";
import { createExpectations } from "../expectations/expectations.ts";
import { createInformer } from "./create-informer.ts";
import { FakeServer, type Item, items, quiet } from "./fake-server.ts";
import type { Informer } from "./informer.ts";

type Step =
  | { readonly do: "put" | "write" | "remove" | "delete" | "lose" | "ask"; readonly name: string; readonly labels: readonly string[] }
  | { readonly do: "deliver" | "list"; readonly count: number }
  | { readonly do: "bookmark" | "interrupt" | "subscribe" };

const name = fc.constantFrom("a", "b", "c");
const labels = fc.uniqueArray(fc.constantFrom("x", "y"), { maxLength: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constantFrom("put", "write", "remove", "delete", "lose", "ask"), name, labels }), weight: 6 },
  { arbitrary: fc.record({ do: fc.constantFrom("deliver", "list"), count: fc.nat(4) }), weight: 4 },
  { arbitrary: fc.record({ do: fc.constantFrom("bookmark", "interrupt", "subscribe") }), weight: 1 },
);

const byLabels = ({ metadata }: KubeObject): readonly string[] => Object.keys(metadata?.labels ?? {});
const keyOf = ({ metadata }: KubeObject): string => `${metadata?.namespace}/${metadata?.name}`;
const versionOf = (object: KubeObject | undefined): string => object?.metadata?.resourceVersion ?? "0";
const isAtLeast = (a: string, b: string): boolean => (compareVersions(a, b) ?? -1) >= 0;

/** What a subscriber knows, checked change by change. */
class Follower {
  readonly objects = new Map<string, Item>();
  readonly #gone = new Set<string | undefined>();
  readonly #versions = new Map<string | undefined, string>();

  apply(change: Change<Item>): void {
    const { object } = change;
    const key = keyOf(object);
    const known = this.objects.get(key);
    const uid = object.metadata?.uid;
    if (change.type === "added") assert.equal(known, undefined, "added once");
    else if (change.type === "updated") assert.equal(change.previous, known, "the previous object is the one that was known");
    else assert.equal(known?.metadata?.uid, uid, "deleted what was there");
    if (change.type === "deleted") {
      this.objects.delete(key);
      this.#gone.add(uid);
      return;
    }
    assert.equal(this.#gone.has(uid), false, "what is deleted never comes back");
    assert.equal(isAtLeast(this.#versions.get(uid) ?? "0", versionOf(object)), false, "each version once, none older than the last");
    this.#versions.set(uid, versionOf(object));
    this.objects.set(key, object);
  }
}

class Scene {
  readonly server = new FakeServer();
  readonly informer: Informer<Item>;
  readonly followers: Follower[] = [];
  readonly writes;
  readonly stop = new AbortController();
  readonly run: Promise<void>;
  /** By name: the version that the last own write left. */
  readonly written = new Map<string, string>();

  constructor(fieldSelector: string) {
    const clock: Clock = this.server.clock;
    this.informer = createInformer(this.server.resource, { clock, fieldSelector, indexes: { labels: byLabels } });
    const informers = [this.informer as Informer<KubeObject> as Informer];
    this.writes = createExpectations(this.server.client, { covering: () => informers });
    this.follow();
    this.run = this.informer.run(this.stop.signal);
  }

  follow(): void {
    const follower = new Follower();
    this.followers.push(follower);
    this.informer.subscribe((change) => follower.apply(change));
  }

  async take(step: Step): Promise<void> {
    const { server } = this;
    switch (step.do) {
      case "put":
        return void server.put(step.name, itemOf(step));
      case "remove":
        return server.remove(step.name);
      case "deliver":
        return server.sendEvents(step.count);
      case "list":
        return server.list(step.count);
      case "bookmark":
        return server.bookmark();
      case "interrupt":
        return server.interrupt();
      case "subscribe":
        return this.follow();
      case "lose":
        server.fault = { error: new Error("the answer is lost"), when: "after" };
        return this.write(step).catch(() => undefined);
      case "write":
        return this.write(step);
      case "delete":
        return this.#resource.delete(step.name).then(
          () => void this.written.delete(step.name),
          () => undefined,
        );
      case "ask":
        return this.ask(step.name);
    }
  }

  get #resource() {
    return this.writes.clientFor().resource(items, "default");
  }

  async write(step: Step & { readonly name: string; readonly labels: readonly string[] }): Promise<void> {
    const item = itemOf(step);
    const answer = await this.#resource.apply(item, { fieldManager: "test" }).finally(() => {
      this.written.set(step.name, String(this.server.version));
    });
    assert.equal(versionOf(answer), this.written.get(step.name));
  }

  /** A client that read that it is gone need not see it come and go. */
  async ask(name: string): Promise<void> {
    const settled = this.writes.untilSatisfied({ namespace: "default", name }, { signal: afterTwoTurns() });
    if ((await isDone(settled)) && !this.server.objects.has(`default/${name}`)) this.written.delete(name);
  }

  check(): void {
    const cached = this.informer.lister.list();
    for (const { objects } of this.followers) assert.deepEqual(new Set(objects.values()), new Set(cached), "what subscribers know");
    for (const label of ["x", "y"]) {
      const found = new Set(this.informer.lister.byIndex("labels", label));
      assert.deepEqual(found, new Set(cached.filter((object) => byLabels(object).includes(label))), "the index");
    }
    for (const [name, version] of this.written) this.#checkOwn(name, version);
  }

  /** Where the cache counts as caught up it shows the own write, or what became of it. */
  #checkOwn(name: string, version: string): void {
    const ref = { namespace: "default", name };
    if (!this.writes.satisfied(ref)) return;
    const here = this.informer.lister.get(ref);
    if (here === undefined) assert.ok(isAtLeast(this.informer.freshness.resourceVersion ?? "0", version), "an own write is missing");
    else assert.ok(isAtLeast(versionOf(here), version), "the cache is older than an own write");
  }

  async end(): Promise<void> {
    this.server.sendEvents();
    await quiet();
    this.check();
    const states = (all: Iterable<Item>) => new Map(Array.from(all, (item) => [keyOf(item), item]));
    assert.deepEqual(states(this.informer.lister.list()), states(this.server.objects.values()), "in the end the copy is the original");
    this.stop.abort();
    await this.run;
    assert.equal(this.server.clock.waiting, 0);
    assert.equal(this.server.watched, false);
  }
}

/** A manual clock's time does not pass: whoever waits for long gives up at once. */
function afterTwoTurns(): AbortSignal {
  const stop = new AbortController();
  setImmediate(() => setImmediate(() => stop.abort()));
  return stop.signal;
}

const isDone = (promise: Promise<void>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  );

const itemOf = ({ name, labels }: { readonly name: string; readonly labels: readonly string[] }): Item => ({
  metadata: { name, namespace: "default", labels: Object.fromEntries(labels.map((label) => [label, ""])) },
});

const ways = [
  { name: "taken ahead of the watch", fieldSelector: "" },
  { name: "waited for", fieldSelector: "only.the.server=knows" },
];
for (const { name, fieldSelector } of ways) {
  test(`whatever comes in whatever order, copy, indexes and subscribers agree, and own writes show: ${name}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.nat(30), async (steps, listAt) => {
        const scene = new Scene(fieldSelector);
        await quiet();
        for (const [at, next] of steps.entries()) {
          if (at === listAt) scene.server.list(0);
          // Before the first list a watch delivers nothing.
          if (at > listAt || !["deliver", "bookmark"].includes(next.do)) await scene.take(next);
          await quiet();
          scene.check();
        }
        if (!scene.informer.hasSynced) scene.server.list(0);
        await scene.end();
      }),
      { numRuns: 300 },
    );
  });
}
