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
