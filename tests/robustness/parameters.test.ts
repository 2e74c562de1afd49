/** Query parameters out of range, out of shape or out of their mind. */
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { type Api, startApi } from "../integration/api.ts";
import { configMap, configMaps } from "./target.ts";

const count = 5;
let api: Api;
before(async () => {
  api = await startApi();
  for (let i = 0; i < count; i++) await api.send("POST", configMaps, { body: configMap(`cm-${i}`) });
});

/** How many items come, or which error. */
const lists: readonly { readonly query: string; readonly expect: number }[] = [
  { query: "limit=-1", expect: count },
  { query: "limit=-9223372036854775808", expect: count },
  { query: "limit=9223372036854775807", expect: count },
  { query: "limit=", expect: count },
  { query: "limit=2&limit=x", expect: 2 },
  { query: "timeoutSeconds=-1", expect: count },
  { query: "timeoutSeconds=9223372036854775807", expect: count },
  { query: "resourceVersion=01", expect: count },
  { query: "resourceVersion=1&resourceVersion=x", expect: count },
  { query: "includeObject=nonsense&watch=false&watch=true", expect: count },
  { query: "%&%zz=%E0%A4%A&&&=&==&a[b]=c", expect: count },
  { query: `labelSelector=${encodeURIComponent("!a,".repeat(10_000))}!b`, expect: count },
  { query: `labelSelector=${encodeURIComponent(`a notin (${"b,".repeat(20_000)}c)`)}`, expect: count },
  { query: `fieldSelector=${encodeURIComponent("metadata.name=cm-0,".repeat(5_000))}`, expect: 1 },
  { query: "limit=1e18", expect: 400 },
  { query: "limit=9223372036854775808", expect: 400 },
  { query: `limit=${"9".repeat(100_000)}`, expect: 400 },
  { query: "limit=1.5", expect: 400 },
  { query: "limit=NaN", expect: 400 },
  { query: "limit=Infinity", expect: 400 },
  { query: "limit=%00", expect: 400 },
  { query: "limit=0x10", expect: 400 },
  { query: "limit=٣", expect: 400 },
  { query: "timeoutSeconds=NaN", expect: 400 },
  { query: "timeoutSeconds=9223372036854775808", expect: 400 },
  { query: "continue=x", expect: 400 },
  { query: "continue=%00", expect: 400 },
  { query: `continue=${"A".repeat(100_000)}`, expect: 400 },
  { query: `continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":-1,"start":"../../secrets/"}').toString("base64url")}`, expect: 400 },
  { query: `continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":1e999,"start":"a"}').toString("base64url")}`, expect: 400 },
  { query: `continue=${Buffer.from("[".repeat(50_000)).toString("base64url")}`, expect: 400 },
  { query: "resourceVersionMatch=Exact", expect: 422 },
  { query: "resourceVersionMatch=nonsense&resourceVersion=1", expect: 422 },
  { query: "sendInitialEvents=true", expect: 422 },
  { query: `labelSelector=${"(".repeat(20_000)}`, expect: 400 },
  { query: `labelSelector=${"!".repeat(20_000)}`, expect: 400 },
  { query: "labelSelector=%FF%FE", expect: 400 },
  { query: "labelSelector=%00", expect: 400 },
  { query: "labelSelector=a%3D%F0%9F%98%80", expect: 400 },
  { query: `labelSelector=${"a".repeat(100_000)}`, expect: 400 },
  { query: `fieldSelector=metadata.name%3D${"%5C".repeat(20_001)}`, expect: 400 },
  { query: "fieldSelector=nonsense", expect: 400 },
  ...["-1", "abc", "1e3", "0x1", "%201", "18446744073709551616", "9".repeat(100_000)].map((version) => ({
    query: `resourceVersion=${version}`,
    expect: 400,
  })),
];
for (const { query, expect } of lists)
  test(`a list with ${query.slice(0, 70)}: ${expect >= 400 ? expect : `${expect} items`}`, async () => {
    const { status, body, text } = await api.send("GET", `${configMaps}?${query}`);
    if (expect >= 400) assert.equal(status, expect, text.slice(0, 300));
    else assert.equal(body.items?.length, expect, text.slice(0, 300));
    assert.doesNotMatch(text, /the server has an error/);
  });

