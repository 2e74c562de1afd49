import assert from "node:assert/strict";
import { test } from "node:test";
import { deepEqual } from "../values/equal.ts";
import { applyStrategicMergePatch } from "./strategic.ts";
import { frozen, podType } from "./strategic-fixture.test.ts";

/** Results of k8s.io/apimachinery 0.36.3. */
const applied: readonly [name: string, doc: string, patch: string, result: string][] = [
  [
    "merges by key, new items first",
    '{"spec":{"containers":[{"name":"a","image":"1"}]}}',
    '{"spec":{"containers":[{"name":"b"},{"name":"a","args":["x"]}]}}',
    '{"spec":{"containers":[{"name":"b"},{"args":["x"],"image":"1","name":"a"}]}}',
  ],
  [
    "items of the patch take the patch's order",
    '{"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}}',
    '{"spec":{"containers":[{"name":"c"},{"name":"a"}]}}',
    '{"spec":{"containers":[{"name":"b"},{"name":"c"},{"name":"a"}]}}',
  ],
  [
    "a new item comes as early as it can",
    '{"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"c"}]}}',
    '{"spec":{"containers":[{"name":"b"},{"name":"d"}]}}',
    '{"spec":{"containers":[{"name":"a"},{"name":"b"},{"name":"d"},{"name":"c"}]}}',
  ],
  [
    "orders as asked",
    '{"spec":{"containers":[{"name":"c"},{"name":"side"}]}}',
    '{"spec":{"$setElementOrder/containers":[{"name":"side"},{"name":"c"}],"containers":[{"name":"side","image":"1"}]}}',
    '{"spec":{"containers":[{"image":"1","name":"side"},{"name":"c"}]}}',
  ],
  [
    "items that only the server knows keep their places",
    '{"spec":{"containers":[{"name":"a"},{"name":"s"},{"name":"b"},{"name":"t"}]}}',
    '{"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}}',
    '{"spec":{"containers":[{"name":"s"},{"name":"b"},{"name":"a"},{"name":"t"}]}}',
  ],
  [
    "deletes by key",
    '{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}',
    '{"spec":{"containers":[{"name":"a","$patch":"delete"}]}}',
    '{"spec":{"containers":[{"name":"b"}]}}',
  ],
  [
    "a new item takes the place that a deletion frees",
    '{"spec":{"containers":[{"name":"a"},{"name":"s"}]}}',
    '{"spec":{"$setElementOrder/containers":[{"name":"a"},{"name":"n"}],"containers":[{"name":"a","$patch":"delete"},{"name":"n"}]}}',
    '{"spec":{"containers":[{"name":"s"},{"name":"n"}]}}',
  ],
  [
    "$patch: replace in a list drops the original",
    '{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}',
    '{"spec":{"containers":[{"name":"c"},{"$patch":"replace"}]}}',
    '{"spec":{"containers":[{"name":"c"}]}}',
  ],
  [
    "$patch: replace in an object drops the original",
    '{"spec":{"nodeSelector":{"a":"1"},"securityContext":{"runAsUser":1}}}',
    '{"spec":{"securityContext":{"$patch":"replace","runAsGroup":2}}}',
    '{"spec":{"nodeSelector":{"a":"1"},"securityContext":{"runAsGroup":2}}}',
  ],
  [
    "$patch: delete empties an object",
    '{"spec":{"securityContext":{"runAsUser":1}}}',
    '{"spec":{"securityContext":{"$patch":"delete"}}}',
    '{"spec":{"securityContext":{}}}',
  ],
  ["$patch alone at the top", '{"spec":{"nodeName":"a"}}', '{"$patch":"delete"}', "{}"],
  [
    "an object with $patch vanishes where there is none",
    '{"spec":{"nodeName":"a"}}',
    '{"spec":{"securityContext":{"$patch":"replace","runAsUser":1}}}',
    '{"spec":{"nodeName":"a"}}',
  ],
  [
    "nulls and elements with directives vanish from what is new",
    '{"spec":{}}',
    '{"spec":{"nodeName":null,"containers":[{"name":"a","image":null,"env":[{"name":"x","$patch":"delete"}]},{"name":"b","$patch":"delete"}]}}',
    '{"spec":{"containers":[{"env":[],"name":"a"}]}}',
  ],
  [
    "but not from new items of a list that is there",
    '{"spec":{"containers":[{"name":"a"}]}}',
    '{"spec":{"containers":[{"name":"b","image":null,"env":[{"name":"x","$patch":"delete"}]}]}}',
    '{"spec":{"containers":[{"env":[{"$patch":"delete","name":"x"}],"image":null,"name":"b"},{"name":"a"}]}}',
  ],
  [
    "null deletes",
    '{"spec":{"nodeName":"a","containers":[{"name":"a"}]}}',
    '{"spec":{"nodeName":null,"containers":[{"name":"a","image":null}]}}',
    '{"spec":{"containers":[{"name":"a"}]}}',
  ],
  [
    "merges nested lists",
    '{"spec":{"containers":[{"name":"a","env":[{"name":"X","value":"1"}]}]}}',
    '{"spec":{"containers":[{"name":"a","env":[{"name":"Y","value":"2"},{"name":"X","value":null}]}]}}',
    '{"spec":{"containers":[{"env":[{"name":"Y","value":"2"},{"name":"X"}],"name":"a"}]}}',
  ],
  [
    "lists without a strategy are replaced",
    '{"spec":{"tolerations":[{"key":"a"}]}}',
    '{"spec":{"tolerations":[{"key":"b"}]}}',
    '{"spec":{"tolerations":[{"key":"b"}]}}',
  ],
  [
    "lists of text too",
    '{"spec":{"containers":[{"name":"a","args":["x","y"]}]}}',
    '{"spec":{"containers":[{"name":"a","args":["z"]}]}}',
    '{"spec":{"containers":[{"args":["z"],"name":"a"}]}}',
  ],
  [
    "maps merge",
    '{"metadata":{"labels":{"a":"1","b":"2"}}}',
    '{"metadata":{"labels":{"b":null,"c":"3"}}}',
    '{"metadata":{"labels":{"a":"1","c":"3"}}}',
  ],
  [
    "primitive lists merge",
    '{"metadata":{"finalizers":["a","b"]}}',
    '{"metadata":{"finalizers":["b","c"]}}',
    '{"metadata":{"finalizers":["a","b","c"]}}',
  ],
  [
    "$deleteFromPrimitiveList removes",
    '{"metadata":{"finalizers":["a","b"]}}',
    '{"metadata":{"$deleteFromPrimitiveList/finalizers":["a","x"]}}',
    '{"metadata":{"finalizers":["b"]}}',
  ],
  [
    "and does nothing without a list",
    '{"metadata":{"labels":{}}}',
    '{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}}',
    '{"metadata":{"labels":{}}}',
  ],
  [
    "$setElementOrder orders primitive lists",
    '{"metadata":{"finalizers":["a","s","b"]}}',
    '{"metadata":{"$setElementOrder/finalizers":["b","n","a"],"finalizers":["n"],"$deleteFromPrimitiveList/finalizers":["a"]}}',
    '{"metadata":{"finalizers":["s","b","n"]}}',
  ],
  ["$setElementOrder of no list does nothing", '{"metadata":{}}', '{"metadata":{"$setElementOrder/finalizers":["b"]}}', '{"metadata":{}}'],
  [
    "$retainKeys clears what it does not name",
    '{"spec":{"volumes":[{"name":"v","emptyDir":{}}]}}',
    '{"spec":{"volumes":[{"name":"v","$retainKeys":["name","secret"],"secret":{"secretName":"s"}}]}}',
    '{"spec":{"volumes":[{"name":"v","secret":{"secretName":"s"}}]}}',
  ],
  [
    "constructor and __proto__ are keys",
    '{"metadata":{"labels":{"constructor":"1"}}}',
    '{"metadata":{"labels":{"__proto__":"2","toString":"3"}}}',
    '{"metadata":{"labels":{"__proto__":"2","constructor":"1","toString":"3"}}}',
  ],
  [
    "a value of another kind replaces",
    '{"spec":{"securityContext":{"runAsUser":1}}}',
    '{"spec":{"securityContext":[1]}}',
    '{"spec":{"securityContext":[1]}}',
  ],
  [
    "a field with the strategy replace is replaced",
    '{"spec":{"selector":{"matchLabels":{"a":"1"}}}}',
    '{"spec":{"selector":{"b":null}}}',
    '{"spec":{"selector":{"b":null}}}',
  ],
  [
    "what the schema does not know merges, its lists are replaced",
    '{"x":{"a":1,"l":[{"name":"a"}]}}',
    '{"x":{"b":2,"l":[{"name":"b"}]}}',
    '{"x":{"a":1,"b":2,"l":[{"name":"b"}]}}',
  ],
];
for (const [name, doc, patch, result] of applied)
  test(name, () => {
    const patched = applyStrategicMergePatch(frozen(JSON.parse(doc)), frozen(JSON.parse(patch)), podType);
    assert.ok(deepEqual(patched, JSON.parse(result)), JSON.stringify(patched));
  });

test("null changes nothing", () => assert.deepEqual(applyStrategicMergePatch({ a: 1 }, null, podType), { a: 1 }));

test("shares what it does not touch", () => {
  const before = frozen({ metadata: { labels: { a: "1" } }, spec: { containers: [{ name: "a" }, { name: "b" }] } });
  const after = applyStrategicMergePatch(before, { spec: { containers: [{ name: "b", image: "1" }] } }, podType) as typeof before;
  assert.equal(after.metadata, before.metadata);
  assert.equal(after.spec.containers[0], before.spec.containers[0]);
});
