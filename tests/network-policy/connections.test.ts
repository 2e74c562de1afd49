/** NetworkPolicies in network namespaces of the test's own: connections that succeed, and others that do not. */
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { promisify } from "node:util";
import { namespaces, pods } from "@coxswain/client";
import { waitUntil } from "@coxswain/machinery/testing";
import { tableName } from "@coxswain/network-policy";
import { ipFamilies, nftProgram, removeTables } from "@coxswain/proxy";
import { places, whyNoNetwork } from "../proxy/network.ts";
import { withPolicies } from "./policy-world.ts";

const execute = promisify(execFile);
const skip = whyNoNetwork() ?? false;
const app = (name: string) => ({ podSelector: { matchLabels: { app: name } } });
const aboutB = app("b");
const everybody = { podSelector: {} };

test("a Pod that no policy is about is open; default deny closes it to all but its node and itself", { skip }, () =>
  withPolicies("deny", async ({ policy, remove, becomes }) => {
    const toB = ["a b:8080", "remote b:8080", "outside b:8080", "a b:8081/udp", "a b:8080/ipv6", "outside b:8080/ipv6"] as const;
    const always = ["node b:8080", "node b:8080/ipv6", "b b:8080", "b a:8080", "outside a:8080", "remote a:8080/ipv6"] as const;
    await becomes([...toB, ...always], []);
    await policy("deny", { ...aboutB, policyTypes: ["Ingress"] });
    await becomes(always, toB);
    await remove("deny");
    await becomes([...toB, ...always], []);
  }),
);

test("default deny of egress closes the ways out of a Pod, but for its node and answers", { skip }, () =>
  withPolicies("egress", async ({ policy, becomes }) => {
    await policy("deny", { ...app("a"), policyTypes: ["Egress"] });
    await becomes(
      ["b a:8080", "outside a:8080", "node a:8080", "b remote:8080"],
      ["a b:8080", "a remote:8080", "a remote:8081/udp", "a b:8080/ipv6"],
    );
    // Another policy adds to what is allowed.
    await policy("to-remote", {
      ...everybody,
      policyTypes: ["Egress"],
      egress: [
        { to: [{ namespaceSelector: { matchExpressions: [{ key: "team", operator: "In", values: ["y"] }] } }], ports: [{ port: "http" }] },
      ],
    });
    await becomes(["a remote:8080", "b remote:8080", "a remote:8080/ipv6"], ["a remote:8081", "a remote:8081/udp", "a b:8080", "b a:8080"]);
  }),
);

test("ports are numbers, names and ranges of a protocol", { skip }, () =>
  withPolicies("ports", async ({ policy, remove, becomes }) => {
    await policy("p", { ...aboutB, ingress: [{ ports: [{ port: 8081 }] }] });
    await becomes(["a b:8081", "outside b:8081/ipv6"], ["a b:8080", "a b:8081/udp"]);
    await remove("p");
    await policy("p", { ...aboutB, ingress: [{ ports: [{ port: "http" }, { port: "talk", protocol: "UDP" }, { port: "absent" }] }] });
    await becomes(["a b:8080", "a b:8081/udp"], ["a b:8081", "a b:8080/udp"]);
    await remove("p");
    await policy("p", { ...aboutB, ingress: [{ ports: [{ port: 8000, endPort: 8080 }, { protocol: "UDP" }] }] });
    await becomes(["a b:8080", "a b:8080/udp", "a b:8081/udp"], ["a b:8081"]);
  }),
);

