import assert from "node:assert/strict";
import { test } from "node:test";
import { conflict, failure, notFound, type StatusDetails, unknownPath } from "@coxswain/machinery";
import { isObjectNotFound, unlessNotFound } from "./object-not-found.ts";

const widgets = { group: "ex.io", resource: "widgets" };
const notFoundWith = (details: StatusDetails) => failure(404, "NotFound", "not found", details);
const causes = [{ reason: "UnexpectedServerResponse", message: "404 page not found" }];

const cases: readonly [name: string, error: Error, expect: boolean][] = [
  ["the server names it", notFound(widgets, "w"), true],
  ["the server leaves the group out", notFoundWith({ name: "w", kind: "widgets" }), true],
  ["a version that is not served", unknownPath(), false],
  ["a page of a proxy", notFoundWith({ name: "w", group: "ex.io", kind: "widgets", causes }), false],
  ["its namespace is missing", notFound({ group: "", resource: "namespaces" }, "w"), false],
  ["another of its resource", notFound(widgets, "v"), false],
  ["one of its name in another group", notFound({ ...widgets, group: "other.io" }, "w"), false],
  ["another refusal", conflict(widgets, "w", "no"), false],
  ["no answer at all", new Error("gone"), false],
];
for (const [name, error, expect] of cases)
  test(`${name}: ${expect ? "absent" : "unknown"}`, async () => {
    assert.equal(isObjectNotFound(error, widgets, "w"), expect);
    const request = unlessNotFound(Promise.reject(error), widgets, "w");
    if (expect) assert.equal(await request, undefined);
    else await assert.rejects(request, error);
  });
