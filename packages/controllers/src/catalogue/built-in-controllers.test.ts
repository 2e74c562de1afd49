import assert from "node:assert/strict";
import { test } from "node:test";
import type { BuiltInController } from "../contracts/built-in-controller.ts";
import { builtInControllers } from "./built-in-controllers.ts";
import { chooseControllers, UnknownControllerError } from "./choose-controllers.ts";

const make = () => [];
const known: readonly BuiltInController[] = [
  { name: "deployment-controller", aliases: ["deployment"], make },
  { name: "job-controller", aliases: ["job"], make },
  { name: "token-cleaner-controller", aliases: ["tokencleaner"], offByDefault: true, make },
];

const cases = [
  { choice: ["*"], runs: ["deployment-controller", "job-controller"] },
  { choice: [], runs: [] },
  { choice: ["job"], runs: ["job-controller"] },
  { choice: ["job-controller", "deployment"], runs: ["deployment-controller", "job-controller"] },
  { choice: ["*", "-job"], runs: ["deployment-controller"] },
  { choice: ["-job-controller", "*"], runs: ["deployment-controller"] },
  { choice: ["-job"], runs: [] },
  { choice: ["*", "tokencleaner"], runs: ["deployment-controller", "job-controller", "token-cleaner-controller"] },
  { choice: ["job", "-job"], runs: ["job-controller"] },
  { choice: ["-job", "job"], runs: [] },
];
for (const { choice, runs } of cases)
  test(`--controllers=${choice.join(",")} runs ${runs.join(" and ") || "none"}`, () => {
    assert.deepEqual(
      chooseControllers(choice, known).map(({ name }) => name),
      runs,
    );
  });

for (const choice of ["pods", "-pods"])
  test(`--controllers=${choice} is refused as kube-controller-manager refuses it`, () => {
    assert.throws(() => chooseControllers(["*", choice], known), new UnknownControllerError("pods"));
    assert.equal(new UnknownControllerError("pods").message, '"pods" is not in the list of known controllers');
  });

test("no two controllers share a name or an alias", () => {
  const names = builtInControllers.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  assert.deepEqual(
    names.filter((name, i) => names.indexOf(name) !== i),
    [],
  );
});
