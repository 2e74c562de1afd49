/** History and blame against a plain model: random writes of several managers to an object with lists by key, maps and atomic lists. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite, test } from "node:test";
import { isRecordable, openHistory } from "@coxswain/history";
import { deepEqual, isObject, ManualClock } from "@coxswain/machinery";
import fc from "fast-check";
import { propertyRuns } from "../scope.ts";
import { storeUnderTest } from "../store-under-test.ts";
import { type Api, type Json, startApi } from "./api.ts";

const managers = ["maker", "tuner", "applier"] as const;
const containers = ["base", "a", "b"] as const;
const manager = fc.constantFrom(...managers);
const container = fc.constantFrom(...containers);
const text = fc.constantFrom("1", "2", "3");

const step = fc.oneof(
  fc.record({ do: fc.constant("label" as const), manager, key: fc.constantFrom("x", "y"), value: fc.option(text) }),
  fc.record({ do: fc.constant("image" as const), manager, container, value: text }),
  fc.record({ do: fc.constant("args" as const), manager, container, value: fc.array(text, { minLength: 1, maxLength: 3 }) }),
  fc.record({ do: fc.constant("env" as const), manager, container, key: fc.constantFrom("E", "F"), value: fc.option(text) }),
  fc.record({ do: fc.constant("remove" as const), manager, container: fc.constantFrom("a", "b") }),
  fc.record({ do: fc.constant("apply" as const), manager: fc.constant("applier" as const), container, value: text, replicas: fc.nat(3) }),
  fc.record({ do: fc.constant("replace" as const), manager, replicas: fc.nat(3) }),
  fc.record({ do: fc.constant("status" as const), manager, value: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant("recreate" as const), manager }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const made = (name: string): Json => ({
  metadata: { name, labels: { of: name } },
  spec: {
    selector: { matchLabels: { of: name } },
    template: { metadata: { labels: { of: name } }, spec: { containers: [{ name: "base", image: "1" }] } },
  },
});

/** What a write left, as the server answered it. */
interface Written {
  readonly manager: string | undefined;
  readonly verb: string;
  readonly resourceVersion: string;
  readonly object: Json | undefined;
}

/** Does a step; undefined where it changes nothing, or is not possible. */
async function write(api: Api, path: string, todo: Step): Promise<{ readonly verb: string; readonly body: Json } | undefined> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const query = `?fieldManager=${todo.manager}`;
  const patch = async (body: Json, type: string, { verb = "patch", sub = "", more = "" } = {}) => {
    const answer = await api.send("PATCH", `${path}${sub}${query}${more}`, { body, type: `application/${type}` });
    // An apply may take away what a container needs.
    assert.ok(answer.status === 200 || answer.status === 422, answer.text);
    return answer.status === 200 ? { verb, body: answer.body } : undefined;
  };
  const inContainer = (parts: Json) => ({ spec: { template: { spec: { containers: [parts] } } } });
  const strategic = (body: Json, sub = "") => patch(body, "strategic-merge-patch+json", { verb: `patch${sub}`, sub });
  const current = (await api.send("GET", path)).body;
  const names: readonly string[] = current.spec.template.spec.containers.map((one: Json) => one.name);
  switch (todo.do) {
    case "label":
      return patch({ metadata: { labels: { [todo.key]: todo.value } } }, "merge-patch+json");
    case "image":
      return strategic(inContainer({ name: todo.container, image: todo.value }));
    case "args":
      return names.includes(todo.container) ? strategic(inContainer({ name: todo.container, args: todo.value })) : undefined;
    case "env": {
      const env = todo.value === null ? { name: todo.key, $patch: "delete" } : { name: todo.key, value: todo.value };
      return names.includes(todo.container) ? strategic(inContainer({ name: todo.container, env: [env] })) : undefined;
    }
    case "remove":
      return strategic(inContainer({ name: todo.container, $patch: "delete" }));
    case "status":
      return strategic({ status: { replicas: todo.value } }, "/status");
    case "apply": {
      const { spec } = inContainer({ name: todo.container, image: todo.value });
      const applied = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name }, spec: { ...spec, replicas: todo.replicas } };
      return patch(applied, "apply-patch+yaml", { verb: "apply", more: "&force=true" });
    }
    case "replace": {
      current.spec.template.spec.containers.reverse();
      const body = { ...current, spec: { ...current.spec, replicas: todo.replicas } };
      return { verb: "update", body: (await api.send("PUT", `${path}${query}`, { body })).body };
    }
    case "recreate":
      return undefined;
  }
}

