/** The three kinds of patches. An input is a document and a patch, as a list of two in JSON. */
import assert from "node:assert/strict";
import { builtinTypes } from "@coxswain/api";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicMergePatch,
  deepEqual,
  isBadRequest,
  StatusError,
  stringifyJson,
} from "@coxswain/machinery";
import { type Grammar, textFrom } from "../harness/grammar.ts";
import { type FuzzTarget, unlessRefused } from "../harness/target.ts";

type JsonObject = Record<string, unknown>;

const operations: Grammar = {
  pair: ["[<document>,[<operations>]]"],
  document: ['{"a":{"b":[1,2,{"c":null}]},"d":"x","~/":1,"":{"":0}}', '{"a":[[],[0],{}],"b":{"c":{"d":{}}}}', "[1,[2],{}]"],
  operations: ["<operation>", "<operation>,<operations>"],
  operation: [
    '{"op":"test","path":"<path>","value":<value>}',
    '{"op":"add","path":"<path>","value":<value>}',
    '{"op":"remove","path":"<path>"}',
    '{"op":"replace","path":"<path>","value":<value>}',
    '{"op":"copy","from":"<path>","path":"<path>"}',
    '{"op":"move","from":"<path>","path":"<path>"}',
  ],
  path: ["/a", "", "/<token>", "/<token><path>"],
  token: ["a", "b", "c", "d", "0", "1", "-", "-1", "01", "~0~1", "", "__proto__", "2"],
  value: ["1", "null", '"x"', '{"a":[]}', "[{}]", '{"__proto__":{"x":1}}'],
};

const merges: Grammar = {
  pair: ["[<object>,<object>]"],
  object: ["{<members>}"],
  members: ['"a":<value>', '"<key>":<value>,<members>', ""],
  key: ["a", "b", "c", "__proto__", "constructor", ""],
  value: ["1", "null", "{<members>}", "[<items>]", '"x"'],
  items: ["1", "<value>,<items>", ""],
};

export const jsonPatch: FuzzTarget = {
  name: "json-patch",
  modules: ["machinery/src/patch/json-patch", "machinery/src/patch/depth"],
  dictionary: [
    '"op"',
    '"path"',
    '"from"',
    '"value"',
    "add",
    "remove",
    "replace",
    "move",
    "copy",
    "test",
    "/",
    "~0",
    "~1",
    "-",
    "/0",
    "/-1",
    "null",
  ],
  seeds: [
    '[{"a":{"b":[1,2]}},[{"op":"add","path":"/a/b/-","value":{"c":1}},{"op":"move","from":"/a/b/0","path":"/d"}]]',
    '[{"a":1},[{"op":"test","path":"/a","value":1},{"op":"remove","path":"/a"}]]',
  ],
  generate: (random) => textFrom(operations, "pair", random),
  judge(input) {
    const pair = pairOf(input);
    if (pair === undefined) return false;
    const before = stringifyJson(pair);
    const patched = unlessRefused(() => ({ doc: applyJsonPatch(...pair) }), isRefusal);
    assert.equal(stringifyJson(pair), before, "changes its arguments");
    if (patched === undefined) return false;
    assert.ok((stringifyJson(patched.doc) ?? "").length < before.length + 4 * 1024 * 1024, "a bomb");
    return true;
  },
};

export const mergePatch: FuzzTarget = {
  name: "merge-patch",
  modules: ["machinery/src/patch/merge-patch", "machinery/src/patch/depth"],
  dictionary: ["null", "{}", "[]", '"a":', '"__proto__":', "{", "}", ","],
  seeds: ['[{"a":{"b":1,"c":[1]}},{"a":{"b":null,"c":[2],"d":{"e":null}}}]', '[{},{"a":{"b":{"c":null}}}]'],
  generate: (random) => textFrom(merges, "pair", random),
  judge(input) {
    const pair = pairOf(input);
    if (pair === undefined || !isObject(pair[0])) return false;
    const [doc, patch] = pair;
    const before = stringifyJson(pair);
    const patched = unlessRefused(() => applyMergePatch(doc as JsonObject, patch), isRefusal);
    assert.equal(stringifyJson(pair), before, "changes its arguments");
    if (patched === undefined) return false;
    assert.ok(deepEqual(patched, merged(doc, patch)), "differs from RFC 7386");
    return true;
  },
};

