import assert from "node:assert/strict";
import { test } from "node:test";
import { nodeWith, podWith, statuses } from "../plugin-under-test.ts";
import { nodeName } from "./node-name.ts";

const nodes = [nodeWith("a"), nodeWith("b")];

test("a Pod that names no node is not asked about", () => assert.equal(statuses(nodeName, { nodes }, podWith()), "skip"));

test("one that does runs there alone", () =>
  assert.deepEqual(statuses(nodeName, { nodes }, podWith({ nodeName: "b" })), {
    a: "!node(s) didn't match the requested node name",
    b: "",
  }));