test("peers are Pods and namespaces by their labels, and blocks with exceptions", { skip }, () =>
  withPolicies("peers", async ({ cluster, policy, remove, becomes }) => {
    await policy("p", { ...aboutB, ingress: [{ from: [{ podSelector: { matchExpressions: [{ key: "app", operator: "Exists" }] } }] }] });
    // Without a selector of namespaces, those of the policy's own are meant.
    await becomes(["a b:8080"], ["remote b:8080", "outside b:8080"]);
    await remove("p");
    await policy("p", { ...aboutB, ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: "y" } }, ...app("remote") }] }] });
    await becomes(["remote b:8080", "remote b:8080/ipv6"], ["a b:8080", "outside b:8080"]);
    await cluster.client.resource(namespaces).modify("y", (one) => ({ ...one, metadata: { ...one.metadata, labels: { team: "z" } } }));
    await becomes([], ["remote b:8080", "remote b:8080/ipv6"]);
    await remove("p");
    const ipBlock = { cidr: "0.0.0.0/0", except: [`${places.remote.ipv4}/32`, "10.244.1.0/29"] };
    await policy("p", { ...aboutB, ingress: [{ from: [{ ipBlock }] }] });
    await becomes(["outside b:8080"], ["remote b:8080", "a b:8080", "outside b:8080/ipv6"]);
    await cluster.client.resource(pods, "x").modify("b", (pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { app: "other" } } }));
    await becomes(["remote b:8080", "a b:8080", "outside b:8080/ipv6"], []);
  }),
);

test("policies add up: what one of them allows is allowed, in each direction for itself", { skip }, () =>
  withPolicies("stacked", async ({ policy, change, remove, becomes }) => {
    await policy("from-a", { ...aboutB, ingress: [{ from: [app("a")], ports: [{ port: 8080 }] }] });
    await policy("from-y", {
      ...everybody,
      ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: "y" } } }], ports: [{ port: 8081 }] }],
    });
    await becomes(["a b:8080", "remote b:8081", "remote a:8081"], ["a b:8081", "remote b:8080", "outside b:8080", "b a:8080"]);
    // What goes out is nothing of theirs, and what comes in is nothing of this one.
    await policy("out", { ...aboutB, policyTypes: ["Egress"], egress: [{ to: [app("a")] }] });
    await becomes(["a b:8080", "remote b:8081"], ["b remote:8080", "b a:8080"]);
    await policy("open", { ...everybody, policyTypes: ["Ingress", "Egress"], ingress: [{}], egress: [{}] });
    await becomes(["outside b:8080", "b remote:8080", "b a:8080", "a b:8081", "a b:8081/udp"], []);
    await remove("open");
    await becomes(["a b:8080"], ["outside b:8080", "b remote:8080"]);
    // A policy that is another one than before.
    await change("from-a", { ingress: [{ from: [{ namespaceSelector: {} }], ports: [{ port: 8080 }] }] });
    await becomes(["a b:8080", "remote b:8080"], ["outside b:8080", "a b:8081"]);
  }),
);

test("namespaces are selected by the label that each has, and by expressions", { skip }, () =>
  withPolicies("names", async ({ policy, change, becomes }) => {
    const of = (namespaceSelector: object) => ({ ingress: [{ from: [{ namespaceSelector }] }] });
    const named = (operator: string, ...values: readonly string[]) => ({
      matchExpressions: [{ key: "kubernetes.io/metadata.name", operator, ...(values.length === 0 ? {} : { values }) }],
    });
    await policy("in", { ...aboutB, ...of({ matchLabels: { "kubernetes.io/metadata.name": "y" } }) });
    await becomes(["remote b:8080", "remote b:8080/ipv6"], ["a b:8080", "outside b:8080"]);
    await change("in", of(named("NotIn", "y", "z")));
    await becomes(["a b:8080"], ["remote b:8080", "outside b:8080"]);
    await change("in", of(named("Exists")));
    await becomes(["a b:8080", "remote b:8080"], ["outside b:8080"]);
    await change("in", of(named("DoesNotExist")));
    await becomes([], ["a b:8080", "remote b:8080"]);
  }),
);

test("Pods that get another label are other peers, and others that policies are about", { skip }, () =>
  withPolicies("labels", async ({ cluster, policy, becomes }) => {
    const label = (name: string, labels: Readonly<Record<string, string>>) =>
      cluster.client.resource(pods, "x").modify(name, (pod) => ({ ...pod, metadata: { ...pod.metadata, labels } }));
    await policy("in", {
      podSelector: { matchLabels: { guarded: "yes" } },
      ingress: [{ from: [{ podSelector: { matchLabels: { friend: "yes" } } }] }],
    });
    await becomes(["a b:8080"], []);
    await label("b", { app: "b", guarded: "yes" });
    await becomes([], ["a b:8080"]);
    await label("a", { app: "a", friend: "yes" });
    await becomes(["a b:8080"], ["outside b:8080"]);
    await label("a", { app: "a" });
    await becomes([], ["a b:8080"]);
  }),
);

