import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "@coxswain/machinery";
import { nearbyAddresses } from "./nearby-addresses.ts";

const interfaces = { eth0: [{ cidr: "203.0.113.7/24" }, { cidr: "2001:db8::7/64" }], tun0: [{ cidr: null }] };

const cases = [
  { address: "10.88.0.4", expect: true },
  { address: "172.31.1.1", expect: true },
  { address: "172.32.1.1", expect: false },
  { address: "127.0.0.1", expect: true },
  { address: "fd00:10:244::2", expect: true },
  { address: "fe80::1%eth0", expect: true },
  { address: "203.0.113.99", expect: true },
  { address: "203.0.114.99", expect: false },
  { address: "2001:db8::99", expect: true },
  { address: "2001:db8:1::99", expect: false },
  { address: "", expect: false },
];
for (const { address, expect } of cases)
  test(`may ask for names: ${address} ${expect ? "may" : "may not"}`, () =>
    assert.equal(nearbyAddresses(() => interfaces, new ManualClock())(address), expect));

test("who is in a network that the machine has come into may ask soon, and others do not make it look each time", () => {
  const clock = new ManualClock();
  let reads = 0;
  let now: typeof interfaces | object = {};
  const mayAsk = nearbyAddresses(() => {
    reads++;
    return now as typeof interfaces;
  }, clock);
  assert.equal(mayAsk("203.0.113.99"), false);
  now = interfaces;
  for (let asked = 0; asked < 100; asked++) assert.equal(mayAsk("203.0.113.99"), false);
  assert.equal(reads, 1);
  clock.advance(5_000);
  assert.equal(mayAsk("203.0.113.99"), true);
});
