import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTypes } from "./compile.ts";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const json = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";
const types = compileTypes({
  "core-v1": {
    "io.k8s.api.core.v1.Thing": {
      gvk: [["", "v1", "Thing"]],
      fields: {
        metadata: { type: `${meta}.ObjectMeta`, go: "omit", proto: 1, protoType: "ObjectMeta" },
        at: { type: `${meta}.Time`, go: "omit" },
        labels: { type: "{string}", go: "omit", mapType: "atomic" },
        parts: {
          type: "[string]",
          patchStrategy: "merge,retainKeys",
          patchMergeKey: "name",
          listType: "map",
          listMapKeys: ["name"],
          proto: [2, 3],
        },
        apiGroup: { type: "string", go: "pointer" },
      },
    },
    "io.k8s.api.core.v1.TypedLocalObjectReference": { mapType: "atomic", fields: { apiGroup: { type: "string", go: "pointer" } } },
  },
  "meta-v1": {
    [`${meta}.ObjectMeta`]: { fields: { creationTimestamp: { type: `${meta}.Time`, go: "omit" }, name: { type: "string", go: "omit" } } },
    [`${meta}.DeleteOptions`]: { gvk: [["", "v1", "DeleteOptions"]], fields: {} },
    [`${meta}.Time`]: { type: "string:date-time" },
    [`${json}.JSONSchemaProps`]: {
      fields: { items: { type: `${json}.JSONSchemaPropsOrArray`, go: "pointer" }, not: { type: `${json}.JSONSchemaProps`, go: "pointer" } },
    },
    [`${json}.JSONSchemaPropsOrArray`]: { type: "any" },
  },
});
const thing = types.byKind("", "v1", "Thing")!;
const field = (name: string) => thing.fields.get(name)!;

test("kinds are found by group, version and kind, options in every group", () => {
  assert.equal(thing.shortName, "Thing");
  assert.equal(types.byKind("apps", "v1", "Thing"), undefined);
  assert.equal(types.byKind("apps", "v1", "DeleteOptions")?.shortName, "DeleteOptions");
  assert.equal(types.byKind("apps", "v1", "ObjectMeta"), undefined);
});

test("scalars are no structs", () => {
  assert.equal(types.get(`${meta}.Time`), undefined);
  assert.equal(types.get(`${json}.JSONSchemaPropsOrArray`), undefined);
  assert.equal(types.get("io.k8s.api.core.v1.Absent"), undefined);
});

test("to Go, omitempty means nothing for structs, and times are structs", () => {
  assert.deepEqual(
    ["metadata", "at", "labels", "parts", "apiGroup"].map((name) => field(name).presence),
    ["value", "value", "omit", "value", "pointer"],
  );
  assert.equal(types.get(`${meta}.ObjectMeta`)?.fields.get("creationTimestamp")?.presence, "omit");
});

test("some pointers show as null", () => {
  assert.equal(types.get("io.k8s.api.core.v1.TypedLocalObjectReference")?.fields.get("apiGroup")?.showsNull, true);
  assert.equal(field("apiGroup").showsNull, undefined);
});

test("merging and protobuf follow the facts", () => {
  assert.deepEqual(field("parts").patch, { merge: true, replace: false, retainKeys: true, mergeKey: "name" });
  assert.deepEqual(field("parts").list, { type: "map", keys: ["name"] });
  assert.deepEqual(field("parts").proto, [2, 3]);
  assert.equal(field("labels").mapType, "atomic");
  assert.equal(types.get("io.k8s.api.core.v1.TypedLocalObjectReference")?.atomic, true);
});

test("types may contain themselves, also in unions", () => {
  const props = types.get(`${json}.JSONSchemaProps`)!;
  assert.equal(props.fields.get("not")?.type, props);
  assert.deepEqual(props.fields.get("items")?.type, { kind: "scalar", scalar: "any", holds: props });
});

test("fields know what server-side apply asks for: defaults, how structs merge, and what is owned whole", () => {
  const set = compileTypes({
    x: {
      "x.Ref": { mapType: "atomic", fields: { name: { type: "string" } } },
      "x.Holder": {
        fields: {
          protocol: { type: "string", default: "TCP" },
          ref: { type: "x.Ref" },
          claim: { type: "x.Ref", mapType: "granular" },
          raw: { type: "io.k8s.apimachinery.pkg.runtime.RawExtension" },
          json: { type: `${json}.JSON` },
        },
      },
    },
  });
  const fields = set.get("x.Holder")!.fields;
  assert.equal(fields.get("protocol")?.default, "TCP");
  assert.deepEqual([fields.get("ref")?.mapType, fields.get("claim")?.mapType], ["atomic", "granular"]);
  assert.deepEqual(fields.get("raw")?.type, { kind: "scalar", scalar: "any", atomic: true });
  assert.deepEqual(fields.get("json")?.type, { kind: "scalar", scalar: "any" });
});