/** RFC 7386, word for word, but that objects in lists lose their nulls where something else than an object was. */
function merged(target: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) return isObject(target) ? patch : patch.map((item) => (item === null ? null : merged(undefined, item)));
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else result.set(key, merged(result.get(key), value));
  }
  return Object.fromEntries(result);
}

const podType = builtinTypes.byKind("", "v1", "Pod");

const pods: Grammar = {
  pair: ["[<pod>,<patch>]"],
  pod: ['{"metadata":{"name":"a","labels":{<labels>}},"spec":{"containers":[<containers>]}}'],
  patch: ["{<patch-members>}"],
  "patch-members": [
    '"spec":{"containers":[<containers>]}',
    '"spec":{<spec>}',
    '"metadata":{"labels":{<labels>}}',
    '"metadata":{<metadata>}',
  ],
  spec: [
    '"containers":[<containers>]',
    '"$setElementOrder/containers":[<names>],"containers":[<containers>]',
    '"$retainKeys":["nodeName"],"nodeName":"n"',
    '"tolerations":[{"key":"a"}]',
    '"volumes":[{"$patch":"delete","name":"a"}]',
  ],
  metadata: [
    '"finalizers":["a"]',
    '"$deleteFromPrimitiveList/finalizers":["a"]',
    '"$setElementOrder/finalizers":["b","a"],"finalizers":["b"]',
    '"labels":null',
  ],
  labels: ['"a":"b"', '"a":null', '"$patch":"replace"', "", '"a":"c",<labels>'],
  containers: ["<container>", "<container>,<containers>", ""],
  container: [
    '{"name":"<name>","image":"x"}',
    '{"name":"<name>","$patch":"delete"}',
    '{"$patch":"replace"}',
    '{"name":"<name>","ports":[{"containerPort":1},{"containerPort":1,"protocol":"UDP"}]}',
    '{"image":"y"}',
    '{"name":"<name>","env":[{"name":"<name>","value":"1"}]}',
  ],
  names: ['{"name":"a"}', '{"name":"<name>"},<names>', ""],
  name: ["a", "b", "c"],
};

export const strategicPatch: FuzzTarget = {
  name: "strategic-merge-patch",
  modules: ["machinery/src/patch/strategic", "machinery/src/patch/depth"],
  dictionary: [
    '"$patch"',
    '"replace"',
    '"delete"',
    '"merge"',
    '"$setElementOrder/',
    '"$deleteFromPrimitiveList/',
    '"$retainKeys"',
    '"name":"a"',
    "null",
    "{}",
    "[]",
    '"spec":',
  ],
  seeds: [
    '[{"spec":{"containers":[{"name":"a","image":"x"}]}},{"spec":{"containers":[{"name":"a","image":"y"},{"name":"b"}]}}]',
    '[{"metadata":{"finalizers":["a","b"]}},{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}}]',
  ],
  generate: (random) => textFrom(pods, "pair", random),
  judge(input) {
    const pair = pairOf(input);
    if (pair === undefined || !isObject(pair[0]) || podType === undefined) return false;
    const [doc, patch] = pair;
    const before = stringifyJson(pair);
    const patched = unlessRefused(() => applyStrategicMergePatch(doc as JsonObject, patch, podType), isStrategicRefusal);
    assert.equal(stringifyJson(pair), before, "changes its arguments");
    return patched !== undefined;
  },
};

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value);

/** Kubernetes answers 500 too where a strategic merge patch meets an object of another shape. */
const isStrategicRefusal = (error: unknown): boolean => error instanceof StatusError;

const isRefusal = (error: unknown): boolean => isBadRequest(error) || (error instanceof StatusError && error.code < 500);

function pairOf(input: string): [unknown, unknown] | undefined {
  try {
    const pair: unknown = JSON.parse(input);
    return Array.isArray(pair) && pair.length === 2 ? [pair[0], pair[1]] : undefined;
  } catch {
    return undefined;
  }
}
