import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServiceSpec } from "@coxswain/types/core-v1";
import { initIpFamilies } from "./ip-families.ts";

const [single, dual, dual6] = [["IPv4"], ["IPv4", "IPv6"], ["IPv6", "IPv4"]] as const;
const selector = { a: "b" };
const both = {
  clusterIP: "10.0.0.1",
  clusterIPs: ["10.0.0.1", "fd00::1"],
  ipFamilies: ["IPv4", "IPv6"],
  ipFamilyPolicy: "PreferDualStack",
};

interface Case {
  readonly name: string;
  readonly cluster?: readonly ("IPv4" | "IPv6")[];
  readonly spec: ServiceSpec;
  readonly old?: ServiceSpec;
  /** Policy and families, or what is wrong. */
  readonly expect: readonly [string | undefined, readonly string[] | undefined] | string;
}

const created: readonly Case[] = [
  { name: "the default family", spec: {}, expect: ["SingleStack", single] },
  { name: "the first family of the cluster", cluster: dual6, spec: {}, expect: ["SingleStack", ["IPv6"]] },
  { name: "the other family, asked for", spec: { ipFamilies: ["IPv6"] }, expect: ["SingleStack", ["IPv6"]] },
  { name: "both, preferred", spec: { ipFamilyPolicy: "PreferDualStack" }, expect: ["PreferDualStack", dual] },
  { name: "both in another order", spec: { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv6"] }, expect: ["PreferDualStack", dual6] },
  {
    name: "one, though both are preferred",
    cluster: single,
    spec: { ipFamilyPolicy: "PreferDualStack" },
    expect: ["PreferDualStack", single],
  },
  { name: "that of an address", spec: { clusterIP: "fd00::1", clusterIPs: ["fd00::1"] }, expect: ["SingleStack", ["IPv6"]] },
  { name: "none of an external name", spec: { type: "ExternalName" }, expect: [undefined, undefined] },
  { name: "one of a headless Service", spec: { clusterIP: "None", clusterIPs: ["None"], selector }, expect: ["SingleStack", single] },
  {
    name: "both of a headless Service without selector, whatever the cluster has",
    cluster: single,
    spec: { clusterIP: "None", clusterIPs: ["None"] },
    expect: ["RequireDualStack", dual],
  },
  {
    name: "another than the cluster's of a headless Service without selector",
    cluster: single,
    spec: { clusterIP: "None", clusterIPs: ["None"], ipFamilies: ["IPv6"], ipFamilyPolicy: "SingleStack" },
    expect: ["SingleStack", ["IPv6"]],
  },
  {
    name: "both in a cluster with one",
    cluster: single,
    spec: { ipFamilyPolicy: "RequireDualStack" },
    expect: 'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  },
  {
    name: "one that the cluster does not have",
    cluster: single,
    spec: { ipFamilies: ["IPv6"] },
    expect: 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster',
  },
  {
    name: "an address of one that the cluster does not have",
    cluster: single,
    spec: { clusterIP: "fd00::1", clusterIPs: ["fd00::1"] },
    expect: 'spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not configured on this cluster',
  },
  {
    name: "two addresses of a Service that is to have one",
    spec: { clusterIP: "10.0.0.1", clusterIPs: ["10.0.0.1", "fd00::1"] },
    expect:
      "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified",
  },
  {
    name: "two families of a Service that is to have one",
    spec: { ipFamilies: ["IPv4", "IPv6"] },
    expect:
      "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
  },
];

const updated: readonly Case[] = [
  {
    name: "both where the policy asks for them now",
    old: { ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" },
    spec: { ipFamilies: ["IPv4"], ipFamilyPolicy: "RequireDualStack" },
    expect: ["RequireDualStack", dual],
  },
  {
    name: "the policy of before",
    old: both,
    spec: { clusterIP: "10.0.0.1", clusterIPs: both.clusterIPs },
    expect: ["PreferDualStack", dual],
  },
  {
    name: "the first, where the policy is to have one",
    old: both,
    spec: { ...both, ipFamilyPolicy: "SingleStack" },
    expect: ["SingleStack", single],
  },
  {
    name: "one, though both are preferred, as long as nothing changes",
    old: { ...both, clusterIPs: ["10.0.0.1"], ipFamilies: ["IPv4"] },
    spec: { ...both, clusterIPs: ["10.0.0.1"], ipFamilies: ["IPv4"] },
    expect: ["PreferDualStack", single],
  },
  {
    name: "the first alone, without a policy that says so",
    old: both,
    spec: { ...both, clusterIPs: ["10.0.0.1"], ipFamilies: ["IPv4"] },
    expect:
      "spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be 'SingleStack' to release the secondary cluster IP; spec.ipFamilyPolicy: Invalid value: \"PreferDualStack\": must be 'SingleStack' to release the secondary IP family",
  },
];

for (const { name, cluster = dual, spec, old, expect } of [...created, ...updated])
  test(`the families of ${old === undefined ? "a new Service" : "a Service that is updated"}: ${name}`, () => {
    const typed: ServiceSpec = { type: "ClusterIP", ...structuredClone(spec) };
    const errors = initIpFamilies(typed, old && { type: "ClusterIP", ...old }, cluster);
    if (typeof expect === "string") assert.equal(errors.map(({ field, message }) => `${field}: ${message}`).join("; "), expect);
    else assert.deepEqual([errors, typed.ipFamilyPolicy, typed.ipFamilies], [[], ...expect]);
  });
