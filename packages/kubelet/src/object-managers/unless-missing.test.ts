import assert from "node:assert/strict";
import { test } from "node:test";
import { notFound, unknownPath } from "@coxswain/machinery";
import { unlessMissing } from "./unless-missing.ts";

const reference = { kind: "configmap", name: "settings" } as const;
const gone = notFound({ group: "", resource: "configmap" }, "settings");

const cases: readonly [what: string, error: Error, optional: boolean | undefined, isAbsent: boolean][] = [
  ["an optional object that is not there", gone, true, true],
  ["a needed object that is not there", gone, undefined, false],
  ["a path that is not served", unknownPath(), true, false],
  ["another object that is not there", notFound({ group: "", resource: "configmap" }, "other"), true, false],
  ["no answer", new Error("lost"), true, false],
];
for (const [what, error, optional, isAbsent] of cases)
  test(`${what} is ${isAbsent ? "left out" : "an error"}`, async () => {
    const found = unlessMissing(Promise.reject(error), reference, optional);
    if (isAbsent) assert.equal(await found, undefined);
    else await assert.rejects(found, error);
  });
