import assert from "node:assert/strict";
import { test } from "node:test";
import type { api } from "@coxswain/client";
import type { NodeState, ProxyConfiguration } from "../contracts/configuration.ts";
import { elementKey, type Ruleset } from "./rules.ts";
import { configuration, input, node, onAnotherNode, onThisNode, service, slice } from "./rules-under-test.ts";
import { nextRuleset, rulesetOf } from "./ruleset.ts";
import { rulesetInTurns } from "./ruleset-in-turns.ts";

const endpoints = [onThisNode("10.244.1.2"), onAnotherNode("10.244.2.2")];

interface Case {
  readonly name: string;
  readonly spec?: Partial<api.coreV1.ServiceSpec>;
  readonly status?: api.coreV1.ServiceStatus;
  readonly endpoints?: readonly api.discoveryV1.Endpoint[];
  /** Elements of the maps and sets, as `elementText` writes them. */
  readonly elements: readonly string[];
}

const ingress = (ip: string, ipMode?: "Proxy"): api.coreV1.ServiceStatus => ({
  loadBalancer: { ingress: [{ ip, ...(ipMode === undefined ? {} : { ipMode }) }] },
});
const hairpin = "hairpin-connections 10.244.1.2 . 10.244.1.2 . tcp . 8080";
const clusterIp = "cluster-ips 10.96.0.10";
const toService = "service-ips 10.96.0.10 . tcp . 80: service/d/s/tcp/web";

const cases: readonly Case[] = [
  { name: "a cluster IP", elements: [clusterIp, toService, hairpin] },
  { name: "no endpoints: refused", endpoints: [], elements: [clusterIp, "no-endpoint-services 10.96.0.10 . tcp . 80: reject-chain"] },
  {
    name: "a local policy without a local endpoint: dropped",
    spec: { internalTrafficPolicy: "Local" },
    endpoints: [onAnotherNode("10.244.2.2")],
    elements: [clusterIp, "no-endpoint-services 10.96.0.10 . tcp . 80: drop"],
  },
  {
    name: "a node port",
    spec: { type: "NodePort", ports: [{ name: "web", port: 80, nodePort: 30080, protocol: "TCP" }] },
    elements: [clusterIp, toService, hairpin, "service-nodeports tcp . 30080: external/d/s/tcp/web"],
  },
  {
    name: "a local node port without a local endpoint: led on from the node itself, dropped from elsewhere",
    spec: { type: "NodePort", externalTrafficPolicy: "Local", ports: [{ name: "web", port: 80, nodePort: 30080, protocol: "TCP" }] },
    endpoints: [onAnotherNode("10.244.2.2")],
    elements: [clusterIp, toService, "no-endpoint-nodeports tcp . 30080: drop", "service-nodeports tcp . 30080: external/d/s/tcp/web"],
  },
  {
    name: "a load balancer with source ranges",
    spec: { type: "LoadBalancer", loadBalancerSourceRanges: [" 203.0.113.0/24 "] },
    status: ingress("198.51.100.9"),
    elements: [
      clusterIp,
      "firewall-ips 198.51.100.9 . tcp . 80: firewall/d/s/tcp/web",
      hairpin,
      toService,
      "service-ips 198.51.100.9 . tcp . 80: external/d/s/tcp/web",
    ],
  },
  {
    name: "a load balancer that sends to node ports itself",
    spec: { type: "LoadBalancer" },
    status: ingress("198.51.100.9", "Proxy"),
    elements: [clusterIp, toService, hairpin],
  },
  {
    name: "external IPs, those of this family",
    spec: { externalIPs: ["198.51.100.7", "2001:db8::7"] },
    elements: [clusterIp, hairpin, toService, "service-ips 198.51.100.7 . tcp . 80: external/d/s/tcp/web"],
  },
  {
    name: "SCTP",
    spec: { ports: [{ name: "web", port: 80, protocol: "SCTP" }] },
    elements: [clusterIp, "no-endpoint-services 10.96.0.10 . sctp . 80: reject-chain"],
  },
  { name: "headless", spec: { clusterIP: "None" }, elements: [] },
  { name: "ExternalName", spec: { type: "ExternalName", externalName: "example.com" }, elements: [] },
  { name: "an address of the other family only", spec: { clusterIP: "fd00::1", clusterIPs: ["fd00::1"] }, elements: [] },
];

for (const { name, spec, status, endpoints: own = endpoints, elements } of cases)
  test(`elements of a Service: ${name}`, () => {
    const ruleset = rulesetOf(input([{ service: service("s", spec, status), slices: [slice("s", own)] }]));
    assert.deepEqual(elementTexts(ruleset), [...elements].sort());
  });

test("every chain that rules lead to is there, for Services of all policies", () => {
  const specs = ["Cluster", "Local"].flatMap((external) =>
    ["Cluster", "Local"].flatMap((internal) =>
      [undefined, "ClientIP"].map((sessionAffinity) => ({
        type: "LoadBalancer",
        externalTrafficPolicy: external,
        internalTrafficPolicy: internal,
        ...(sessionAffinity === undefined ? {} : { sessionAffinity }),
        loadBalancerSourceRanges: ["203.0.113.0/24"],
        ports: [{ name: "web", port: 80, nodePort: 30080, protocol: "TCP" }],
      })),
    ),
  );
  const sets = [[], endpoints, endpoints.slice(0, 1), endpoints.slice(1)];
  for (const spec of specs)
    for (const own of sets) {
      const ruleset = rulesetOf(input([{ service: service("s", spec, ingress("198.51.100.9")), slices: [slice("s", own)] }]));
      const rules = ruleset.services.get("d/s");
      const text = JSON.stringify([...(rules?.chains.values() ?? []), ...(rules?.elements.values() ?? [])]);
      const led = [...text.matchAll(/"(?:target|goto)":"([^"]*)"/g)].map(([, chain = ""]) => chain);
      for (const chain of led) assert.ok(rules?.chains.has(chain) || ruleset.base.chains.has(chain), chain);
      for (const [, set = ""] of text.matchAll(/"@(affinity[^"]*)"/g)) assert.ok(rules?.affinitySets.has(set), set);
    }
});

