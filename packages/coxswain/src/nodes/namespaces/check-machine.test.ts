import assert from "node:assert/strict";
import { test } from "node:test";
import { checkMachine, type MachineFacts } from "./check-machine.ts";

const all: MachineFacts = { platform: "linux", isRoot: true, hasProgram: () => true, hasCniPlugins: true };

test("a machine that has everything may be several nodes", () => {
  checkMachine(all);
});

const cases: readonly { readonly name: string; readonly facts: Partial<MachineFacts>; readonly message: string }[] = [
  { name: "another system", facts: { platform: "darwin" }, message: "several nodes with containers need Linux" },
  { name: "a user without rights", facts: { isRoot: false }, message: "several nodes with containers need root" },
  {
    name: "a machine without some programs",
    facts: { hasProgram: (name) => name !== "nft" && name !== "ctr", hasCniPlugins: false },
    message:
      "several nodes with containers need what is not installed: nft (nftables), ctr (containerd), the CNI plugins (containernetworking-plugins)",
  },
];

for (const { name, facts, message } of cases)
  test(`${name} is rejected with what is missing`, () => {
    assert.throws(() => checkMachine({ ...all, ...facts }), { name: "StartError", message });
  });
