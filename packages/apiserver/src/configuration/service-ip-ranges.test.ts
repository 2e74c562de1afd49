import assert from "node:assert/strict";
import { test } from "node:test";
import { parseServiceIpRanges } from "./service-ip-ranges.ts";

const ranges = [
  { texts: undefined, expect: { cidrs: ["10.96.0.0/12"], families: ["IPv4"], apiServerServiceIp: "10.96.0.1", dnsIp: "10.96.0.10" } },
  { texts: [], expect: { cidrs: ["10.96.0.0/12"], families: ["IPv4"], apiServerServiceIp: "10.96.0.1", dnsIp: "10.96.0.10" } },
  {
    texts: ["10.0.5.7/16", "fd00:10:96::/112"],
    expect: { cidrs: ["10.0.0.0/16", "fd00:10:96::/112"], families: ["IPv4", "IPv6"], apiServerServiceIp: "10.0.0.1", dnsIp: "10.0.0.10" },
  },
  {
    texts: ["fd00::/64", "10.0.0.0/29"],
    expect: { cidrs: ["fd00::/64", "10.0.0.0/29"], families: ["IPv6", "IPv4"], apiServerServiceIp: "fd00::1", dnsIp: "fd00::a" },
  },
];
for (const { texts, expect } of ranges)
  test(`ranges of Services: ${texts?.join(",") ?? "the default"}`, () => assert.deepEqual(parseServiceIpRanges(texts), expect));

const refused = [
  { texts: ["x"], message: "service-cluster-ip-range[0] is not a valid cidr" },
  { texts: [""], message: "service-cluster-ip-range[0] is not a valid cidr" },
  { texts: ["10.0.0.0/24", "x"], message: "service-cluster-ip-range[1] is not an ip net" },
  {
    texts: ["10.0.0.0/30"],
    message: "error determining service IP ranges for primary service cidr: the service cluster IP range must be at least 8 IP addresses",
  },
  {
    texts: ["10.0.0.0/24", "10.1.0.0/24"],
    message: "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family",
  },
  { texts: ["10.0.0.0/24", "fd00::/112", "fd01::/112"], message: "--service-cluster-ip-range must not contain more than two entries" },
  {
    texts: ["10.0.0.0/24", "10.1.0.0/24", "10.2.0.0/24"],
    message:
      "[--service-cluster-ip-range must not contain more than two entries, --service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family]",
  },
  { texts: ["fd00::/48"], message: "shortest allowed prefix length for service CIDR is 64, got 48" },
];
for (const { texts, message } of refused)
  test(`no ranges of Services: ${texts.join(",")}`, () => assert.throws(() => parseServiceIpRanges(texts), new RangeError(message)));
