import assert from "node:assert/strict";
import { test } from "node:test";
import { ipBytes } from "./ip-bytes.ts";

const addresses = [
  { address: "10.0.0.1", bytes: "0a000001" },
  { address: "::1", bytes: "00000000000000000000000000000001" },
  { address: "::", bytes: "00000000000000000000000000000000" },
  { address: "fe80::1:2", bytes: "fe800000000000000000000000010002" },
  { address: "1:2:3:4:5:6:7:8", bytes: "00010002000300040005000600070008" },
  { address: "::ffff:10.0.0.1", bytes: "00000000000000000000ffff0a000001" },
];
for (const { address, bytes } of addresses) {
  test(`ip bytes: ${address}`, () => assert.equal(Buffer.from(ipBytes(address)).toString("hex"), bytes));
}
