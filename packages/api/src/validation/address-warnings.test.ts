import assert from "node:assert/strict";
import { test } from "node:test";
import { cidrWarnings, ipWarnings } from "./address-warnings.ts";

const ips: readonly (readonly [string, readonly string[]])[] = [
  ["10.0.0.1", []],
  ["2001:db8::1", []],
  ["010.0.0.1", ['p: non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"']],
  ["::ffff:1.2.3.4", ['p: non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"']],
  ["2001:DB8::1", ['p: IPv6 address "2001:DB8::1" should be in RFC 5952 canonical format ("2001:db8::1")']],
];
for (const [value, expect] of ips) test(`address ${value}`, () => assert.deepEqual(ipWarnings("p", value), expect));

const cidrs: readonly (readonly [string, readonly string[]])[] = [
  ["10.0.0.0/8", []],
  ["10.1.2.3/8", ['p: CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.1.2.3/32"?)']],
  ["010.0.0.0/8", ['p: non-standard CIDR value "010.0.0.0/8" is invalid: use "10.0.0.0/8"']],
  ["2001:DB8::/64", ['p: IPv6 CIDR value "2001:DB8::/64" should be in RFC 5952 canonical format ("2001:db8::/64")']],
];
for (const [value, expect] of cidrs) test(`range ${value}`, () => assert.deepEqual(cidrWarnings("p", value), expect));
