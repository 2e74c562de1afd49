import assert from "node:assert/strict";
import { test } from "node:test";
import * as status from "./status.ts";

const { failure } = status;

/** What the predicates of k8s.io/apimachinery 0.36 say. */
const cases: readonly [code: number, reason: string, predicates: readonly (keyof typeof status)[]][] = [
  [404, "NotFound", ["isNotFound"]],
  [404, "", ["isNotFound"]],
  [404, "Homemade", ["isNotFound"]],
  [404, "Conflict", ["isConflict"]],
  [409, "", ["isConflict"]],
  [409, "AlreadyExists", ["isAlreadyExists"]],
  [410, "Gone", ["isGone"]],
  [410, "Expired", ["isExpired"]],
  [410, "", ["isGone"]],
  [413, "Homemade", ["isTooLarge"]],
  [422, "", ["isInvalid"]],
  [429, "", ["isTooManyRequests"]],
  [429, "TooManyRequests", ["isTooManyRequests"]],
  [500, "ServerTimeout", ["isServerTimeout"]],
  [500, "", ["isInternalError"]],
  [503, "", ["isServiceUnavailable"]],
  [504, "", ["isTimeout"]],
  [400, "", ["isBadRequest"]],
  [401, "", ["isUnauthorized"]],
  [403, "", ["isForbidden"]],
  [405, "", ["isMethodNotSupported"]],
  [406, "", ["isNotAcceptable"]],
  [415, "", ["isUnsupportedMediaType"]],
  [418, "", []],
];
const predicates = Object.entries(status).filter(([name]) => name.startsWith("is")) as [string, (error: unknown) => boolean][];
const asked = (error: unknown): string[] => predicates.filter(([, predicate]) => predicate(error)).map(([name]) => name);

for (const [code, reason, expected] of cases)
  test(`${code} ${reason}`, () => assert.deepEqual(asked(failure(code, reason, "")), [...expected]));

test("causes carry the details", () => {
  assert.deepEqual(asked(status.tooLargeResourceVersion(9, 1)), ["isTimeout", "isTooLargeResourceVersion"]);
  assert.deepEqual(asked(failure(403, "Forbidden", "", { causes: [{ reason: "NamespaceTerminating" }] })), [
    "isForbidden",
    "isNamespaceTerminating",
  ]);
  assert.deepEqual(asked(failure(502, "", "", { causes: [{ reason: "UnexpectedServerResponse" }] })), ["isUnexpectedServerError"]);
});

test("nothing else is a Status", () => {
  for (const error of [undefined, null, new Error("NotFound"), { status: { reason: "NotFound" } }]) assert.deepEqual(asked(error), []);
});
