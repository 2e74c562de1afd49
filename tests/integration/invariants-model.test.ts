/** Invariants of a file against a plain model, over checks that end and go on, while the store forgets and the history has the rest. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { type InvariantWatch, loadInvariants, type ResumedWatch } from "@coxswain/apiserver";
import { isRecordable, openHistory } from "@coxswain/history";
import { systemClock } from "@coxswain/machinery";
import fc from "fast-check";
import { propertyRuns } from "../scope.ts";
import { storeUnderTest } from "../store-under-test.ts";
import { type Api, startApi } from "./api.ts";

const maxSum = 10;
const text = JSON.stringify({
  apiVersion: "coxswain/v1",
  kind: "InvariantConfiguration",
  invariants: [
    {
      name: "sum",
      scope: "Cluster",
      matchResources: { resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }] },
      expression: `objects.map(one, int(one.data.n)).sum() <= ${maxSum}`,
    },
    {
      name: "grows",
      matchResources: { resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }] },
      expression: "oldObject == null || int(object.data.n) >= int(oldObject.data.n)",
    },
  ],
});

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant("put" as const), name: fc.constantFrom("a", "b", "c"), n: fc.integer({ min: 0, max: 8 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), name: fc.constantFrom("a", "b", "c") }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("end" as const, "begin" as const, "forget" as const, "wait" as const) }) },
);

/** One write after the other. */
class Model {
  readonly first = new Map<string, number>();
  readonly #now = new Map<string, number>();

  put(name: string, n: number, revision: number): void {
    const before = this.#now.get(name);
    this.#now.set(name, n);
    if (before !== undefined && n < before) this.#note(`grows ${name}`, revision);
    this.#sum(revision);
  }

  delete(name: string, revision: number): void {
    this.#now.delete(name);
    this.#sum(revision);
  }

  has(name: string, n?: number): boolean {
    return n === undefined ? this.#now.has(name) : this.#now.get(name) === n;
  }

  #sum(revision: number): void {
    if ([...this.#now.values()].reduce((a, b) => a + b, 0) > maxSum) this.#note("sum", revision);
  }

  #note(what: string, revision: number): void {
    if (!this.first.has(what)) this.first.set(what, revision);
  }
}

const maps = "/api/v1/namespaces/default/configmaps";

async function put(api: Api, model: Model, name: string, n: number): Promise<void> {
  const body = { metadata: { name }, data: { n: String(n) } };
  const answer = model.has(name) ? await api.send("PUT", `${maps}/${name}`, { body }) : await api.send("POST", maps, { body });
  assert.ok(answer.status < 300, answer.text);
  if (!model.has(name, n)) model.put(name, n, Number(answer.body.metadata.resourceVersion));
}

const firstOf = (watch: InvariantWatch): ReadonlyMap<string, number> =>
  new Map(
    [...watch.violations.list()].map(({ violation: { invariant, object, revision } }) => [
      invariant === "sum" ? "sum" : `${invariant} ${object?.name}`,
      revision,
    ]),
  );

const stateOf = ({ from, checked, gaps, violations }: InvariantWatch): ResumedWatch => ({
  from,
  checked,
  gaps,
  violations: [...violations.list()],
});

suite("invariants against a model", () => {
  test("the first violating version is the first, whenever checking ends and goes on", async () => {
    const loaded = await loadInvariants(text);
    const invariants = loaded.map(({ invariant }) => invariant);
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
        const folder = mkdtempSync(join(tmpdir(), "coxswain-test-"));
        await using store = await storeUnderTest(systemClock);
        assert.ok(isRecordable(store));
        const log = { warn: () => undefined };
        const history = await openHistory({
          path: join(folder, "h.db"),
          store,
          clock: systemClock,
          maxAgeMs: undefined,
          maxBytes: undefined,
          log,
        });
        const api = await startApi({ store, history });
        const model = new Model();
        let watch: InvariantWatch | undefined = await api.server.watchInvariants({ invariants });
        let state: ResumedWatch | undefined;
        const begin = async (): Promise<InvariantWatch> =>
          api.server.watchInvariants({ invariants, ...(state === undefined ? {} : { resume: state }) });
        await watch.caughtUp();
        for (const one of steps) {
          if (one.do === "put") await put(api, model, one.name, one.n);
          else if (one.do === "delete") {
            if (!model.has(one.name)) continue;
            await api.send("DELETE", `${maps}/${one.name}`);
            model.delete(one.name, store.revision);
          } else if (one.do === "wait") await watch?.caughtUp();
          else if (one.do === "begin") watch ??= await begin();
          else if (one.do === "end" && watch !== undefined) {
            state = stateOf(watch);
            watch[Symbol.dispose]();
            watch = undefined;
          } else if (one.do === "forget") {
            await history.status();
            await store.compact(store.revision);
          }
        }
        watch ??= await begin();
        await watch.caughtUp();
        assert.deepEqual(watch.gaps, []);
        assert.deepEqual(new Map([...firstOf(watch)].sort()), new Map([...model.first].sort()));
        watch[Symbol.dispose]();
        await history[Symbol.asyncDispose]();
        rmSync(folder, { recursive: true, force: true });
      }),
      { numRuns: propertyRuns(60) },
    );
  });
});
