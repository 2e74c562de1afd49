import assert from "node:assert/strict";
import { test } from "node:test";
import { isHostIn } from "./hosts.ts";
import { parseCidr, parseIp } from "./ip.ts";

const cases = [
  { cidr: "10.0.0.0/30", inside: ["10.0.0.1", "10.0.0.2"], outside: ["10.0.0.0", "10.0.0.3", "10.0.0.4", "fd00::1"] },
  { cidr: "10.0.0.0/31", inside: [], outside: ["10.0.0.0", "10.0.0.1"] },
  { cidr: "10.0.0.0/32", inside: [], outside: ["10.0.0.0"] },
  { cidr: "fd00::/126", inside: ["fd00::1", "fd00::3"], outside: ["fd00::", "fd00::4", "10.0.0.1"] },
  { cidr: "fd00::/128", inside: [], outside: ["fd00::"] },
];
for (const { cidr, inside, outside } of cases)
  test(`hosts of ${cidr}`, () => {
    const isInside = (address: string): boolean => isHostIn(parseCidr(cidr)!, parseIp(address)!);
    assert.deepEqual([...inside, ...outside].filter(isInside), inside);
  });
