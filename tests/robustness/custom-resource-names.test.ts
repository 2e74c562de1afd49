/** Names that mean something to JavaScript or to the server, wherever a definition lets its author choose one. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { type Answer, type Api, startApi } from "../integration/api.ts";
import { definition, fields, spec } from "./hostile-definitions.ts";

const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const things = "/apis/hostile.example.com/v1/namespaces/default/things";
const hostile = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "valueOf", "__defineGetter__"];
const text = { type: "string" };

let api: Api;
before(async () => {
  api = await startApi();
});

/** A JSON object with the hostile names as keys: a literal would set the prototype. */
const keyed = (value: unknown): Record<string, unknown> =>
  JSON.parse(`{${hostile.map((name) => `"${name}":${JSON.stringify(value)}`).join()}}`);
const spelled = JSON.stringify(keyed("x"));
const object = (name: string, value: string): string =>
  `{"apiVersion":"hostile.example.com/v1","kind":"Things","metadata":{"name":"${name}"},"spec":${value}}`;

function assertClean(): void {
  assert.equal(({} as { x?: unknown }).x, undefined);
  assert.deepEqual(Object.keys(Object.prototype), []);
}

async function serve(schema: Readonly<Record<string, unknown>>, version: object = {}): Promise<void> {
  await api.send("DELETE", `${crds}/things.hostile.example.com`);
  for (let i = 0; i < 50 && (await api.send("GET", `${crds}/things.hostile.example.com`)).status !== 404; i++) await turn();
  const answer = await api.send("POST", crds, { body: definition({ schema, version }) });
  assert.equal(answer.status, 201, answer.text);
  for (let i = 0; i < 50 && (await api.send("GET", things)).status !== 200; i++) await turn();
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const create = (name: string, value: string): Promise<Answer> => api.send("POST", things, { body: object(name, value) });
/** The object's own text: reading it would be another test. */
const specOf = ({ text: answer }: Answer): string => /"spec":(\{.*\})\}\n?$/s.exec(answer)?.[1] ?? answer;

describe("as fields", () => {
  test("that are declared: they stay, and others go", async () => {
    await serve(spec(fields(keyed(text))));
    const made = await create("declared", spelled);
    assert.equal(made.status, 201, made.text);
    for (const name of hostile) assert.ok(specOf(made).includes(`"${name}":"x"`), name);
    assert.equal((await create("wrong", JSON.stringify(keyed(1)))).body.details.causes.length, hostile.length);
    assertClean();
  });

  test("that are not declared: they go", async () => {
    await serve(spec(fields({ a: text })));
    assert.deepEqual((await create("unknown", spelled)).body.spec, {});
    const strict = await api.send("POST", `${things}?fieldValidation=Strict`, { body: object("strict", spelled) });
    for (const name of hostile) assert.ok(strict.body.message.includes(`unknown field "spec.${name}"`), name);
  });

  test("with defaults: they are filled in", async () => {
    await serve(spec(fields(keyed({ ...text, default: "d" }))));
    const made = specOf(await create("defaulted", "{}"));
    for (const name of hostile) assert.ok(made.includes(`"${name}":"d"`), name);
    assertClean();
  });

  test("inside of defaults: they are copied", async () => {
    await serve(spec({ ...fields({ map: { type: "object", additionalProperties: text, default: keyed("d") } }) }));
    const made = specOf(await create("copied", "{}"));
    for (const name of hostile) assert.ok(made.includes(`"${name}":"d"`), name);
    assertClean();
  });

  test("of a map: they are data", async () => {
    await serve(spec({ type: "object", additionalProperties: text }));
    const made = specOf(await create("map", spelled));
    for (const name of hostile) assert.ok(made.includes(`"${name}":"x"`), name);
    assert.equal((await create("wrongmap", JSON.stringify(keyed(1)))).body.details.causes.length, hostile.length);
  });

  test("that are required: what every object inherits does not count", async () => {
    await serve(spec({ ...fields(keyed(text)), required: hostile }));
    assert.equal((await create("missing", "{}")).body.details.causes.length, hostile.length);
    assert.equal((await create("there", spelled)).status, 201);
  });

  test("of an apply: they are managed, and go when they are no longer applied", async () => {
    await serve(spec(fields({ ...keyed(text), other: text })));
    const apply = (value: string) =>
      api.send("PATCH", `${things}/applied?fieldManager=m`, { type: "application/apply-patch+yaml", body: object("applied", value) });
    const first = await apply(spelled);
    assert.equal(first.status, 201, first.text);
    for (const name of hostile) assert.ok(first.text.includes(`"f:${name}"`), name);
    const second = await apply('{"other":"x"}');
    assert.equal(second.status, 200, second.text);
    for (const name of hostile) assert.ok(!second.text.includes(`"${name}"`), name);
    assertClean();
  });
});

