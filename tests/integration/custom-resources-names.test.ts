/** Names are unique within a group: who had one first keeps it, and who waits gets it when it is free. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Api, type Json, startApi } from "./api.ts";
import { definitions, until } from "./conversion-webhook.ts";
import { conditionOf, define, definitionOf, definitionPath, group, redefine, untilCondition } from "./custom-resources.ts";

const first = definitionOf({ names: { shortNames: ["wd"] } });
const rivalName = `gadgets.${group}`;

const conflicts: readonly { readonly name: string; readonly rival: Json; readonly reason: string; readonly message: string }[] = [
  {
    name: "a kind",
    rival: definitionOf({ plural: "gadgets", kind: "Widget" }),
    reason: "ListKindConflict",
    message: '"WidgetList" is already in use',
  },
  {
    name: "a kind alone",
    rival: definitionOf({ plural: "gadgets", kind: "Widget", names: { listKind: "Gadgets", singular: "gadget" } }),
    reason: "KindConflict",
    message: '"Widget" is already in use',
  },
  {
    name: "a short name",
    rival: definitionOf({ plural: "gadgets", kind: "Gadget", names: { shortNames: ["wd", "gd"] } }),
    reason: "ShortNamesConflict",
    message: '"wd" is already in use',
  },
  {
    name: "a singular name",
    rival: definitionOf({ plural: "gadgets", kind: "Gadget", names: { singular: "widget" } }),
    reason: "SingularConflict",
    message: '"widget" is already in use',
  },
];
for (const { name, rival, reason, message } of conflicts) {
  test(`${name} that is taken is waited for`, async () => {
    const api = await startApi();
    await define(api, first);
    assert.equal((await api.send("POST", definitions, { body: rival })).status, 201);
    const refused = await untilCondition(api, rivalName, "NamesAccepted", "False");
    assert.deepEqual([refused.reason, refused.message], [reason, message]);
    const waiting = await conditionOf(api, rivalName, "Established");
    assert.deepEqual([waiting.status, waiting.reason, waiting.message], ["False", "NotAccepted", "not all names are accepted"]);
    assert.deepEqual(await served(api), ["widgets"]);
    await api.send("DELETE", definitionPath());
    await untilCondition(api, rivalName, "Established", "True");
    assert.deepEqual(await served(api), ["gadgets"]);
  });
}

test("a name that a definition releases is accepted for a waiting definition", async () => {
  const api = await startApi();
  await define(api, first);
  await api.send("POST", definitions, { body: definitionOf({ plural: "gadgets", kind: "Gadget", names: { shortNames: ["wd"] } }) });
  await untilCondition(api, rivalName, "NamesAccepted", "False");
  await redefine(api, ({ spec }) => {
    delete spec.names.shortNames;
  });
  await untilCondition(api, rivalName, "Established", "True");
  const { resources } = (await api.send("GET", `/apis/${group}/v1`)).body;
  assert.deepEqual(
    resources.map(({ name, shortNames }: Json) => [name, shortNames]),
    [
      ["gadgets", ["wd"]],
      ["widgets", undefined],
    ],
  );
});

test("what is established stays so under its old names when it asks for one that is taken", async () => {
  const api = await startApi();
  await define(api, first);
  await define(api, definitionOf({ plural: "gadgets", kind: "Gadget", names: { shortNames: ["gd"] } }));
  await redefine(
    api,
    ({ spec }) => {
      spec.names.shortNames = ["wd"];
    },
    rivalName,
  );
  await untilCondition(api, rivalName, "NamesAccepted", "False");
  assert.equal((await conditionOf(api, rivalName, "Established")).status, "True");
  const { resources } = (await api.send("GET", `/apis/${group}/v1`)).body;
  assert.deepEqual(resources.find(({ name }: Json) => name === "gadgets").shortNames, ["gd"]);
});

test("new short names and categories are discovered", async () => {
  const api = await startApi();
  await define(api);
  await redefine(api, ({ spec }) => Object.assign(spec.names, { shortNames: ["wd"], categories: ["all", "tools"] }));
  await until(async () => (await api.send("GET", `/apis/${group}/v1`)).body.resources[0].categories !== undefined);
  const [resource] = (await api.send("GET", `/apis/${group}/v1`)).body.resources;
  assert.deepEqual([resource.shortNames, resource.categories], [["wd"], ["all", "tools"]]);
});

test("the same names in another group are other names", async () => {
  const api = await startApi();
  await define(api, first);
  const other = { ...first, metadata: { name: "widgets.example.org" }, spec: { ...first.spec, group: "example.org" } };
  await define(api, other);
  assert.equal((await api.send("GET", "/apis/example.org/v1/widgets")).status, 200);
});

async function served(api: Api): Promise<string[]> {
  const { resources = [] } = (await api.send("GET", `/apis/${group}/v1`)).body ?? {};
  return resources.map(({ name }: Json) => name);
}

test("of many that want the same name at the same time, one gets it", async () => {
  const api = await startApi();
  const rivals = Array.from({ length: 20 }, (_, i) => definitionOf({ plural: `things${i}`, kind: "Thing" }));
  await Promise.all(rivals.map((body) => api.send("POST", definitions, { body })));
  const settled = await Promise.all(
    rivals.map(({ metadata: { name } }) =>
      until(async () => (await conditionOf(api, name, "NamesAccepted")) !== undefined).then(() => conditionOf(api, name, "NamesAccepted")),
    ),
  );
  assert.equal(settled.filter(({ status }) => status === "True").length, 1);
});
