/** What the page of the races says, without a browser. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditionOf, hotLoopText, raceTime, shortPath, valueText } from "../page/race-texts.ts";

const web = "/api/v1/namespaces/default/pods/web";
const conditions = [
  { name: "a read", request: { method: "GET", path: web }, expect: "" },
  {
    name: "a creation",
    request: { method: "POST", path: "/api/v1/namespaces/default/pods", body: { metadata: { uid: "u" } } },
    expect: "",
  },
  {
    name: "a versioned write",
    request: { method: "PUT", path: web, body: { metadata: { resourceVersion: "7", uid: "u" } } },
    expect: "for version 7 only",
  },
  { name: "a patch", request: { method: "PATCH", path: web, body: { data: {} } }, expect: "for any version" },
  {
    name: "a patch of one Pod",
    request: { method: "PATCH", path: web, body: { metadata: { uid: "u" } } },
    expect: "for any version of this uid",
  },
  {
    name: "a binding",
    request: { method: "POST", path: `${web}/binding?fieldManager=s`, body: { metadata: { uid: "u" } } },
    expect: "for any version of this uid",
  },
  { name: "a deletion", request: { method: "DELETE", path: web }, expect: "for any version" },
  {
    name: "a deletion of a version",
    request: { method: "DELETE", path: web, body: { preconditions: { resourceVersion: "7" } } },
    expect: "for version 7 only",
  },
];
for (const { name, request, expect } of conditions)
  test(`${name} is ${expect === "" ? "for no version in particular" : expect}`, () => assert.equal(conditionOf(request), expect));

test("paths begin with the object, and leave out who writes", () => {
  assert.equal(shortPath(`${web}?fieldManager=Ann`), "…/pods/web");
  assert.equal(shortPath(`${web}?fieldManager=Ann&force=true`), "…/pods/web?force=true");
  assert.equal(shortPath(`${web}/status`), "…/web/status");
});

test("times are those of the race's server, and values JSON", () => {
  assert.equal(raceTime("2026-01-01T12:00:00.150Z"), "12:00:00.150");
  assert.deepEqual([valueText(undefined), valueText(5), valueText("")], ["not set", "5", '""']);
});

test("a hot loop names who fights over what", () => {
  assert.equal(hotLoopText({}), "");
  const hotLoop = { writers: ["a", "b"], field: ".spec.replicas", writes: 10, withinMs: 10_000 };
  assert.equal(hotLoopText({ hotLoop }), "a and b fight over .spec.replicas: 10 writes within 10 s");
});