test("clients stay for the timeout of the Service, three hours by default", () => {
  const of = (config: Partial<api.coreV1.ServiceSpec>) =>
    rulesetOf(
      input([{ service: service("s", { sessionAffinity: "ClientIP", ...config }), slices: [slice("s", [onThisNode("10.244.1.2")])] }]),
    )
      .services.get("d/s")
      ?.affinitySets.values()
      .toArray();
  assert.deepEqual(of({}), [10_800]);
  assert.deepEqual(of({ sessionAffinityConfig: { clientIP: { timeoutSeconds: 5 } } }), [5]);
});

test("only the addresses of the networks that are named accept node ports, never the loopback's", () => {
  const of = (nodePortAddresses: readonly string[], state: Partial<NodeState> = {}, more: Partial<ProxyConfiguration> = {}) => {
    const changed = { configuration: { ...configuration, nodePortAddresses, ...more }, node: { ...node, ...state } };
    return rulesetOf(input([], changed)).base.elements.keys().toArray();
  };
  assert.deepEqual(of([]), []);
  assert.deepEqual(of(["198.51.100.0/24", "127.0.0.0/8"]), ["nodeport-ips 198.51.100.1"]);
  assert.deepEqual(of(["fd00::/8"]), []);
});

test("what is computed again for a change is what is computed for all of it", () => {
  const one = { service: service("one"), slices: [slice("one", endpoints)] };
  const two = { service: service("two", { clusterIP: "10.96.0.11" }), slices: [] };
  const before = rulesetOf(input([one, two]));
  const changed = { ...two, slices: [slice("two", endpoints.slice(1))] };
  const after = nextRuleset(before, input([one, changed]), ["d/two"]);
  assert.deepEqual(after, rulesetOf(input([one, changed])));
  assert.equal(after.services.get("d/one"), before.services.get("d/one"));
  assert.deepEqual(nextRuleset(after, input([one]), ["d/two"]), rulesetOf(input([one])));
});

function elementTexts(ruleset: Ruleset): readonly string[] {
  return [...ruleset.services.values()]
    .flatMap(({ elements }) => [...elements.values()])
    .map((element) => {
      const { verdict } = element;
      return `${elementKey(element)}${verdict === undefined ? "" : `: ${"goto" in verdict ? verdict.goto : "drop"}`}`;
    })
    .sort();
}

const manyEndpoints = (count: number) => Array.from({ length: count }, (_, n) => onThisNode(`10.244.1.${n + 2}`));
const chanceOf = (rule: readonly unknown[]): number | undefined =>
  Number(/"numgen":{"mode":"random","mod":(\d+)/.exec(JSON.stringify(rule))?.[1]) || undefined;

test("each of few endpoints has a rule, and all get as much", () => {
  const ruleset = rulesetOf(input([{ service: service("s"), slices: [slice("s", manyEndpoints(4))] }]));
  const rules = ruleset.services.get("d/s")?.chains.get("service/d/s/tcp/web") ?? [];
  let left = 1;
  const parts = rules.map((rule) => {
    const part = left / (chanceOf(rule) ?? 1);
    left -= part;
    return part;
  });
  assert.deepEqual(
    parts.map((part) => part.toFixed(3)),
    ["0.250", "0.250", "0.250", "0.250"],
  );
  assert.doesNotMatch(JSON.stringify(rules), /"map"/);
});

test("many endpoints are chosen by one look into a map", () => {
  const ruleset = rulesetOf(input([{ service: service("s"), slices: [slice("s", manyEndpoints(9))] }]));
  const rules = ruleset.services.get("d/s")?.chains.get("service/d/s/tcp/web") ?? [];
  assert.deepEqual(rules.map(chanceOf), [9]);
});

test("clients that are kept at their endpoint get a first one by equal chance, too", () => {
  const sticky = service("s", { sessionAffinity: "ClientIP" });
  const ruleset = rulesetOf(input([{ service: sticky, slices: [slice("s", manyEndpoints(3))] }]));
  const rules = ruleset.services.get("d/s")?.chains.get("service/d/s/tcp/web") ?? [];
  assert.deepEqual(rules.slice(3).map(chanceOf), [3, 2, undefined]);
});

test("all rules, computed in turns, are those that are computed at once", async () => {
  const many = input(Array.from({ length: 1_200 }, (_, n) => ({ service: service(`s${n}`), slices: [slice(`s${n}`, endpoints)] })));
  let turns = 0;
  let counting: NodeJS.Immediate | undefined;
  const count = (): void => {
    counting = setImmediate(() => {
      turns++;
      count();
    });
  };
  count();
  const ruleset = await rulesetInTurns(many);
  clearImmediate(counting);
  assert.equal(turns, 2);
  assert.deepEqual(ruleset, rulesetOf(many));
});
