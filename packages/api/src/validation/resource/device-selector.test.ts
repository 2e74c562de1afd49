import assert from "node:assert/strict";
import { test } from "node:test";
import { selectorProblem } from "./device-selector.ts";

const good = [
  'device.driver == "d.example.com"',
  'device.attributes["d.example.com"].model == "x" && device.attributes["d.example.com"].cores >= 4',
  'device.capacity["d.example.com"].memory.compareTo(quantity("10Gi")) >= 0',
  'device.attributes["d.example.com"].isFast',
  'cel.bind(dra, device.attributes["d.example.com"], dra.one && dra.two)',
  'device.attributes["d.example.com"].version.isGreaterThan(semver("1.0.0"))',
  '"d.example.com" in device.attributes && has(device.capacity["d.example.com"].memory)',
  "device.allowMultipleAllocations == true",
];
for (const expression of good) test(`${expression} selects`, () => assert.equal(selectorProblem(expression), undefined));

const bad: readonly (readonly [string, RegExp])[] = [
  ["device.driver", /^must evaluate to bool or the unknown type, not string$/],
  ["device.name == 'x'", /^compilation failed: ERROR: <input>:1:7: undefined field 'name'\n/],
  ["pod.name == 'x'", /^compilation failed: ERROR: <input>:1:1: undeclared reference to 'pod' \(in container ''\)\n/],
  ["device.", /^compilation failed: ERROR: <input>:1:8: Syntax error: /],
  ["", /^compilation failed: ERROR: /],
];
for (const [expression, why] of bad)
  test(`${expression || "nothing"} does not`, () => assert.match(selectorProblem(expression) ?? "", why));