test("a watch with a timeout beyond all time stays open, one with a negative timeout too", async () => {
  for (const query of [
    "timeoutSeconds=9223372036854775807",
    "timeoutSeconds=99999999999",
    "timeoutSeconds=0",
    "limit=-1",
    "resourceVersion=1",
  ]) {
    const watch = await api.watch(`${configMaps}?watch=1&${query}`);
    await watch.settle();
    assert.equal(watch.status, 200);
    assert.equal(watch.ended, false, query);
    watch.leave();
  }
});

for (const { query, expect } of [
  { query: "watch=1&timeoutSeconds=x", expect: 400 },
  { query: "watch=1&labelSelector=((", expect: 400 },
  { query: "watch=1&resourceVersion=abc", expect: 500 },
  { query: "watch=1&resourceVersionMatch=Exact", expect: 422 },
  { query: "watch=1&sendInitialEvents=true", expect: 422 },
])
  test(`a watch with ${query}: ${expect}`, async () => assert.equal((await api.send("GET", `${configMaps}?${query}`)).status, expect));

const writes: readonly { readonly query: string; readonly expect: number }[] = [
  { query: "dryRun=All&dryRun=All", expect: 201 },
  { query: "dryRun=", expect: 422 },
  { query: "dryRun=all", expect: 422 },
  { query: "dryRun=All&dryRun=None", expect: 422 },
  { query: `dryRun=All&fieldManager=${"a".repeat(128)}`, expect: 201 },
  { query: `fieldManager=${"a".repeat(129)}`, expect: 422 },
  { query: `fieldManager=${encodeURIComponent("é".repeat(65))}`, expect: 422 },
  { query: "fieldManager=%00", expect: 422 },
  { query: "fieldManager=a%0Ab", expect: 422 },
  { query: "dryRun=All&fieldManager=%F0%9F%98%80", expect: 201 },
  { query: "fieldValidation=strict", expect: 422 },
  { query: "fieldValidation=%00", expect: 422 },
];
for (const { query, expect } of writes)
  test(`a create with ${query.slice(0, 70)}: ${expect}`, async () => {
    const { status, text } = await api.send("POST", `${configMaps}?${query}`, { body: configMap("new") });
    assert.equal(status, expect, text);
    assert.equal((await api.send("GET", `${configMaps}/new`)).status, 404);
  });

const deletions: readonly { readonly options: string; readonly expect: number }[] = [
  { options: '{"gracePeriodSeconds":9223372036854775808}', expect: 400 },
  { options: '{"gracePeriodSeconds":1.5}', expect: 400 },
  { options: '{"propagationPolicy":"nonsense"}', expect: 422 },
  { options: '{"propagationPolicy":"Orphan","orphanDependents":true}', expect: 422 },
  { options: '{"dryRun":["Some"]}', expect: 422 },
  { options: '{"preconditions":{"uid":"__proto__"}}', expect: 409 },
  { options: '{"preconditions":{"resourceVersion":"-1"}}', expect: 409 },
  { options: '{"preconditions":{"uid":{}}}', expect: 400 },
  { options: "[]", expect: 400 },
  { options: "\u0000", expect: 400 },
];
for (const { options, expect } of deletions)
  test(`a deletion with ${JSON.stringify(options)}: ${expect}`, async () => {
    const { status, text } = await api.send("DELETE", `${configMaps}/cm-0`, { body: options });
    assert.equal(status, expect, text);
    assert.equal((await api.send("GET", `${configMaps}/cm-0`)).status, 200);
  });

for (const seconds of ["-9223372036854775808", "-1", "8640000000000000", "99999999999999", "9223372036854775807"])
  test(`a grace period of ${seconds} seconds does not end a pod's history`, async () => {
    const pods = "/api/v1/namespaces/default/pods";
    const pod = { metadata: { name: "graceful" }, spec: { nodeName: "n", containers: [{ name: "a", image: "a" }] } };
    assert.equal((await api.send("POST", pods, { body: pod })).status, 201);
    for (const target of [`${pods}/graceful?gracePeriodSeconds=${seconds}`, `${pods}/graceful`]) {
      const { status, text } = await api.send("DELETE", target, target.includes("?") ? {} : { body: `{"gracePeriodSeconds":${seconds}}` });
      assert.ok(status === 200 || status === 404 || (status >= 400 && status < 500), text);
    }
    await api.send("DELETE", `${pods}/graceful?gracePeriodSeconds=0`);
    assert.equal((await api.send("GET", `${pods}/graceful`)).status, 404);
  });

test("includeObject that is none is refused for tables", async () => {
  const accept = "application/json;as=Table;g=meta.k8s.io;v=v1";
  assert.equal((await api.send("GET", `${configMaps}?includeObject=nonsense`, { accept })).status, 400);
});