async function run(api: Api, name: string, steps: readonly Step[]): Promise<readonly Written[]> {
  const path = `${deployments}/${name}`;
  const written: Written[] = [];
  const create = async (by: string): Promise<void> => {
    const { status, body, text: sent } = await api.send("POST", `${deployments}?fieldManager=${by}`, { body: made(name) });
    assert.equal(status, 201, sent);
    written.push({ manager: by, verb: "create", resourceVersion: body.metadata.resourceVersion, object: body });
  };
  await create("maker");
  for (const todo of steps) {
    if (todo.do === "recreate") {
      const before = Number((await api.send("GET", deployments)).body.metadata.resourceVersion);
      assert.equal((await api.send("DELETE", path)).status, 200);
      const { resourceVersion } = (await api.send("GET", deployments)).body.metadata;
      assert.ok(Number(resourceVersion) > before);
      written.push({ manager: undefined, verb: "delete", resourceVersion, object: undefined });
      await create(todo.manager);
      continue;
    }
    const answer = await write(api, path, todo);
    const resourceVersion = answer?.body.metadata.resourceVersion;
    if (answer === undefined || resourceVersion === written.at(-1)?.resourceVersion) continue;
    written.push({ manager: todo.manager, verb: answer.verb, resourceVersion, object: answer.body });
  }
  return written;
}

/** Lists by the keys of their items, as this test knows them; all others are atomic, and so is a selector. */
const keyed = new Map([
  ["containers", (item: Json) => `[name=${JSON.stringify(item.name)}]`],
  ["env", (item: Json) => `[name=${JSON.stringify(item.name)}]`],
]);
const notTracked = ["name", "namespace", "uid", "creationTimestamp", "generation", "resourceVersion", "managedFields"];

/** A value's parts by the names that paths go on with; undefined for a leaf. */
function partsOf(value: Json, name: string): ReadonlyMap<string, { readonly name: string; readonly value: Json }> | undefined {
  const key = keyed.get(name);
  if (Array.isArray(value) && key !== undefined) return new Map(value.map((item) => [key(item), { name: "", value: item }]));
  if (!isObject(value) || name === "selector" || Object.keys(value).length === 0) return undefined;
  return new Map(Object.entries(value).map(([field, part]) => [`.${field}`, { name: field, value: part }]));
}

function tracked({ apiVersion: _a, kind: _k, metadata, ...rest }: Json): Json {
  const kept = Object.entries(metadata).filter(([field]) => !notTracked.includes(field));
  return { metadata: Object.fromEntries(kept), ...rest };
}

function leavesOf(value: Json, path = "", name = ""): ReadonlyMap<string, Json> {
  const parts = partsOf(value, name);
  if (parts === undefined) return new Map([[path, value]]);
  return new Map([...parts].flatMap(([element, part]) => [...leavesOf(part.value, path + element, part.name)]));
}

