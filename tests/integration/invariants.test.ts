/** Invariants of a file: which objects each is about, what is found, and who may see it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type InvariantWatch, loadInvariants } from "@coxswain/apiserver";
import { type Api, startApi } from "./api.ts";

const rule = (resources: readonly string[], more: object = {}) => ({ apiGroups: [""], apiVersions: ["v1"], resources, ...more });

const invariant = (name: string, expression: string, more: object = {}) => ({
  ...{ name, expression },
  matchResources: { resourceRules: [rule(["configmaps"])] },
  ...more,
});

const documentOf = (...invariants: readonly object[]): string =>
  JSON.stringify({ apiVersion: "coxswain/v1", kind: "InvariantConfiguration", invariants });

async function watching(api: Api, text: string, more: object = {}): Promise<InvariantWatch> {
  const loaded = await loadInvariants(text);
  return api.server.watchInvariants({ invariants: loaded.map(({ invariant }) => invariant), ...more });
}

const maps = "/api/v1/namespaces/default/configmaps";

async function send(api: Api, method: string, path: string, body?: object): Promise<number> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const answer = await api.send(method, path, { ...(body === undefined ? {} : { body }), type });
  assert.ok(answer.status < 300, answer.text);
  return Number(answer.body.metadata?.resourceVersion);
}

const create = (api: Api, name: string, value: string, labels = {}) =>
  send(api, "POST", maps, { metadata: { name, labels }, data: { value } });
const set = (api: Api, name: string, value: string) => send(api, "PATCH", `${maps}/${name}`, { data: { value } });

const found = (watch: InvariantWatch) =>
  [...watch.violations.list()].map(({ violation: { invariant, object, revision }, isViolated, count }) => [
    ...[invariant, object?.name, revision, isViolated, count],
  ]);

test("what is wrong with a version is found at the first that has it, and when it is right again", async () => {
  const api = await startApi();
  using watch = await watching(
    api,
    documentOf(invariant("small", "int(object.data.value) < 5", { messageExpression: "'it is ' + object.data.value" })),
  );
  await create(api, "a", "1");
  const first = await set(api, "a", "7");
  await set(api, "a", "8");
  await watch.caughtUp();
  assert.deepEqual(found(watch), [["small", "a", first, true, 1]]);
  const right = await set(api, "a", "2");
  await watch.caughtUp();
  const [kept] = watch.violations.list();
  assert.equal(kept?.violation.problem, "it is 7");
  assert.equal(kept?.resolvedAt?.revision, right);
  await set(api, "a", "9");
  await watch.caughtUp();
  assert.deepEqual(found(watch), [["small", "a", first, true, 2]]);
  await send(api, "DELETE", `${maps}/a`);
  await watch.caughtUp();
  assert.deepEqual(found(watch), [["small", "a", first, false, 2]]);
});

test("a change is compared with what was before", async () => {
  const api = await startApi();
  const grows = invariant("grows", "oldObject == null || int(object.data.value) >= int(oldObject.data.value)");
  const stays = invariant("stays", "object != null || oldObject.data.value != '3'", {
    matchResources: { resourceRules: [rule(["configmaps"], { operations: ["DELETE"] })] },
  });
  using watch = await watching(api, documentOf(grows, stays));
  await create(api, "a", "1");
  await set(api, "a", "4");
  const fell = await set(api, "a", "3");
  await send(api, "DELETE", `${maps}/a`);
  await watch.caughtUp();
  assert.deepEqual(found(watch).slice(0, 1), [["grows", "a", fell, false, 1]]);
  assert.deepEqual(found(watch)[1]?.slice(0, 2), ["stays", "a"]);
});

test("an invariant of many objects is of a namespace, or of all", async () => {
  const api = await startApi();
  const unique = "objects.all(a, objects.exists_one(b, a.data.value == b.data.value))";
  const labelled = { resourceRules: [rule(["configmaps"])], objectSelector: { matchLabels: { kind: "ticket" } } };
  using watch = await watching(
    api,
    documentOf(
      invariant("in-each", unique, { scope: "Namespace", matchResources: labelled }),
      invariant("in-all", unique, { scope: "Cluster", matchResources: labelled }),
    ),
  );
  await send(api, "POST", "/api/v1/namespaces", { metadata: { name: "other" } });
  const ticket = { kind: "ticket" };
  await create(api, "a", "7", ticket);
  await create(api, "b", "7");
  const inOther = await send(api, "POST", "/api/v1/namespaces/other/configmaps", {
    metadata: { name: "c", labels: ticket },
    data: { value: "7" },
  });
  await watch.caughtUp();
  assert.deepEqual(found(watch), [["in-all", "c", inOther, true, 1]]);
  const labelledLater = await send(api, "PATCH", `${maps}/b`, { metadata: { labels: ticket } });
  await watch.caughtUp();
  assert.deepEqual(found(watch), [
    ["in-all", "c", inOther, true, 1],
    ["in-each", "b", labelledLater, true, 1],
  ]);
});

test("labels of namespaces choose, at the version that is checked", async () => {
  const api = await startApi();
  const inShops = { resourceRules: [rule(["configmaps"])], namespaceSelector: { matchLabels: { of: "shop" } } };
  using watch = await watching(api, documentOf(invariant("few", "size(objects) < 1", { scope: "Namespace", matchResources: inShops })));
  await create(api, "a", "1");
  await watch.caughtUp();
  assert.deepEqual(
    found(watch).map(([, , , isViolated]) => isViolated),
    [],
  );
  const labelled = await send(api, "PATCH", "/api/v1/namespaces/default", { metadata: { labels: { of: "shop" } } });
  await watch.caughtUp();
  assert.deepEqual(found(watch), [["few", "default", labelled, true, 1]]);
});

test("what cannot be evaluated is a failure, and no violation", async () => {
  const api = await startApi();
  const costly = `objects.all(a, ${"[0,1,2,3,4,5,6,7,8,9].all(x, ".repeat(7)}a != null${")".repeat(7)})`;
  using watch = await watching(
    api,
    documentOf(invariant("missing", "object.spec.x == 1"), invariant("costly", costly, { scope: "Cluster" })),
  );
  await create(api, "a", "1");
  await create(api, "b", "1");
  await watch.caughtUp();
  assert.deepEqual(found(watch), []);
  const failures = [...watch.failures].map(([name, { count, message }]) => [name, count, message]);
  assert.equal(failures.length, 2);
  assert.deepEqual(failures[0]?.slice(0, 2), ["missing", 2]);
  assert.match(String(failures.find(([name]) => name === "missing")?.[2]), /no such key: spec/);
  assert.match(String(failures.find(([name]) => name === "costly")?.[2]), /cost limit exceeded/);
});

test("what is there is checked as a whole state first", async () => {
  const api = await startApi();
  await create(api, "a", "7");
  using watch = await watching(api, documentOf(invariant("small", "int(object.data.value) < 5")));
  await watch.caughtUp();
  const report = await watch.report(async () => true);
  assert.equal(report.violations[0]?.orEarlier, true);
  assert.deepEqual(report.violations[0]?.chain, []);
});

test("changes that nobody knows any more are said to be unchecked", async () => {
  const api = await startApi();
  await create(api, "a", "1");
  const [first, second] = [await set(api, "a", "2"), await set(api, "a", "3")];
  await api.store.compact(api.store.revision);
  const resume = { from: first, checked: first, gaps: [], violations: [] };
  using watch = await watching(api, documentOf(invariant("small", "int(object.data.value) < 5")), { resume });
  await watch.caughtUp();
  assert.deepEqual(watch.gaps, [{ after: first, until: second }]);
});

test("of many objects those are named that break it together", async () => {
  const api = await startApi();
  const unique = "objects.all(a, objects.exists_one(b, a.data.value == b.data.value))";
  using watch = await watching(api, documentOf(invariant("unique", unique, { scope: "Namespace" })));
  for (let i = 0; i < 40; i++) await create(api, `m-${i}`, String(i));
  await create(api, "again", "11");
  await watch.caughtUp();
  const [kept] = watch.violations.list();
  assert.deepEqual(
    kept?.violation.chain?.map(({ reason, object }) => [reason, object.name]),
    [
      ["involved", "m-11"],
      ["violates", "again"],
    ],
  );
});

const allOf = (resource: string) => async (asked: { readonly resource: string }) => asked.resource === resource;

test("what is found is for who may get it", async () => {
  const api = await startApi();
  const secrets = { resourceRules: [rule(["secrets"])] };
  using watch = await watching(
    api,
    documentOf(
      invariant("small", "int(object.data.value) < 5"),
      invariant("no-secret", "size(objects) == 0", {
        scope: "Namespace",
        matchResources: secrets,
        messageExpression: "'it has ' + objects[0].data.key",
      }),
    ),
  );
  await create(api, "a", "7");
  await send(api, "POST", "/api/v1/namespaces/default/secrets", { metadata: { name: "s" }, data: { key: "c2VjcmV0" } });
  await watch.caughtUp();
  const names = async (resource: string) => (await watch.report(allOf(resource))).violations.map(({ invariant }) => invariant);
  assert.deepEqual(await names("configmaps"), ["small"]);
  assert.deepEqual(await names("secrets"), ["no-secret"]);
  assert.deepEqual(await names("pods"), []);
  assert.equal(JSON.stringify(await watch.report(allOf("configmaps"))).includes("c2VjcmV0"), false);
});

const wrong: readonly { readonly text: string; readonly message: RegExp }[] = [
  { text: "a: [", message: /^line 1: / },
  { text: "kind: InvariantConfiguration", message: /^line 1: apiVersion: must be "coxswain\/v1"$/ },
  {
    text: documentOf(invariant("A", "true")),
    message: /^line 1: invariants\[0\]\.name: must consist of lower case letters/,
  },
  {
    text: `apiVersion: coxswain/v1
kind: InvariantConfiguration
invariants:
- name: one
  matchResources:
    resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }]
  expression: |
    objects.size() < 3
`,
    message:
      /^line 7: invariants\[0\]\.expression: ERROR: [\s\S]*undeclared reference to 'objects'[\s\S]* the variables object and oldObject/,
  },
  { text: documentOf(invariant("one", "1 + 1")), message: /must evaluate to bool but got int/ },
  { text: documentOf(invariant("one", "true", { wrong: 1 })), message: /invariants\[0\]\.wrong: is not known; known are name, scope/ },
  { text: documentOf(invariant("one", "true"), invariant("one", "true")), message: /invariants\[1\]\.name: "one" is there twice/ },
  { text: documentOf(invariant("one", "true", { matchResources: {} })), message: /resourceRules must have a rule/ },
  {
    text: documentOf(invariant("one", "true", { matchResources: { resourceRules: [rule(["pods/status"])] } })),
    message: /must be a resource without a subresource/,
  },
  {
    text: documentOf(
      invariant("one", "true", {
        matchResources: { resourceRules: [rule(["pods"])], objectSelector: { matchExpressions: [{ key: "a", operator: "Near" }] } },
      }),
    ),
    message: /invariants\[0\]\.matchResources\.objectSelector: /,
  },
];
for (const { text, message } of wrong)
  test(`a file is refused: ${message.source}`, () => assert.rejects(loadInvariants(text), { message }));
