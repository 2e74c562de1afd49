import assert from "node:assert/strict";
import { test } from "node:test";
import { type HostNetwork, hostAddress, hostAddressFirst, hostAddressOf } from "./host-address.ts";

const head = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n";
const nothing: HostNetwork = { routes: "", routes6: "", interfaces: {} };
const lo = [{ address: "127.0.0.1", family: "IPv4", internal: true }] as const;
const docker = [{ address: "172.17.0.1", family: "IPv4", internal: false }] as const;
const eth = [
  { address: "fe80::1", family: "IPv6", internal: false },
  { address: "192.0.2.2", family: "IPv4", internal: false },
  { address: "2001:db8::2", family: "IPv6", internal: false },
] as const;
const zeros = "0".repeat(32);

const cases: readonly { name: string; network: Partial<HostNetwork>; expect: string | undefined }[] = [
  {
    name: "the interface of the default route",
    network: { routes: `${head}docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\neth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\n` },
    expect: "192.0.2.2",
  },
  {
    name: "the default route of IPv6 where there is no other",
    network: {
      routes: head,
      routes6: `${zeros} 00 ${zeros} 00 20010db8000000000000000000000001 00000400 00000001 00000000 00000003 eth0\n`,
    },
    expect: "2001:db8::2",
  },
  { name: "no default route: the first that is not the machine's own", network: { routes: head }, expect: "172.17.0.1" },
  { name: "a route that is down", network: { routes: `${head}eth0\t00000000\t010200C0\t0002\t0\t0\t0\t00000000\n` }, expect: "172.17.0.1" },
  { name: "nothing but loopback", network: { interfaces: { lo } }, expect: undefined },
  { name: "only link-local addresses", network: { interfaces: { eth0: [eth[0]] } }, expect: undefined },
];
for (const { name, network, expect } of cases)
  test(`the host's address: ${name}`, () =>
    assert.equal(hostAddress({ ...nothing, interfaces: { lo, docker0: docker, eth0: eth }, ...network }), expect));

test("the host's address of each family", () => {
  const network = { ...nothing, interfaces: { lo, docker0: docker, eth0: eth } };
  assert.deepEqual([hostAddressOf("IPv4", network), hostAddressOf("IPv6", network)], ["172.17.0.1", "2001:db8::2"]);
  assert.equal(hostAddressOf("IPv6", { ...nothing, interfaces: { lo, docker0: docker } }), undefined);
});

test("the machine's addresses begin with the host's, if that is one of them", () => {
  assert.deepEqual(hostAddressFirst(["172.17.0.1", "192.0.2.2"], "192.0.2.2"), ["192.0.2.2", "172.17.0.1"]);
  assert.deepEqual(hostAddressFirst(["172.17.0.1"], "192.0.2.2"), ["172.17.0.1"]);
});