/** A list item that comes or goes is one change, and so is a leaf; a map that is empty is none of its own once it has entries. */
function changesOf(before: Json, after: Json, path = "", name = ""): string[] {
  if (deepEqual(before, after)) return [];
  const isItem = path.endsWith("]");
  if (isItem && (before === undefined || after === undefined)) return [`${before === undefined ? "added" : "removed"} ${path}`];
  const inParts = (value: Json, other: Json) =>
    value === undefined ? undefined : (partsOf(value, name) ?? (isEmptyMap(value) && isObject(other) ? new Map() : undefined));
  const [left, right] = [inParts(before, after), inParts(after, before)];
  if ((before !== undefined && left === undefined) || (after !== undefined && right === undefined))
    return [`${before === undefined ? "added" : after === undefined ? "removed" : "changed"} ${path}`];
  const elements = new Set([...(left?.keys() ?? []), ...(right?.keys() ?? [])]);
  return [...elements].flatMap((element) => {
    const [a, b] = [left?.get(element), right?.get(element)];
    return changesOf(a?.value, b?.value, path + element, a?.name ?? b?.name ?? "");
  });
}

const isEmptyMap = (value: Json): boolean => isObject(value) && Object.keys(value).length === 0;

/** A field was written by the version in which it got the value that it has. */
function blamed(written: readonly Written[]): ReadonlyMap<string, string> {
  let last = new Map<string, { readonly value: Json; readonly by: string }>();
  for (const { object, resourceVersion } of written) {
    const next = new Map<string, { readonly value: Json; readonly by: string }>();
    for (const [path, value] of object === undefined ? [] : leavesOf(tracked(object))) {
      const known = last.get(path);
      next.set(path, known !== undefined && deepEqual(known.value, value) ? known : { value, by: resourceVersion });
    }
    last = next;
  }
  return new Map([...last].map(([path, { by }]) => [path, by]));
}

async function compare(api: Api, name: string, written: readonly Written[]): Promise<void> {
  const path = `${deployments}/${name}`;
  const { items } = (await api.send("GET", `/coxswain/v1/history${path}?limit=500`)).body;
  const expected = written.map((one, i) => ({ ...one, before: written[i - 1]?.object })).reverse();
  assert.deepEqual(
    items.map((one: Json) => [one.resourceVersion, one.verb, one.manager]),
    expected.map((one) => [one.resourceVersion, one.verb, one.manager]),
  );
  for (const [i, { object, before }] of expected.entries()) {
    const changes = items[i].changes?.map(({ kind, field }: Json) => `${kind} ${field}`).sort();
    const wanted = object === undefined || before === undefined ? undefined : changesOf(tracked(before), tracked(object)).sort();
    assert.deepEqual(changes, wanted);
  }
  for (const { resourceVersion, object } of written) {
    const past = await api.send("GET", `/coxswain/v1/past${path}?at=${resourceVersion}`);
    if (object === undefined) assert.equal(past.status, 404);
    else assert.deepEqual(past.body, object);
  }
  for (const at of new Set([written.at(-1), written[Math.floor(written.length / 2)]])) {
    const known = written.slice(0, written.indexOf(at as Written) + 1);
    if (at?.object === undefined) continue;
    const { fields } = (await api.send("GET", `/coxswain/v1/blame${path}?at=${at.resourceVersion}`)).body;
    const found = fields.map(({ field, resourceVersion }: Json) => [field, resourceVersion]).sort();
    assert.deepEqual(found, [...blamed(known)].sort());
  }
}

suite("history and blame are those of a plain model", () => {
  for (const isKept of [false, true]) {
    test(isKept ? "from the file" : "from the store", async () => {
      const folder = mkdtempSync(join(tmpdir(), "coxswain-history-"));
      const clock = new ManualClock();
      const store = await storeUnderTest(clock);
      assert.ok(isRecordable(store));
      const log = { warn: () => undefined };
      const history = isKept ? await openHistory({ path: join(folder, "history.db"), store, clock, log }) : undefined;
      try {
        const api = await startApi({ store, clock, history });
        let runs = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 14 }), async (steps) => {
            const name = `web-${++runs}`;
            const written = await run(api, name, steps);
            if (history !== undefined) {
              await history.status();
              await store.compact(store.revision);
            }
            await compare(api, name, written);
          }),
          { numRuns: propertyRuns(60) },
        );
      } finally {
        await history?.[Symbol.asyncDispose]();
        rmSync(folder, { recursive: true });
      }
    });
  }
});
