/** The example with real containers prints what stands beside it, and ends with nothing left. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { microservices, outputOf, recordOf } from "../../../examples/support/output.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { entries, whyNotSeveral } from "./several-nodes.ts";

enterPrivateNetwork();

test("servers on several nodes find each other by name, and one front leads to them", { skip: whyNotSeveral() ?? false }, async () => {
  const links = entries("/proc/sys/net/ipv4/conf");
  assert.equal(await outputOf(microservices), readFileSync(recordOf(microservices), "utf8"));
  assert.deepEqual(entries("/proc/sys/net/ipv4/conf"), links);
});
