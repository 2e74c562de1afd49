import assert from "node:assert/strict";
import { test } from "node:test";
import { parseJson } from "../json/json.ts";
import { compileTypes } from "./compile.ts";
import { decodeInto } from "./decode.ts";
import { DecodeReport } from "./decode-report.ts";

const quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const types = compileTypes({
  "x-v1": {
    "io.x.v1.Kind": {
      gvk: [["x", "v1", "Kind"]],
      fields: {
        name: { type: "string", go: "omit" },
        count: { type: "integer:int32", go: "omit" },
        limit: { type: "integer:int64", go: "pointer" },
        amounts: { type: `{${quantity}}`, go: "omit" },
        port: { type: "io.k8s.apimachinery.pkg.util.intstr.IntOrString", go: "pointer" },
        raw: { type: "io.k8s.apimachinery.pkg.runtime.RawExtension", go: "pointer" },
        weight: { type: "number:double", go: "pointer" },
        on: { type: "boolean", go: "omit" },
        parts: { type: "[io.x.v1.Part]", go: "omit" },
      },
    },
    "io.x.v1.Part": { fields: { sizes: { type: "[integer:int32]", go: "omit" } } },
  },
});
const kind = types.byKind("x", "v1", "Kind")!;

/** As a body of the kind is read. */
function decode(json: string): unknown {
  const report = new DecodeReport();
  const object = parseJson(json, { report, type: kind }) as Record<string, unknown>;
  decodeInto(kind, object, report);
  return object;
}

const taken: readonly [json: string, expect: object][] = [
  ['{"weight":1.0,"on":true}', { weight: 1, on: true }],
  ['{"weight":1e3}', { weight: 1000 }],
  ['{"amounts":{"a":1.0,"b":1e3,"c":1.50,"d":1E3}}', { amounts: { a: "1", b: "1e3", c: "1500m", d: "1E3" } }],
  ['{"amounts":{"a":9223372036854775808}}', { amounts: { a: "9223372036854775808" } }],
  ['{"raw":{"a":[1.0,{"b":1e3}]}}', { raw: { a: [1, { b: 1000 }] } }],
  ['{"limit":9223372036854775807,"count":-0,"raw":{"a":1.5}}', { limit: 9223372036854775807n, raw: { a: 1.5 } }],
  ['{"name":"1.0","unknown":1.0}', { name: "1.0" }],
];
for (const [json, expect] of taken) test(`${json} is taken`, () => assert.deepEqual(decode(json), expect));

const refused: readonly [json: string, message: string][] = [
  ...["1.0", "0.0", "-0.0", "1e3", "1E0", "1.5", "1e400", "9223372036854775808", "123456789012345678901234567890"].flatMap(
    (number): [string, string][] => [
      [`{"count":${number}}`, `number ${number} into Go struct field Kind.count of type int32`],
      [`{"limit":${number}}`, `number ${number} into Go struct field Kind.limit of type int64`],
      [`{"port":${number}}`, `number ${number} into Go struct field Kind.port of type int32`],
    ],
  ),
  ['{"parts":[{"sizes":[1,2.0]}]}', "number 2.0 into Go struct field Part.parts.sizes of type int32"],
  ['{"weight":1e400}', "number 1e400 into Go struct field Kind.weight of type float64"],
  ['{"name":1.0}', "number into Go struct field Kind.name of type string"],
  ['{"on":1e3}', "number into Go struct field Kind.on of type bool"],
  ['{"parts":1.0}', "number into Go struct field Kind.parts of type []v1.Part"],
  ['{"parts":[1.0]}', "number into Go struct field Kind.parts of type v1.Part"],
  ['{"count":{"a":1},"count":1.0}', "number 1.0 into Go struct field Kind.count of type int32"],
];
for (const [json, message] of refused)
  test(`${json} is refused`, () => assert.throws(() => decode(json), { message: `json: cannot unmarshal ${message}` }));
