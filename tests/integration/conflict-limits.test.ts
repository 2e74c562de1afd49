/** What conflicts explain when little is known, too much is, or the client may not read it; and afterwards. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Json } from "./api.ts";
import { applyPatch, merge } from "./custom-resources.ts";
import { conflictCauses, messagesOf, recent, startForWriters, type Writers } from "./writers.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const body = (data: Json = {}, metadata: Json = {}) => ({ metadata: { name: "x", ...metadata }, data });

async function create(api: Writers, data: Json = {}): Promise<Json> {
  const answer = await api.as({ user: "ann", manager: "setup" }, "POST", maps, { body: body(data) });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

async function change(api: Writers, data: Json, manager = "bob", user = "bob"): Promise<Json> {
  const { status, body, text } = await api.as({ user: user, manager: manager }, "PATCH", `${maps}/x`, { body: { data }, type: merge });
  assert.equal(status, 200, text);
  return body;
}

const replace = (api: Writers, read: Json, data: Json): Promise<Answer> =>
  api.as({ user: "eve", manager: "eve" }, "PUT", `${maps}/x`, { body: { ...read, data } });
const withVersion = (api: Writers, resourceVersion: string): Promise<Answer> => replace(api, body({}, { resourceVersion }), { a: "z" });
const causesOf = ({ body }: Answer): Json[] => body.details.causes;

test("an object that was deleted and made again is another one", async () => {
  const api = await startForWriters();
  const read = await create(api);
  assert.equal((await api.as({ user: "bob", manager: "bob" }, "DELETE", `${maps}/x`)).status, 200);
  api.clock.advance(2_000);
  await create(api);
  const another =
    'the object that this write is based on is gone; another was created under its name by manager "setup" (user "ann") at 2026-01-01T00:00:02.000Z';
  const { uid, resourceVersion } = read.metadata;
  const writes = [
    replace(api, read, {}),
    replace(api, body({}, { uid }), {}),
    withVersion(api, resourceVersion),
    api.as({ user: "eve", manager: "eve" }, "DELETE", `${maps}/x`, { body: { preconditions: { uid } } }),
    api.as({ user: "eve", manager: "eve" }, "DELETE", `${maps}/x`, { body: { preconditions: { resourceVersion } } }),
  ];
  for (const write of writes) assert.deepEqual(causesOf(await write), [{ reason: "OtherObject", message: another }]);
});

const strange: readonly { name: string; version: (now: number) => string; why: string }[] = [
  { name: "from the future", version: (now) => String(now + 1_000), why: "it is in the future" },
  { name: "longer than any number", version: () => "9".repeat(400), why: "it is in the future" },
  { name: "of a list", version: (now) => String(now), why: "nothing was written since, and it is not the object's own" },
];
for (const { name, version, why } of strange) {
  test(`a version ${name} is none that the object had`, async () => {
    const api = await startForWriters();
    await create(api);
    await api.as({ user: "bob", manager: "bob" }, "POST", maps, { body: { metadata: { name: "other" } } });
    const [cause] = causesOf(await withVersion(api, version(api.store.revision)));
    assert.deepEqual(cause, { reason: "UnknownVersion", message: `this write names a version that the object never had: ${why}` });
  });
}

test("a precondition that is no version at all", async () => {
  const api = await startForWriters();
  await create(api);
  const answer = await api.as({ user: "eve", manager: "eve" }, "DELETE", `${maps}/x`, {
    body: { preconditions: { resourceVersion: "abc" } },
  });
  assert.deepEqual(messagesOf(answer), ["this write names a version that the object never had: it is none that this server gives"]);
});

test("a write based on a list's resourceVersion gets the changes since then", async () => {
  const api = await startForWriters();
  await create(api, { a: "1" });
  await api.as({ user: "bob", manager: "bob" }, "POST", maps, { body: { metadata: { name: "other" } } });
  const version = String(api.store.revision);
  await change(api, { a: "2" });
  assert.deepEqual(conflictCauses(await withVersion(api, version)), ["UnknownVersion", "OverlappingChange .data.a"]);
});

test("after compaction a conflict is explained from managed fields alone", async () => {
  const api = await startForWriters();
  const read = await create(api, { a: "1" });
  api.clock.advance(5_000);
  await change(api, { a: "2" });
  await api.store.compact(api.store.revision);
  assert.deepEqual(causesOf(await replace(api, read, { a: "3" })), [
    {
      reason: "HistoryCompacted",
      message:
        'what changed since this write\'s version is no longer known; managed fields tell of manager "bob" at 2026-01-01T00:00:05Z, manager "setup" at 2026-01-01T00:00:00Z',
    },
  ]);
});

test("after 10,000 changes first and last version are compared, with authors from managed fields", async () => {
  const api = await startForWriters();
  const read = await create(api, { a: "0", b: "0" });
  for (let i = 1; i < 10_000; i++) await change(api, { a: `${i}` });
  await change(api, { b: "1" }, "cid");
  const answer = await replace(api, read, { a: "z", b: "0" });
  assert.deepEqual(conflictCauses(answer), ["OverlappingChange .data.a", "OtherChange .data.b"]);
  assert.equal(messagesOf(answer)[0], 'changed, last by manager "bob" at 2026-01-01T00:00:00Z; this write changes it too');
  assert.equal(messagesOf(answer)[1], 'changed, last by manager "cid" at 2026-01-01T00:00:00Z; this write would set it back');
  assert.equal((await recent(api)).items[0].behindBy, undefined);
});

test("a conflict lists at most 32 fields, overlapping ones first, and counts the rest", async () => {
  const api = await startForWriters();
  const read = await create(api, { z: "1" });
  await change(api, { z: "2", ...Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, "v"])) });
  const answer = await replace(api, read, { z: "3" });
  assert.equal(causesOf(answer).length, 33);
  assert.equal(conflictCauses(answer)[0], "OverlappingChange .data.z");
  assert.deepEqual(causesOf(answer).at(-1), { reason: "MoreChanges", message: "69 more fields changed" });
});

test("objects that are too large are not compared", async () => {
  const api = await startForWriters();
  const read = await create(api, { a: "x".repeat(300_000) });
  await change(api, { b: "1" });
  assert.deepEqual(causesOf(await replace(api, read, { a: "1" })), [
    { reason: "NotCompared", message: 'too large to compare; last written by manager "bob" (user "bob") at 2026-01-01T00:00:00.000Z' },
  ]);
});

test("large objects and many changes are bounded by their ends", async () => {
  const api = await startForWriters();
  const read = await create(api, { a: "x".repeat(200_000), n: "0" });
  for (let i = 0; i < 20; i++) await change(api, { n: `${i + 1}` });
  assert.deepEqual(conflictCauses(await replace(api, read, { n: "9" })), ["OverlappingChange .data.n"]);
});

const hostile: readonly { name: string; manager: string; user?: string; says: RegExp }[] = [
  { name: "control characters", manager: "a\u001b[31m\u0000b", says: /manager "a\[31mb" / },
  { name: "a user of control characters", manager: "m", user: "\u001b[2J\n\u202e", says: /\(user "\\x1b\[2J\\n\\u202e"\)/ },
  { name: "very long", manager: "m".repeat(8_000), user: "u".repeat(8_000), says: /^changed by manager "m{128}" \(user "u{127}…"\)/ },
  { name: "a prototype's key", manager: "__proto__", user: "constructor", says: /manager "__proto__" \(user "constructor"\)/ },
];
for (const { name, manager, user = "bob", says } of hostile) {
  test(`hostile names: ${name}`, async () => {
    const api = await startForWriters();
    const read = await create(api, { a: "1" });
    await change(api, { a: "2" }, manager, user);
    const answer = await api.as({ user: user, manager: manager }, "PUT", `${maps}/x`, { body: { ...read, data: { a: "3" } } });
    assert.match(messagesOf(answer)[0] ?? "", says);
    const { loser } = (await recent(api)).items[0];
    assert.ok(loser.userAgent.length <= 256 && loser.user.length <= 256);
  });
}

test("hostile keys: long ones, and those of prototypes", async () => {
  const api = await startForWriters();
  const pod = { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } };
  const read = (await api.as({ user: "ann", manager: "ann" }, "POST", "/api/v1/namespaces/default/pods", { body: pod })).body;
  const annotations = { constructor: "1", ["k".repeat(60)]: "1", [`${"d".repeat(250)}/${"e".repeat(60)}`]: "1" };
  const path = "/api/v1/namespaces/default/pods/p";
  const patched = await api.as({ user: "bob", manager: "bob" }, "PATCH", path, { body: { metadata: { annotations } }, type: merge });
  assert.equal(patched.status, 200, patched.text);
  const answer = await api.as({ user: "eve", manager: "eve" }, "PUT", path, { body: read });
  const fields = causesOf(answer).map(({ field }) => field);
  assert.ok(fields.includes(".metadata.annotations.constructor"));
  assert.ok(fields.some((field) => field.length === 256 && field.endsWith("…")));
});

test("causes stay below 16 KB however long the names are", async () => {
  const api = await startForWriters();
  const read = await create(api);
  const wide = "\u{1F600}".repeat(120);
  await change(api, Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}-${"k".repeat(240)}`, "v"])), wide, wide);
  const answer = await replace(api, read, {});
  assert.ok(Buffer.byteLength(answer.text) < 16 * 1024, `${Buffer.byteLength(answer.text)} bytes`);
  assert.equal(causesOf(answer).at(-1).reason, "MoreChanges");
});

test("a conflict contains neither values nor resourceVersions", async () => {
  const api = await startForWriters();
  const path = "/api/v1/namespaces/default/secrets";
  const read = (
    await api.as({ user: "ann", manager: "ann" }, "POST", path, { body: { metadata: { name: "s" }, stringData: { token: "old" } } })
  ).body;
  const written = await api.as({ user: "bob", manager: "bob" }, "PATCH", `${path}/s`, {
    body: { stringData: { token: "c2VjcmV0" } },
    type: merge,
  });
  const answer = await api.as({ user: "eve", manager: "eve" }, "PUT", `${path}/s`, { body: { ...read, data: { token: "bWluZQ==" } } });
  assert.deepEqual(conflictCauses(answer), ["OverlappingChange .data.token"]);
  const all = answer.text + (await api.send("GET", "/coxswain/v1/conflicts")).text;
  for (const hidden of ["c2VjcmV0", "YzJWamNtVjA", "b2xk", "bWluZQ", `"${written.body.metadata.resourceVersion}"`]) {
    assert.ok(!all.includes(hidden), hidden);
  }
});

test("the last conflicts are kept, newest first, and can be asked for", async () => {
  const api = await startForWriters();
  const read = await create(api, { a: "1" });
  await change(api, { a: "2" });
  await replace(api, read, { a: "3" });
  api.clock.advance(1_000);
  await api.as({ user: "eve", manager: "kubectl" }, "DELETE", `${maps}/x?fieldManager=f`, {
    body: {
      preconditions: { resourceVersion: read.metadata.resourceVersion },
    },
  });
  const applied = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data: { a: "9" } };
  const apply = await api.as({ user: "cid", manager: "kubectl" }, "PATCH", `${maps}/x?fieldManager=cid`, {
    body: applied,
    type: applyPatch,
  });
  const { kind, apiVersion, items } = await recent(api);
  assert.deepEqual([kind, apiVersion, items.length], ["ConflictList", "coxswain/v1", 3]);
  assert.deepEqual(items[0].causes, apply.body.details.causes);
  assert.equal(items[0].causes[0].reason, "FieldManagerConflict");
  const { requestId, ...loser } = items[1].loser;
  assert.deepEqual(loser, { user: "eve", manager: "f", userAgent: "kubectl/1.0", verb: "delete" });
  assert.match(requestId, /^[0-9a-f-]{36}$/);
  assert.deepEqual(items[1].object, { group: "", version: "v1", resource: "configmaps", namespace: "default", name: "x" });
  assert.deepEqual([items[1].at, items[1].behindBy, items[2].behindBy], ["2026-01-01T00:00:01.000Z", 1, 1]);
  const count = async (query: string) => (await recent(api, query)).items.length;
  assert.deepEqual(
    await Promise.all(["?limit=2", "?name=y", "?namespace=default&resource=configmaps&name=x", "?resource=pods"].map(count)),
    [2, 0, 3, 0],
  );
  assert.equal((await api.send("GET", "/coxswain/v1/conflicts?limit=-1")).status, 400);
  const metrics = (await api.send("GET", "/metrics")).text;
  assert.match(metrics, /coxswain_conflicts_total\{reason="OverlappingChange"\} 2/);
  assert.match(metrics, /coxswain_conflicts_total\{reason="FieldManagerConflict"\} 1/);
});

test("no more of them are kept than fit", async () => {
  const api = await startForWriters();
  const read = await create(api);
  await change(api, Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}-${"k".repeat(200)}`, "v"])));
  for (let i = 0; i < 300; i++) await replace(api, read, {});
  const { items } = await recent(api);
  assert.ok(items.length > 20 && items.length < 256, `${items.length}`);
});

test("the conflicts path requires authorization and refuses other methods", async () => {
  const api = await startForWriters();
  const ask = (method: string, path: string, user = "ann") => api.as({ user: user, manager: "m" }, method, path);
  const denied = await ask("GET", "/coxswain/v1/conflicts", "nobody");
  assert.equal(denied.status, 403);
  assert.match(denied.body.message, /cannot get path "\/coxswain\/v1\/conflicts"/);
  assert.equal((await ask("HEAD", "/coxswain/v1/conflicts")).status, 200);
  assert.equal((await ask("POST", "/coxswain/v1/conflicts")).status, 405);
  for (const path of ["/coxswain", "/coxswain/v1", "/coxswain/v2/conflicts", "/coxswain/v1/conflicts/x"])
    assert.equal((await ask("GET", path)).status, 404);
});

test("every write records its user and the version that it was based on", async () => {
  const api = await startForWriters();
  const read = await create(api, { a: "1" });
  await api.as({ user: "eve", manager: "eve" }, "PUT", `${maps}/x?fieldManager=m`, { body: { ...read, data: { a: "2" } } });
  const { resourceVersion } = (await api.send("GET", `${maps}/x`)).body.metadata;
  await api.as({ user: "cid", manager: "cid" }, "DELETE", `${maps}/x`, { body: { preconditions: { resourceVersion } } });
  const history = await api.store.history("/registry/configmaps/default/x");
  assert.deepEqual(
    history.map(({ note }) => ({ ...note, requestId: note?.requestId !== "" })),
    [
      { user: "ann", manager: "", userAgent: "setup/1.0", verb: "create", requestId: true },
      { user: "eve", manager: "m", userAgent: "eve/1.0", verb: "update", requestId: true, readAt: read.metadata.resourceVersion },
      { user: "cid", manager: "", userAgent: "cid/1.0", verb: "delete", requestId: true, readAt: resourceVersion },
    ],
  );
});
