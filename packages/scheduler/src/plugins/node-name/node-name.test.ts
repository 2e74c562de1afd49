import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeWith, podWith, statuses } from "../plugin-under-test.ts";
import { nodeName } from "./node-name.ts";

const nodes = [nodeWith("a"), nodeWith("b")];

test("a Pod without nodeName, Filter is skipped", () => assert.equal(statuses(nodeName, { nodes }, podWith()), "skip"));

test("a Pod with nodeName, only that node is feasible", () =>
  assert.deepEqual(statuses(nodeName, { nodes }, podWith({ nodeName: "b" })), {
    a: "!node(s) didn't match the requested node name",
    b: "",
  }));
