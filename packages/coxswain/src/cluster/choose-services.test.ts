import assert from "node:assert/strict";
import { test } from "node:test";
import { parseServiceIpRanges } from "@coxswain/apiserver";
import type { NodeOptions } from "../options/node-options.ts";
import { chooseServices } from "./choose-services.ts";

const real = { kind: "cri", why: "containers" } as const;
const kubeDns = { clusterIps: ["10.96.0.10"], addresses: ["192.0.2.1"] };
const rules = "led to their Pods by nftables rules";
const answered = "names are answered at 10.96.0.10";

const cases = [
  { name: "runs proxy and DNS where it can", expect: { proxy: "machine", dns: kubeDns, why: `${rules}; ${answered}` } },
  { name: "needs nothing where Pods are simulated", runtime: { kind: "simulated", why: "" } as const, expect: undefined },
  {
    name: "runs neither where rules cannot be written",
    problem: "no nft",
    expect: { proxy: undefined, dns: undefined, why: "not reached by Pods: no nft" },
  },
  {
    name: "answers names beside another proxy, whatever this user may do",
    options: { kubeProxy: false },
    problem: "no nft",
    expect: { proxy: undefined, dns: kubeDns, why: `left to another proxy; ${answered}` },
  },
  {
    name: "gives each of several nodes a proxy",
    nodes: 3,
    expect: { proxy: "nodes", dns: kubeDns, why: `${rules}; ${answered}` },
  },
  {
    name: "leaves names to others when asked to",
    options: { clusterDns: false },
    expect: { proxy: "machine", dns: undefined, why: `${rules}; names are left to another server` },
  },
  {
    name: "answers at the address that the kubelet is told",
    clusterDns: ["10.96.0.53"],
    expect: { proxy: "machine", dns: { ...kubeDns, clusterIps: ["10.96.0.53"] }, why: `${rules}; names are answered at 10.96.0.53` },
  },
  {
    name: "answers at the tenth address of the first range",
    ranges: ["10.7.0.0/16", "fd00:7::/112"],
    expect: { proxy: "machine", dns: { ...kubeDns, clusterIps: ["10.7.0.10"] }, why: `${rules}; names are answered at 10.7.0.10` },
  },
  {
    name: "answers at addresses of both families",
    ranges: ["10.7.0.0/16", "fd00:7::/112"],
    clusterDns: ["10.7.0.10", "fd00:7::a"],
    expect: {
      proxy: "machine",
      dns: { clusterIps: ["10.7.0.10", "fd00:7::a"], addresses: ["192.0.2.1", "2001:db8::1"] },
      why: `${rules}; names are answered at 10.7.0.10, fd00:7::a`,
    },
  },
  {
    name: "answers where the family of its Service leads to",
    ranges: ["fd00:7::/112", "10.7.0.0/16"],
    expect: {
      proxy: "machine",
      dns: { clusterIps: ["fd00:7::a"], addresses: ["2001:db8::1"] },
      why: `${rules}; names are answered at fd00:7::a`,
    },
  },
  {
    name: "answers no names when the kubelet is told a server outside",
    clusterDns: ["192.0.2.53"],
    expect: { proxy: "machine", dns: undefined, why: `${rules}; names are left to 192.0.2.53` },
  },
  {
    name: "answers no names where Pods cannot reach the machine",
    addresses: [],
    expect: { proxy: "machine", dns: undefined, why: `${rules}; names are not answered, since Pods cannot reach this machine` },
  },
];

for (const { name, options, clusterDns = [], nodes = 1, ranges, problem, expect, ...more } of cases)
  test(`choose services: ${name}`, async () => {
    const runtime = more.runtime ?? real;
    const address = more.addresses ?? ["192.0.2.1", "2001:db8::1"];
    const node = { clusterDns, nodes, runtime: "cri" } as unknown as NodeOptions;
    const surroundings = { dnsAddresses: address, ranges: parseServiceIpRanges(ranges) };
    assert.deepEqual(await chooseServices({ node, ...options }, runtime, surroundings, async () => problem), expect);
  });
