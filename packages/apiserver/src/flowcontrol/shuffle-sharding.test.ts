import assert from "node:assert/strict";
import { test } from "node:test";
import { Dealer, deal } from "./shuffle-sharding.ts";

test("hands are those that Kubernetes deals", () => {
  assert.deepEqual(deal(0n, 128, 6), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(deal(1n, 64, 6), [1, 0, 2, 3, 4, 5]);
  assert.deepEqual(deal(12345678901234567890n, 128, 6), [82, 108, 124, 106, 90, 52]);
  assert.deepEqual(deal(18446744073709551615n, 64, 8), [63, 15, 55, 23, 31, 2, 39, 34]);
  assert.deepEqual(deal(9876543210987654321n, 50, 4), [21, 23, 8, 17]);
  assert.deepEqual(deal(777n, 1, 1), [0]);
});

test("a flow has the hand that it has there", () => {
  const dealer = new Dealer(128, 6);
  assert.deepEqual(dealer.handOf("service-accounts", "system:serviceaccount:default:default"), [127, 66, 18, 15, 64, 74]);
  assert.deepEqual(dealer.handOf("global-default", "jane"), [24, 0, 86, 104, 74, 31]);
});

test("no card is dealt twice, and few flows have the hand of another", () => {
  const dealer = new Dealer(128, 6);
  const hands = Array.from({ length: 2_000 }, (_, i) => [...dealer.handOf("schema", `user-${i}`)].sort((a, b) => a - b));
  for (const hand of hands) assert.equal(new Set(hand).size, 6);
  assert.ok(new Set(hands.map(String)).size > 1_990);
});
