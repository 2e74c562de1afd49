import assert from "node:assert/strict";
import { test } from "node:test";
import { serverIdentity } from "./identity-lease.ts";

test("the name is the one that kube-apiserver 1.36 has given itself on a machine of that name", () => {
  assert.equal(serverIdentity("vm", 6443), "apiserver-wlv32tlttr4jl3gtroqexyxapa");
});

test("servers on other ports of a machine have other names", () => {
  const names = new Set([6443, 6444, 16443].map((port) => serverIdentity("vm", port)));
  assert.equal(names.size, 3);
});
