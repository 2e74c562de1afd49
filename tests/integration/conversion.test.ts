/** Custom resources whose versions a webhook converts, over real HTTPS. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, type Json, startApi } from "./api.ts";
import { defineRooms, startWebhook, storeRoomsAs, until, type Webhook } from "./conversion-webhook.ts";

const v1 = "/apis/example.com/v1/namespaces/default/rooms";
const v2 = "/apis/example.com/v2/namespaces/default/rooms";
const merge = "application/merge-patch+json";
const applyPatch = "application/apply-patch+yaml";

const room1 = (name: string, size = "3x4") => ({ apiVersion: "example.com/v1", kind: "Room", metadata: { name }, spec: { size } });
const room2 = (name: string, width = 3, height = 4) => ({
  apiVersion: "example.com/v2",
  kind: "Room",
  metadata: { name },
  spec: { width, height },
});

interface House extends AsyncDisposable {
  readonly api: Api;
  readonly webhook: Webhook;
  /** What is stored under the name, parsed. */
  stored(name: string): Promise<Json>;
}

async function house(): Promise<House> {
  const webhook = await startWebhook();
  const api = await startApi();
  await defineRooms(api, { url: `https://127.0.0.1:${webhook.port}/convert`, caBundle: webhook.caBundle });
  return {
    api,
    webhook,
    async stored(name) {
      const { entry } = await api.store.get(`/registry/example.com/rooms/default/${name}`);
      return entry === undefined ? undefined : JSON.parse(Buffer.from(entry.value).toString());
    },
    async [Symbol.asyncDispose]() {
      await api.server.close();
      await webhook.stop();
    },
  };
}

test("what is written in one version is stored in another and read in both", async () => {
  await using at = await house();
  const created = await at.api.send("POST", v2, { body: room2("a", 5, 6) });
  assert.equal(created.status, 201);
  assert.equal(created.body.apiVersion, "example.com/v2");
  assert.deepEqual(created.body.spec, { color: "white", width: 5, height: 6 });
  const stored = await at.stored("a");
  assert.equal(stored.apiVersion, "example.com/v1");
  assert.deepEqual(stored.spec, { color: "white", size: "5x6" });
  at.webhook.reviews.length = 0;
  assert.deepEqual((await at.api.send("GET", `${v1}/a`)).body.spec, { color: "white", size: "5x6" });
  assert.equal(at.webhook.reviews.length, 0);
  const read = await at.api.send("GET", `${v2}/a`);
  assert.deepEqual(read.body, created.body);
  assert.equal(at.webhook.reviews.length, 1);
  assert.equal(at.webhook.reviews[0].desiredAPIVersion, "example.com/v2");
  assert.equal(at.webhook.reviews[0].objects[0].metadata.resourceVersion, undefined);
});