test("a port of one protocol is none of another's, also of one that nobody speaks", { skip }, () =>
  withPolicies("protocols", async ({ policy, change, becomes }) => {
    const on = (protocol: string) => ({ ingress: [{ ports: [{ port: 8080, protocol }] }] });
    await policy("in", { ...aboutB, ...on("SCTP") });
    await becomes([], ["a b:8080", "a b:8080/udp", "outside b:8080/ipv6"]);
    await change("in", on("UDP"));
    await becomes(["a b:8080/udp", "outside b:8080/ipv6/udp"], ["a b:8080", "a b:8081/udp"]);
    await change("in", on("TCP"));
    await becomes(["a b:8080", "outside b:8080/ipv6"], ["a b:8080/udp", "a b:8081"]);
  }),
);

test("an exception of one block is no exception of another, also of egress", { skip }, () =>
  withPolicies("blocks", async ({ policy, change, becomes }) => {
    const all = { ipBlock: { cidr: "10.244.0.0/16", except: [`${places.remote.ipv4}/32`] } };
    await policy("out", { ...app("a"), policyTypes: ["Egress"], egress: [{ to: [all] }] });
    await becomes(["a b:8080"], ["a remote:8080", "a outside:8080", "a b:8080/ipv6"]);
    await change("out", { egress: [{ to: [all, { ipBlock: { cidr: `${places.remote.ipv4}/32` } }] }] });
    await becomes(["a b:8080", "a remote:8080"], ["a remote:8080/ipv6"]);
    await change("out", { egress: [{ to: [{ ipBlock: { cidr: "fd00:10:244::/48", except: [`${places.b.ipv6}/128`] } }] }] });
    await becomes(["a remote:8080/ipv6"], ["a b:8080/ipv6", "a b:8080"]);
  }),
);

test("a connection that stands goes on when a policy comes that would not let it begin", { skip }, () =>
  withPolicies("stand", async ({ network, policy, becomes }) => {
    const [, ...inA] = network.inside("a");
    const talk = join(import.meta.dirname, "../proxy/talk.mjs");
    const child = spawn("ip", [...inA, process.execPath, talk, "tcp", places.b.ipv4, "8080"], { stdio: ["pipe", "pipe", "inherit"] });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    assert.equal((await lines.next()).value, `b ${places.a.ipv4}`);
    await policy("deny", { ...aboutB, policyTypes: ["Ingress"] });
    await becomes([], ["a b:8080"]);
    child.stdin.write("?\n");
    assert.equal((await lines.next()).value, `b ${places.a.ipv4}`);
    child.stdin.end();
  }),
);

test("rules that somebody has removed are written again, and cleanup leaves none", { skip }, () =>
  withPolicies("repair", async ({ network, policy, becomes }) => {
    await policy("deny", { ...aboutB, policyTypes: ["Ingress"] });
    await becomes(["outside a:8080"], ["a b:8080"]);
    const [, ...inNode] = network.inside("node");
    const nft = async (...words: readonly string[]) => (await execute("ip", [...inNode, "nft", ...words])).stdout;
    for (const words of [
      ["flush", "ruleset"],
      ["flush", "map", "ip", tableName, "ingress"],
      ["flush", "chain", "ip", tableName, "forward"],
    ]) {
      await nft(...words);
      await becomes(["outside a:8080"], ["a b:8080"]);
    }
    const program = nftProgram([...network.inside("node"), "nft"], tableName);
    await waitUntil("they are gone", async () => {
      await removeTables(program, ipFamilies, tableName);
      return (await nft("list", "tables")) === "";
    });
  }),
);
