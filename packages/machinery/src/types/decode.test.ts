import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTypes } from "./compile.ts";
import { decodeInto } from "./decode.ts";
import { DecodeReport } from "./decode-report.ts";

const time = "io.k8s.apimachinery.pkg.apis.meta.v1.Time";
const micro = "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime";
const quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const types = compileTypes({
  "x-v1": {
    "io.x.v1.Kind": {
      gvk: [["x", "v1", "Kind"]],
      fields: {
        apiVersion: { type: "string", go: "omit" },
        data: { type: "{string}", go: "omit" },
        spec: { type: "io.x.v1.Spec", go: "omit" },
        status: { type: "io.x.v1.Status", go: "pointer" },
      },
    },
    "io.x.v1.Spec": {
      fields: {
        name: { type: "string" },
        label: { type: "string", go: "omit" },
        title: { type: "string", go: "pointer" },
        count: { type: "integer:int32", go: "omit" },
        limit: { type: "integer:int64", go: "pointer" },
        rules: { type: "[io.x.v1.Rule]" },
        more: { type: "[io.x.v1.Rule]", go: "omit" },
        bytes: { type: "string:byte", go: "omit" },
        at: { type: time, go: "omit" },
        precise: { type: micro, go: "pointer" },
        amounts: { type: `{${quantity}}`, go: "omit" },
        port: { type: "io.k8s.apimachinery.pkg.util.intstr.IntOrString", go: "pointer" },
        raw: { type: "io.k8s.apimachinery.pkg.runtime.RawExtension", go: "pointer" },
        weight: { type: "number:double", go: "pointer" },
      },
    },
    "io.x.v1.Rule": { fields: { verbs: { type: "[string]", go: "omit" }, again: { type: "[io.x.v1.Rule]", go: "omit" } } },
    "io.x.v1.Status": { fields: { ready: { type: "boolean", go: "omit" } } },
  },
});
const kind = types.byKind("x", "v1", "Kind")!;

const decode = (json: string): { object: unknown; problems: readonly string[] } => {
  const object = JSON.parse(json) as Record<string, unknown>;
  const report = new DecodeReport();
  decodeInto(kind, object, report);
  return { object, problems: report.problems };
};
const spec = (json: string): unknown => (decode(`{"spec":${json}}`).object as { spec: unknown }).spec;
const bare = { name: "", rules: null, at: null };

const normal: readonly [name: string, json: string, expect: unknown][] = [
  ["values appear, omitted ones do not", "{}", bare],
  ["null is absence", '{"name":null,"label":null,"title":null,"count":null,"raw":null}', bare],
  ["zeros that may be omitted go", '{"label":"","count":0,"more":[],"amounts":{},"bytes":""}', bare],
  ["zeros behind pointers stay", '{"title":"","limit":0}', { ...bare, title: "", limit: 0 }],
  ["an empty list that is always shown is null", '{"rules":[]}', bare],
  ["null elements are zeros", '{"rules":[null,{"verbs":[null,"a"]}]}', { ...bare, rules: [{}, { verbs: ["", "a"] }] }],
  ["times are UTC in whole seconds", '{"at":"2024-03-01T00:30:00.9+01:00"}', { ...bare, at: "2024-02-29T23:30:00Z" }],
  ["the zero time is null", '{"at":"0001-01-01T00:00:00Z"}', bare],
  ["micro times keep six digits", '{"precise":"2024-01-01T00:00:00.123456+00:00"}', { ...bare, precise: "2024-01-01T00:00:00.123456Z" }],
  ["quantities are canonical", '{"amounts":{"a":0.5,"b":"1024Mi","c":null}}', { ...bare, amounts: { a: "500m", b: "1Gi", c: "0" } }],
  ["base64 is canonical", '{"bytes":"YW\\nJjYR=="}', { ...bare, bytes: "YWJjYQ==" }],
  ["anything goes where anything goes", '{"raw":{"a":[null,{}]},"port":"http"}', { ...bare, raw: { a: [null, {}] }, port: "http" }],
];
for (const [name, json, expect] of normal) test(name, () => assert.deepEqual(spec(json), expect));