describe("as keys of lists, columns and paths", () => {
  for (const name of hostile)
    test(name, async () => {
      const item = { ...fields(JSON.parse(`{"${name}":{"type":"string"}}`)), required: [name] };
      const list = { type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [name] };
      const number = { type: "integer" };
      const schema = fields({
        spec: fields(JSON.parse(`{"${name}":{"type":"string"},"list":${JSON.stringify(list)}}`)),
        status: fields({ n: number }),
      });
      await serve(schema, {
        additionalPrinterColumns: [{ name, type: "string", jsonPath: `.spec.${name}` }],
        selectableFields: [{ jsonPath: `.spec.${name}` }],
        subresources: { status: {}, scale: { specReplicasPath: `.spec.${name}`, statusReplicasPath: ".status.n" } },
      });
      const made = await create("a", `{"list":[{"${name}":"k"}],"n":1}`);
      assert.equal(made.status, 201, made.text);
      assert.equal((await create("twice", `{"list":[{"${name}":"k"},{"${name}":"k"}]}`)).status, 422);
      assert.equal((await create("none", `{"list":[{}]}`)).status, 422);
      const table = await api.send("GET", things, { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" });
      assert.equal(table.body.columnDefinitions[1].name, name);
      assert.deepEqual(table.body.rows[0].cells, ["a", null]);
      const selected = (value: string) => api.send("GET", `${things}?fieldSelector=${encodeURIComponent(`spec.${name}=${value}`)}`);
      assert.equal((await selected("x")).body.items.length, 0);
      assert.equal((await selected("")).body.items.length, 1);
      const scale = await api.send("GET", `${things}/a/scale`);
      assert.ok(scale.body.message.endsWith(`the spec replicas field ".spec.${name}" does not exist`), scale.text);
      assertClean();
    });
});

describe("as names of the definition itself", () => {
  const invalid = ["__proto__", "toString", "hasOwnProperty", "__defineGetter__"];
  for (const plural of ["constructor", "prototype", "__proto__", "tostring", "status", "scale", "watch", "proxy", "namespaces", "v1"])
    test(`plural ${plural}`, async () => {
      const expect = invalid.includes(plural) ? 422 : 201;
      assert.equal(
        (await api.send("POST", crds, { body: definition({ plural, names: { kind: "Odd", listKind: `Odd${plural.length}List` } }) }))
          .status,
        expect,
      );
      await turn();
      assert.equal((await api.send("GET", "/apis")).status, 200);
      assert.equal((await api.send("GET", "/openapi/v3")).status, 200);
      await api.send("DELETE", `${crds}/${plural}.hostile.example.com`);
    });

  const groups = [
    { group: "constructor.prototype", status: 201 },
    { group: "__proto__.example.com", status: 422 },
    { group: "constructor", status: 422 },
    { group: "apps", status: 422 },
    { group: "apiregistration.k8s.io", status: 422 },
    { group: "apiextensions.k8s.io", status: 422 },
    { group: `${"a".repeat(63)}.example.com`, status: 201 },
    { group: "../../registry/secrets.x", status: 422 },
    { group: "x%2f..%2fsecrets.com", status: 422 },
  ];
  for (const { group, status } of groups)
    test(`group ${group}`, async () => {
      const answer = await api.send("POST", crds, { body: definition({ group }) });
      assert.equal(answer.status, status, answer.text);
    });

  const builtIn = [
    { plural: "customresourcedefinitions", group: "apiextensions.k8s.io" },
    { plural: "apiservices", group: "apiregistration.k8s.io" },
    { plural: "leases", group: "coordination.k8s.io" },
  ];
  for (const { plural, group } of builtIn)
    for (const version of ["v1", "v2"])
      test(`the name of what is built in, ${plural} ${version}: takes nothing from it, and nothing with it`, async () => {
        const own = `/apis/${group}/v1/${plural}`;
        const read = async () => ({
          list: (await api.send("GET", own)).body.items,
          resources: (await api.send("GET", `/apis/${group}/v1`)).text,
        });
        await api.send("POST", own, { body: { metadata: { name: "mine", namespace: "default" } } });
        const before = await read();
        const body = definition({ plural, group, version: { name: version } }).replace(
          '"metadata":{',
          '"metadata":{"annotations":{"api-approved.kubernetes.io":"unapproved, a test"},',
        );
        assert.equal((await api.send("POST", crds, { body })).status, 201);
        for (let i = 0; i < 20; i++) await turn();
        const during = await read();
        assert.equal(during.resources, before.resources);
        assert.equal(during.list.length, before.list.length + (plural === "customresourcedefinitions" ? 1 : 0));
        assert.equal((await api.send("DELETE", `${crds}/${plural}.${group}`)).status, 200);
        for (let i = 0; i < 20; i++) await turn();
        assert.deepEqual(await read(), before);
      });
});

describe("as conversion webhooks", () => {
  const urls = [
    "",
    "http://example.com",
    "https://",
    "https://user:pass@example.com",
    "https://example.com?x=1",
    "https://example.com#x",
    "file:///etc/passwd",
    "javascript:alert(1)",
    `https://${"a".repeat(100_000)}`,
    "https://[::1",
    "\u0000",
  ];
  for (const url of urls)
    test(`url ${JSON.stringify(url.slice(0, 40))}`, async () => {
      const conversion = { strategy: "Webhook", webhook: { clientConfig: { url }, conversionReviewVersions: ["v1"] } };
      const answer = await api.send("POST", `${crds}?dryRun=All`, { body: definition({ plural: "converted", spec: { conversion } }) });
      assert.equal(answer.status, url.startsWith("https://aaaa") ? 201 : 422, answer.text.slice(0, 300));
    });
});
