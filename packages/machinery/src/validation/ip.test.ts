import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cidrContains, formatIp, parseCidr, parseIp } from "../net/ip.ts";
import { validateCidr, validateInterfaceAddress, validateIp, validateLegacyCidr, validateLegacyIp } from "./ip.ts";

const spellings: readonly [string, string | undefined][] = [
  ["10.9.8.7", "10.9.8.7"],
  ["010.002.3.4", "10.2.3.4"],
  ["256.1.1.1", undefined],
  ["1.2.3", undefined],
  ["::", "::"],
  ["::1", "::1"],
  ["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
  ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
  ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
  ["::ffff:1.2.3.4", "1.2.3.4"],
  ["64:ff9b::1.2.3.4", "64:ff9b::102:304"],
  ["1::2::3", undefined],
  ["1:2:3:4:5:6:7", undefined],
  ["fe80::1%eth0", undefined],
  [":1", undefined],
  ["", undefined],
];
for (const [text, expect] of spellings) {
  test(`${JSON.stringify(text)} is ${expect ?? "no address"}`, () => {
    const ip = parseIp(text);
    assert.equal(ip && formatIp(ip), expect);
  });
}

test("a new field takes one spelling", () => {
  assert.deepEqual(validateIp("2001:db8::1"), []);
  assert.deepEqual(validateIp("2001:DB8::1"), ['must be in canonical form ("2001:db8::1")']);
  assert.deepEqual(validateIp("01.2.3.4"), ["must not have leading 0s"]);
  assert.deepEqual(validateIp("::ffff:1.2.3.4"), ["must not be an IPv4-mapped IPv6 address"]);
  assert.deepEqual(validateLegacyIp("01.2.3.4"), []);
  assert.match(validateLegacyIp("x")[0] ?? "", /must be a valid IP address/);
});

test("a network has no bits beyond its prefix", () => {
  assert.deepEqual(validateCidr("10.0.0.0/8"), []);
  assert.deepEqual(validateCidr("10.0.0.1/8"), ["must not have bits set beyond the prefix length"]);
  assert.deepEqual(validateCidr("10.0.0.0/08"), ["must not have leading 0s in IP or prefix length"]);
  assert.match(validateCidr("10.0.0.0/33")[0] ?? "", /must be a valid CIDR value/);
  assert.deepEqual(validateLegacyCidr("10.0.0.1/8"), []);
  assert.deepEqual(validateInterfaceAddress("10.0.0.1/8"), []);
  assert.equal(cidrContains(parseCidr("10.0.0.0/8")!, parseIp("10.255.0.1")!), true);
  assert.equal(cidrContains(parseCidr("10.0.0.0/8")!, parseIp("11.0.0.1")!), false);
});

test("printing and parsing gives the same address", () => {
  fc.assert(fc.property(fc.ipV6(), (text) => formatIp(parseIp(formatIp(parseIp(text)!))!) === formatIp(parseIp(text)!)));
  fc.assert(fc.property(fc.ipV4(), (text) => formatIp(parseIp(text)!) === text));
});