const wrong: readonly [json: string, message: string][] = [
  ['{"data":{"k":1}}', "json: cannot unmarshal number into Go struct field Kind.data of type string"],
  ['{"data":[]}', "json: cannot unmarshal array into Go struct field Kind.data of type map[string]string"],
  ['{"spec":"x"}', "json: cannot unmarshal string into Go struct field Kind.spec of type v1.Spec"],
  ['{"spec":{"rules":[{"verbs":[true]}]}}', "json: cannot unmarshal bool into Go struct field Rule.spec.rules.verbs of type string"],
  ['{"spec":{"rules":{}}}', "json: cannot unmarshal object into Go struct field Spec.spec.rules of type []v1.Rule"],
  ['{"spec":{"count":1.5}}', "json: cannot unmarshal number 1.5 into Go struct field Spec.spec.count of type int32"],
  ['{"spec":{"count":2147483648}}', "json: cannot unmarshal number 2147483648 into Go struct field Spec.spec.count of type int32"],
  ['{"spec":{"port":true}}', "json: cannot unmarshal bool into Go struct field Spec.spec.port of type int32"],
  ['{"spec":{"bytes":"YQ="}}', "illegal base64 data at input byte 3"],
  ['{"spec":{"bytes":"Y!=="}}', "illegal base64 data at input byte 1"],
  ['{"spec":{"at":"x"}}', 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
  ['{"spec":{"at":"2023-02-29T00:00:00Z"}}', 'parsing time "2023-02-29T00:00:00Z": day out of range'],
  [
    '{"spec":{"precise":"2024-01-01T00:00:00Z"}}',
    'parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
  ['{"spec":{"amounts":{"a":"1Q"}}}', "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"],
];
for (const [json, message] of wrong) test(`refuses ${json}`, () => assert.throws(() => decode(json), { message }));

test("unknown fields go and are reported with their paths, once", () => {
  const { object, problems } = decode('{"extra":1,"spec":{"Name":"n","rules":[{"x":1},{"again":[{"y":1}]}]},"status":{"constructor":{}}}');
  assert.deepEqual(object, { spec: { ...bare, rules: [{}, { again: [{}] }] }, status: {} });
  assert.deepEqual(problems, [
    'unknown field "extra"',
    'unknown field "spec.Name"',
    'unknown field "spec.rules[0].x"',
    'unknown field "spec.rules[1].again[0].y"',
    'unknown field "status.constructor"',
  ]);
});

test("what is sent empty and read as null is noted, where an absent list would be null too", () => {
  const report = new DecodeReport();
  const object = { spec: { rules: [], more: [], amounts: {} } };
  decodeInto(kind, object, report);
  assert.deepEqual(report.emptied, [{ steps: ["spec", "rules"], empty: "list" }]);
  const absent = new DecodeReport();
  decodeInto(kind, { spec: { rules: null } }, absent);
  assert.deepEqual(absent.emptied, []);
});

test("a key named __proto__ is data in a map and unknown elsewhere", () => {
  const { object, problems } = decode('{"data":{"__proto__":"x","constructor":null},"__proto__":{"polluted":1},"spec":{"__proto__":1}}');
  assert.equal(JSON.stringify((object as { data: unknown }).data), '{"__proto__":"x","constructor":""}');
  assert.deepEqual(problems, ['unknown field "__proto__"', 'unknown field "spec.__proto__"']);
  assert.equal(Object.getPrototypeOf(object), Object.prototype);
  assert.equal(Reflect.get({}, "polluted"), undefined);
});

test("depth is limited", () => {
  const deep = `${'{"again":['.repeat(3000)}${"]}".repeat(3000)}`;
  assert.throws(() => decode(`{"spec":{"more":[${deep}]}}`), { message: "exceeded max depth" });
});

test("exact integers stay exact", () => {
  const object: Record<string, unknown> = { spec: { limit: 9007199254740993n } };
  decodeInto(kind, object, new DecodeReport());
  assert.deepEqual(object.spec, { ...bare, limit: 9007199254740993n });
  assert.throws(() => decodeInto(kind, { spec: { limit: 2n ** 63n } }, new DecodeReport()), /number 9223372036854775808 into/);
});