test("a list is converted at once, and only what is in another version", async () => {
  await using at = await house();
  for (const name of ["a", "b", "c"]) await at.api.send("POST", v1, { body: room1(name) });
  assert.equal(at.webhook.reviews.length, 0);
  assert.equal((await at.api.send("GET", v1)).body.items.length, 3);
  assert.equal(at.webhook.reviews.length, 0);
  const { body } = await at.api.send("GET", v2);
  assert.equal(at.webhook.reviews.length, 1);
  assert.equal(body.apiVersion, "example.com/v2");
  assert.deepEqual(
    body.items.map(({ apiVersion, metadata, spec }: Json) => [apiVersion, metadata.name, spec.width, spec.height]),
    ["a", "b", "c"].map((name) => ["example.com/v2", name, 3, 4]),
  );
  const table = await at.api.send("GET", v2, { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" });
  assert.deepEqual(
    table.body.rows.map(({ cells }: Json) => cells[0]),
    ["a", "b", "c"],
  );
  const page = await at.api.send("GET", `${v2}?limit=2`);
  assert.equal(page.body.items.length, 2);
  assert.equal(at.webhook.reviews.at(-1).objects.length, 2);
  const rest = await at.api.send("GET", `${v2}?limit=2&continue=${encodeURIComponent(page.body.metadata.continue)}`);
  assert.deepEqual(
    rest.body.items.map(({ metadata }: Json) => metadata.name),
    ["c"],
  );
  const named = await at.api.send("GET", `${v2}?fieldSelector=metadata.name%3Db`);
  assert.deepEqual(
    named.body.items.map(({ spec }: Json) => spec.width),
    [3],
  );
});

test("a conflict is explained in the version of the write", async () => {
  await using at = await house();
  const { body } = await at.api.send("POST", v2, { body: room2("a") });
  await at.api.send("PATCH", `${v1}/a?fieldManager=painter`, { type: merge, body: { spec: { size: "7x4", color: "red" } } });
  at.webhook.reviews.length = 0;
  const lost = await at.api.send("PUT", `${v2}/a`, { body: { ...body, spec: { ...body.spec, width: 9 } } });
  assert.deepEqual(
    lost.body.details.causes.map(({ reason, field, message }: Json) => `${reason} ${field} ${message.split(" at ")[0]}`),
    [
      'OverlappingChange .spec.width changed by manager "painter" (user "tester")',
      'OtherChange .spec.color changed by manager "painter" (user "tester")',
    ],
  );
  // Once to see that the write is late, once for what it had read and what is there.
  assert.equal(at.webhook.reviews.length, 2);
});

test("updates and patches see and write the version they are made in", async () => {
  await using at = await house();
  const { body } = await at.api.send("POST", v1, { body: room1("a") });
  const put = await at.api.send("PUT", `${v2}/a`, {
    body: { ...room2("a", 8, 9), metadata: { name: "a", resourceVersion: body.metadata.resourceVersion } },
  });
  assert.equal(put.status, 200, put.text);
  assert.deepEqual(put.body.spec, { color: "white", width: 8, height: 9 });
  assert.equal(put.body.metadata.generation, 2);
  assert.equal((await at.stored("a")).spec.size, "8x9");
  const patched = await at.api.send("PATCH", `${v2}/a`, { type: merge, body: { spec: { width: 1 } } });
  assert.deepEqual(patched.body.spec, { color: "white", width: 1, height: 9 });
  const json = [
    { op: "test", path: "/spec/height", value: 9 },
    { op: "replace", path: "/spec/height", value: 2 },
  ];
  const edited = await at.api.send("PATCH", `${v2}/a`, { type: "application/json-patch+json", body: json });
  assert.deepEqual(edited.body.spec, { color: "white", width: 1, height: 2 });
  const status = await at.api.send("PATCH", `${v2}/a/status`, { type: merge, body: { status: { taken: true } } });
  assert.deepEqual(status.body.status, { taken: true });
  assert.deepEqual((await at.stored("a")).status, { taken: true });
  assert.equal((await at.stored("a")).spec.size, "1x2");
  const before = (await at.api.send("GET", `${v1}/a`)).body.metadata.resourceVersion;
  const same = await at.api.send("PATCH", `${v2}/a`, { type: merge, body: { spec: { width: 1 } } });
  assert.equal(same.body.metadata.resourceVersion, before);
  const gone = await at.api.send("DELETE", `${v2}/a`);
  assert.equal(gone.status, 200);
  assert.equal(await at.stored("a"), undefined);
});

test("managers that apply in different versions own the same fields", async () => {
  await using at = await house();
  const applyIn = (path: string, manager: string, body: object, more = "") =>
    at.api.send("PATCH", `${path}/a?fieldManager=${manager}${more}`, { type: applyPatch, body });
  assert.equal((await applyIn(v1, "ann", room1("a"))).status, 201);
  const refused = await applyIn(v2, "bob", { ...room2("a"), spec: { width: 7 } });
  assert.equal(refused.status, 409, refused.text);
  assert.deepEqual(refused.body.details.causes, [{ reason: "FieldManagerConflict", message: 'conflict with "ann"', field: ".spec.size" }]);
  assert.equal((await applyIn(v2, "bob", { ...room2("a"), spec: { floor: "1" } })).status, 200);
  const changed = await applyIn(v2, "bob", { ...room2("a"), spec: { floor: "1", width: 7 } }, "&force=true");
  assert.equal(changed.status, 200, changed.text);
  assert.deepEqual(changed.body.spec, { color: "white", floor: "1", width: 7, height: 4 });
  const owners = Object.fromEntries(
    changed.body.metadata.managedFields.map(({ manager, apiVersion, fieldsV1 }: Json) => [
      `${manager} ${apiVersion}`,
      Object.keys(fieldsV1["f:spec"] ?? {}),
    ]),
  );
  assert.deepEqual(owners["bob example.com/v2"], ["f:floor", "f:width"]);
  assert.equal(owners["ann example.com/v1"]?.includes("f:size") ?? false, false);
});

test("watches are converted, in order, and each object once for all of them", async () => {
  await using at = await house();
  await at.api.send("POST", v1, { body: room1("a") });
  const watchings = await Promise.all(Array.from({ length: 5 }, () => at.api.watch(`${v2}?watch=true`)));
  await until(() => watchings.every(({ events }) => events.length === 1));
  const before = at.webhook.reviews.length;
  await at.api.send("POST", v1, { body: room1("b", "1x1") });
  await at.api.send("PATCH", `${v1}/b`, { type: merge, body: { spec: { size: "2x2" } } });
  await at.api.send("DELETE", `${v1}/b`);
  await until(() => watchings.every(({ events }) => events.length === 4));
  for (const { events } of watchings) {
    assert.deepEqual(
      events.map(({ type, object }) => [type, object.apiVersion, object.metadata.name, object.spec.width]),
      [
        ["ADDED", "example.com/v2", "a", 3],
        ["ADDED", "example.com/v2", "b", 1],
        ["MODIFIED", "example.com/v2", "b", 2],
        ["DELETED", "example.com/v2", "b", 2],
      ],
    );
  }
  const objects = at.webhook.reviews.slice(before).flatMap((review) => review.objects);
  assert.equal(objects.length, 2);
});

test("a watch that starts in the past and one with a selector are converted too", async () => {
  await using at = await house();
  const { body } = await at.api.send("POST", v1, { body: room1("a") });
  for (const color of ["red", "blue"]) await at.api.send("PATCH", `${v1}/a`, { type: merge, body: { metadata: { labels: { color } } } });
  const past = await at.api.watch(`${v2}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
  const red = await at.api.watch(`${v2}?watch=true&labelSelector=color%3Dred&resourceVersion=${body.metadata.resourceVersion}`);
  await until(() => past.events.length === 2 && red.events.length === 2);
  assert.deepEqual(
    past.events.map(({ type, object }) => [type, object.spec.width]),
    [
      ["MODIFIED", 3],
      ["MODIFIED", 3],
    ],
  );
  assert.deepEqual(
    red.events.map(({ type, object }) => [type, object.metadata.labels.color]),
    [
      ["ADDED", "red"],
      ["DELETED", "red"],
    ],
  );
});

test("when another version becomes the stored one, old objects stay readable and move with their next write", async () => {
  await using at = await house();
  await at.api.send("POST", v1, { body: room1("a") });
  await storeRoomsAs(at.api, "v2");
  at.webhook.reviews.length = 0;
  assert.equal((await at.api.send("GET", `${v1}/a`)).body.spec.size, "3x4");
  assert.equal(at.webhook.reviews.length, 0);
  assert.equal((await at.api.send("GET", `${v2}/a`)).body.spec.width, 3);
  assert.equal(at.webhook.reviews.length, 1);
  await at.api.send("POST", v1, { body: room1("b", "1x2") });
  assert.deepEqual((await at.stored("b")).spec, { color: "white", width: 1, height: 2 });
  assert.equal((await at.stored("a")).apiVersion, "example.com/v1");
  const moved = await at.api.send("PATCH", `${v2}/a`, { type: merge, body: {} });
  assert.equal(moved.status, 200);
  assert.equal((await at.stored("a")).apiVersion, "example.com/v2");
  const { body } = await at.api.send("GET", v1);
  assert.deepEqual(
    body.items.map(({ spec }: Json) => spec.size),
    ["3x4", "1x2"],
  );
});

test("without the webhook nothing works but the stored version", async () => {
  await using at = await house();
  await at.api.send("POST", v1, { body: room1("a") });
  await at.api.send("GET", v2);
  const watching = await at.api.watch(`${v2}?watch=true`);
  await until(() => watching.events.length === 1);
  await at.webhook.stop();
  const why = new RegExp(
    `^conversion webhook for example.com/v[12], Kind=Room failed: Post "https://127.0.0.1:${at.webhook.port}/convert\\?timeout=30s": dial tcp 127.0.0.1:${at.webhook.port}: connect: connection refused$`,
  );
  const requests: readonly (readonly [string, string, object?])[] = [
    ["GET", `${v2}/a`],
    ["GET", v2],
    ["GET", `${v2}?limit=1`],
    ["POST", v2, { body: room2("b") }],
    ["POST", `${v2}?dryRun=All`, { body: room2("b") }],
    ["PUT", `${v2}/a`, { body: room2("a") }],
    ["PATCH", `${v2}/a`, { type: merge, body: { spec: { width: 1 } } }],
    ["PATCH", `${v2}/a?fieldManager=x`, { type: applyPatch, body: room2("a") }],
    ["DELETE", `${v2}/a`],
    ["DELETE", v2],
  ];
  for (const [method, target, sent] of requests) {
    const { status, body } = await at.api.send(method, target, sent);
    assert.deepEqual([method, target, status, body.reason], [method, target, 500, undefined]);
    assert.match(body.message, why);
  }
  await at.api.send("PATCH", `${v1}/a`, { type: merge, body: { spec: { size: "1x1" } } });
  await until(() => watching.ended);
  const { type, object } = watching.events.at(-1);
  assert.deepEqual([type, object.kind, object.code, object.reason], ["ERROR", "Status", 500, "InternalError"]);
  assert.match(object.message, why);
  assert.equal((await at.api.send("GET", `${v1}/a`)).body.spec.size, "1x1");
  assert.equal((await at.api.send("DELETE", `${v1}/a`)).status, 200);
});

const first =
  (change: (object: Json) => Json) =>
  (_review: Json, good: Json): Json => {
    const [object, ...rest] = good.response.convertedObjects;
    return { ...good, response: { ...good.response, convertedObjects: [change(object), ...rest] } };
  };
const mistakes: readonly { name: string; misbehave: NonNullable<Webhook["misbehave"]>; message: RegExp }[] = [
  {
    name: "fails",
    misbehave: (_, good) => ({ ...good, response: { ...good.response, result: { status: "Failure", message: "no way" } } }),
    message: /failed: no way$/,
  },
  {
    name: "speaks of another review",
    misbehave: (_, good) => ({ ...good, response: { ...good.response, uid: "x" } }),
    message: /failed: expected response.uid=".*", got "x"$/,
  },
  {
    name: "returns nothing",
    misbehave: (_, good) => ({ ...good, response: { ...good.response, convertedObjects: [] } }),
    message: /returned 0 objects, expected 1$/,
  },
  {
    name: "does not convert",
    misbehave: (review, good) => first(() => review.request.objects[0])(review, good),
    message: /invalid groupVersion \(expected example.com\/v2, received example.com\/v1\)$/,
  },
  {
    name: "changes the kind",
    misbehave: first((object) => ({ ...object, kind: "Hall" })),
    message: /invalid kind \(expected Room, received Hall\)$/,
  },
  {
    name: "changes the name",
    misbehave: first((object) => ({ ...object, metadata: { ...object.metadata, name: "b" } })),
    message: /must have the same name: a != b$/,
  },
  {
    name: "changes the uid",
    misbehave: first((object) => ({ ...object, metadata: { ...object.metadata, uid: "b" } })),
    message: /must have the same UID: \S+ != b$/,
  },
  {
    name: "makes labels that are none",
    misbehave: first((object) => ({ ...object, metadata: { ...object.metadata, labels: { "a b": "c" } } })),
    message: /invalid metadata: metadata.labels: Invalid value: "a b"/,
  },
  { name: "answers with something else", misbehave: () => "hello", message: /failed: couldn't get version\/kind; json parse error/ },
];
test("an invalid answer of a conversion webhook gives an error that names the mistake", async (t) => {
  await using at = await house();
  await at.api.send("POST", v1, { body: room1("a") });
  for (const { name, misbehave, message } of mistakes) {
    await t.test(name, async () => {
      at.webhook.misbehave = misbehave;
      for (const target of [`${v2}/a`, v2]) {
        const { status, body } = await at.api.send("GET", target);
        assert.equal(status, 500);
        assert.match(body.message, message);
      }
    });
  }
});

test("what a webhook does to other metadata is undone, and what its schema does not know goes", async () => {
  await using at = await house();
  await at.api.send("POST", v1, { body: room1("a") });
  at.webhook.misbehave = first((object) => ({
    ...object,
    metadata: { ...object.metadata, finalizers: ["x/y"], labels: { converted: "yes" } },
    spec: { width: 1, height: 2, depth: 3 },
  }));
  const { body } = await at.api.send("GET", `${v2}/a`);
  assert.equal(body.metadata.finalizers, undefined);
  assert.deepEqual(body.metadata.labels, { converted: "yes" });
  assert.deepEqual(body.spec, { width: 1, height: 2 }, "defaults go with the version that is stored");
});

test("many read at once", async () => {
  await using at = await house();
  await at.api.send("POST", v1, { body: room1("a") });
  const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => at.api.send("GET", i % 2 === 0 ? `${v2}/a` : v2)));
  assert.ok(answers.every(({ status }) => status === 200));
});

test("a webhook is found through its Service", async () => {
  await using webhook = await startWebhook();
  const api = await startApi();
  const services = "/api/v1/namespaces/ops/services";
  const service = { namespace: "ops", name: "rooms", path: "/convert", port: webhook.port };
  await defineRooms(api, { service, caBundle: webhook.caBundle });
  await api.send("POST", v1, { body: room1("a") });
  const why = async (): Promise<string> => (await api.send("GET", `${v2}/a`)).body.message;
  const post = `conversion webhook for example.com/v1, Kind=Room failed: Post "https://rooms.ops.svc:${webhook.port}/convert?timeout=30s":`;
  assert.equal(await why(), `${post} service "rooms" not found`);
  await api.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "ops" } } });
  await api.send("POST", services, { body: { metadata: { name: "rooms" }, spec: { ports: [{ port: 443 }] } } });
  assert.equal(await why(), `${post} no service port ${webhook.port} found for service "rooms"`);
  await api.send("DELETE", `${services}/rooms`);
  await api.send("POST", services, { body: { metadata: { name: "rooms" }, spec: { ports: [{ port: webhook.port }] } } });
  assert.equal(await why(), `${post} no endpoints available for service "rooms"`);
  await api.send("DELETE", `${services}/rooms`);
  await api.send("POST", services, { body: { metadata: { name: "rooms" }, spec: { type: "ExternalName", externalName: "localhost" } } });
  assert.equal((await api.send("GET", `${v2}/a`)).status, 200);
  await api.server.close();
});
