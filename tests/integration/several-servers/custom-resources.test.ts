/** CustomResourceDefinitions that one server changes while another serves what they define. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { StorageError, type Write } from "@coxswain/store";
import type { Json } from "../api.ts";
import { definitions, until } from "../conversion-webhook.ts";
import { define, definitionOf, definitionPath, merge, schemaOf, untilCondition, widgets, widgetsName } from "../custom-resources.ts";
import { letPass, type Server, startOn, startTwo, type TwoServers } from "./two-servers.ts";

const widget = (name: string, spec: Json = {}): Json => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name },
  spec: { size: 1, ...spec },
});

const create = (server: Server, name: string, spec?: Json) => server.send("POST", widgets, { body: widget(name, spec) });
const isWidget = (key: string): boolean => key.startsWith("/registry/example.com/widgets/");

async function withDefinition(): Promise<TwoServers> {
  const both = await startTwo();
  await define(both.one, definitionOf({ v1: { schema: schemaOf({ spec: { size: { type: "integer" }, color: { type: "string" } } }) } }));
  return both;
}

test("what one server has established the other serves at once", async () => {
  const { one, two } = await startTwo();
  two.store.hold();
  await define(one);
  const made = await create(two, "a");
  assert.equal(made.status, 201, made.text);
  assert.equal((await one.send("GET", `${widgets}/a`)).body.spec.size, 1);
});

test("what is written while another server changes the schema suits the new one, on all servers and after a start", async () => {
  const { one, two, shared } = await withDefinition();
  two.store.beforeWrite = async ({ key }) => {
    if (!isWidget(key)) return;
    two.store.beforeWrite = undefined;
    const versions = [{ name: "v1", served: true, storage: true, schema: schemaOf({ spec: { size: { type: "integer" } } }) }];
    const changed = await one.send("PATCH", definitionPath(), { body: { spec: { versions } }, type: merge });
    assert.equal(changed.status, 200, changed.text);
  };
  assert.equal((await create(two, "a", { color: "red" })).status, 201);
  assert.equal(two.store.beforeWrite, undefined);
  const three = await startOn(shared);
  for (const server of [one, two, three]) {
    assert.deepEqual((await server.send("GET", `${widgets}/a`)).body.spec, { size: 1 });
    assert.deepEqual((await server.send("GET", widgets)).body.items[0].spec, { size: 1 });
  }
});

test("an update by the schema of before suits the new one, too", async () => {
  const { one, two, shared } = await withDefinition();
  await create(one, "a");
  two.store.beforeWrite = async ({ key }) => {
    if (!isWidget(key)) return;
    two.store.beforeWrite = undefined;
    const shape = { size: { type: "integer" }, weight: { type: "integer", default: 7 } };
    const versions = [{ name: "v1", served: true, storage: true, schema: schemaOf({ spec: shape }) }];
    const changed = await one.send("PATCH", definitionPath(), { body: { spec: { versions } }, type: merge });
    assert.equal(changed.status, 200, changed.text);
  };
  assert.equal((await two.send("PATCH", `${widgets}/a`, { body: { spec: { color: "red", size: 2 } }, type: merge })).status, 200);
  assert.equal(two.store.beforeWrite, undefined);
  const three = await startOn(shared);
  for (const server of [one, two, three]) assert.deepEqual((await server.send("GET", `${widgets}/a`)).body.spec, { size: 2, weight: 7 });
});

test("nothing is created through a server once another has begun to delete the definition", async () => {
  const { one, two } = await withDefinition();
  const held = widget("held");
  await one.send("POST", widgets, { body: { ...held, metadata: { name: "held", finalizers: ["example.com/f"] } } });
  two.store.beforeWrite = async ({ key }) => {
    if (!isWidget(key)) return;
    two.store.beforeWrite = undefined;
    assert.equal((await one.send("DELETE", definitionPath())).status, 200);
  };
  const refused = await create(two, "a");
  assert.equal(refused.status, 403);
  assert.match(refused.body.message, /create not allowed while custom resource definition is terminating/);
  await one.send("PATCH", `${widgets}/held`, { body: { metadata: { finalizers: null } }, type: merge });
  for (const server of [one, two]) await until404(server);
});

async function until404(server: Server): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if ((await server.send("GET", definitionPath())).status === 404) return;
    server.clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.fail("the definition is still there");
}

test("instances of a definition that is there again stay, however late a server sees that the first was deleted", async () => {
  const { one, two } = await withDefinition();
  await one.send("POST", widgets, { body: { ...widget("old"), metadata: { name: "old", finalizers: ["example.com/f"] } } });
  assert.equal((await one.send("DELETE", definitionPath())).status, 200);
  // Both have begun to delete its instances.
  await untilCondition(two, widgetsName, "Terminating", "True");
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  two.store.hold();
  await one.send("PATCH", `${widgets}/old`, { body: { metadata: { finalizers: null } }, type: merge });
  await until404(one);
  await define(one);
  assert.equal((await create(one, "new")).status, 201);
  two.store.release();
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  for (const server of [one, two]) assert.equal((await server.send("GET", `${widgets}/new`)).status, 200);
});

test("of two definitions to which two servers give the same name at the same time one gets it", async () => {
  const { one, two } = await startTwo();
  const named = (plural: string) => definitionOf({ plural, kind: plural.toUpperCase(), names: { shortNames: ["w"], singular: plural } });
  const create = async ({ send }: Server, plural: string): Promise<void> =>
    assert.equal((await send("POST", definitions, { body: named(plural) })).status, 201);
  const isSettled = ({ status }: Json): boolean => status?.conditions?.some(({ type }: Json) => type === "NamesAccepted") === true;
  const settled = (server: Server, plural: string) =>
    until(async () => isSettled((await server.send("GET", definitionPath(`${plural}.example.com`))).body));
  const acceptsPears = ({ key, expect }: Write): boolean => key.endsWith("/pears.example.com") && expect !== "absent";
  // The first does not come to it, and gives the name to the later definition; the second has decided otherwise before.
  one.store.beforeWrite = (op) => {
    if (acceptsPears(op)) throw new StorageError("not now");
  };
  two.store.hold();
  const decided = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  two.store.beforeWrite = async (op) => {
    if (!acceptsPears(op)) return;
    two.store.beforeWrite = undefined;
    decided.resolve();
    await written.promise;
  };
  await create(two, "pears");
  await decided.promise;
  await create(one, "apples");
  await settled(one, "apples");
  written.resolve();
  one.store.beforeWrite = undefined;
  two.store.release();
  await letPass(3, one, two);
  await settled(two, "pears");
  const { items } = (await one.send("GET", definitions)).body;
  const holders = items.filter(({ status }: Json) => status?.acceptedNames?.shortNames?.includes("w"));
  assert.deepEqual(
    holders.map(({ metadata }: Json) => metadata.name),
    ["apples.example.com"],
  );
  const { conditions } = items.find(({ metadata }: Json) => metadata.name === "pears.example.com").status;
  assert.equal(conditions.find(({ type }: Json) => type === "NamesAccepted").message, '"w" is already in use');
});
