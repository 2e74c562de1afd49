/** Addresses for Pods of a machine on which nobody has said how they get any: of both families, by nothing but the command. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { nodes } from "@coxswain/client";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { mainFile, startCommand } from "../../conformance/command-under-test.ts";
import { cgroupRootOf } from "../containerd/cgroup-root.ts";
import { startContainerd } from "../containerd/containerd.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { binary } from "../containerd/why-no-containers.ts";
import { isReady } from "./manifests.ts";
import { type RealCluster, startRealCluster, whyNoRealCluster } from "./real-cluster.ts";
import { connectOutside, machineAddress, machineAddress2, type Outside, outsideAddress } from "./service-network.ts";
import { agentCommand, agentPod, service } from "./service-pods.ts";

enterPrivateNetwork();

const needed = ["nft", "iptables"].filter((name) => binary(name) === undefined);
const skip = whyNoRealCluster() ?? (needed.length > 0 ? `not installed: ${needed.join(", ")}` : false);
const clusterCidr = "--cluster-cidr=10.244.0.0/16,fd00:10:244::/56";

describe("the network of Pods of one machine", { skip, concurrency: 1, timeout: hangMs }, () => {
  let outside: Outside;
  let cluster: RealCluster;

  before(async () => {
    outside = await connectOutside();
    // As on a machine without br_netfilter: what a bridge carries would meet no rules.
    spawnSync("sysctl", ["-qw", "net.bridge.bridge-nf-call-iptables=0", "net.bridge.bridge-nf-call-ip6tables=0"]);
    cluster = await startRealCluster({ hasNoNetwork: true, more: [clusterCidr] });
    const web = (name: string, port: object) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name, labels: { app: name } },
      spec: agentPod(["serve"], { port }),
    });
    await cluster.apply(web("one", { hostPort: 18080, hostIP: machineAddress }), web("two", { hostPort: 18080, hostIP: machineAddress2 }));
    for (const name of ["one", "two"]) await cluster.podOnce(name, isReady);
  });

  const addressesOf = async (name: string): Promise<readonly string[]> =>
    ((await cluster.podOnce(name, isReady)).status?.podIPs ?? []).map(({ ip }) => ip ?? "");
  const urlOf = (address: string, path = "/", port = 8080): string =>
    `http://${address.includes(":") ? `[${address}]` : address}:${port}${path}`;
  const askedBy = async (pod: string, url: string): Promise<string> =>
    JSON.parse(await cluster.kubectl(["exec", pod, "--", ...agentCommand("ask", JSON.stringify([{ url }]))]))[0][0];
  const askedFrom = (inside: readonly string[], url: string): string => {
    const [program = "", ...args] = [...inside, ...agentCommand("ask", JSON.stringify([{ url }]))];
    return JSON.parse(spawnSync(program, args, { encoding: "utf8" }).stdout)[0][0];
  };

  test("the Node has ranges, and each Pod an address of each", async () => {
    const node = await cluster.client.resource(nodes).get("real");
    assert.deepEqual(node.spec?.podCIDRs, ["10.244.0.0/24", "fd00:10:244::/64"]);
    const all = await Promise.all(["one", "two"].map(addressesOf));
    for (const [v4 = "", v6 = ""] of all) {
      assert.match(v4, /^10\.244\.0\.\d+$/);
      assert.match(v6, /^fd00:10:244::[0-9a-f]+$/);
    }
    assert.equal(new Set(all.flat()).size, 4);
  });

  test("Pods reach each other and see each other's addresses, and the node reaches them, by both families", async () => {
    const own = await addressesOf("one");
    for (const [at, address] of (await addressesOf("two")).entries()) {
      assert.equal(await askedBy("one", urlOf(address, "/client")), own[at]);
      // The kernel takes its own new address of IPv6 for the source only when it knows that nobody else has it.
      await waitUntil(`the node reaches ${address}`, () => askedFrom([], urlOf(address)) === "0 two");
    }
  });

  test("ports of the host lead to Pods, from outside, the same one at two addresses to two", () => {
    assert.equal(askedFrom(outside.inside, urlOf(machineAddress, "/", 18080)), "0 one");
    assert.equal(askedFrom(outside.inside, urlOf(machineAddress2, "/", 18080)), "0 two");
  });

  test("outside, a Pod is seen at the machine's address", async () => {
    const [program = "", ...args] = [...outside.inside, ...agentCommand("serve")];
    const server = spawn(program, args, { stdio: "ignore" });
    try {
      await waitUntil("it serves", () => askedFrom([], urlOf(outsideAddress, "/client")) === machineAddress, {
        pause: () => delay(50),
      });
      assert.equal(await askedBy("one", urlOf(outsideAddress, "/client")), machineAddress);
    } finally {
      server.kill();
    }
  });

  test("a Service leads a Pod to another one, which sees its address, and to itself", async () => {
    await cluster.apply(service("one"), service("two"));
    const urlOfService = async (name: string, path: string): Promise<string> =>
      urlOf(await cluster.kubectl(`get service ${name} -o jsonpath={.spec.clusterIP}`), path, 80);
    for (const name of ["one", "two"]) {
      const url = await urlOfService(name, "/");
      await waitUntil(`Service ${name} answers`, async () => (await askedBy("one", url)) === `0 ${name}`);
    }
    assert.equal(await askedBy("one", await urlOfService("two", "/client")), (await addressesOf("one"))[0]);
  });

  test("a NetworkPolicy closes a Pod to another one of its node, by both families", async () => {
    const deny = { podSelector: { matchLabels: { app: "two" } }, policyTypes: ["Ingress"] };
    await cluster.apply({ apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: { name: "deny" }, spec: deny });
    for (const address of await addressesOf("two")) {
      const becomes = (answer: string) =>
        waitUntil(`one gets ${answer} of ${address}`, async () => (await askedBy("one", urlOf(address))) === answer);
      await becomes("error ETIMEDOUT");
      assert.equal(await askedBy("two", urlOf((await addressesOf("one"))[0] ?? "")), "0 one");
    }
    await cluster.kubectl("delete networkpolicy deny");
    for (const address of await addressesOf("two"))
      await waitUntil(`one reaches ${address} again`, async () => (await askedBy("one", urlOf(address))) === "0 two");
  });

  test("what goes to an address that no Pod has goes nowhere else", () => {
    for (const address of ["10.244.0.250", "fd00:10:244::fafa"])
      assert.match(spawnSync("ip", ["route", "get", address], { encoding: "utf8" }).stderr, /No route to host|Host is unreachable/);
  });

  test("rules and configuration that somebody removes are written again when the server is back", async () => {
    spawnSync("nft", ["delete", "table", "ip", "coxswain-pod-network"]);
    await cluster.killAndStart(async () => rmSync(configuration()));
    await waitUntil("the configuration is back", () => existsSync(configuration()), { pause: () => delay(50) });
    await waitUntil("the rules are back", () => /table ip coxswain-pod-network/.test(tables()), { pause: () => delay(50) });
    assert.equal(await askedBy("one", urlOf((await addressesOf("two"))[0] ?? "")), "0 two");
  });

  const configuration = (): string => join(cluster.containerd.folder, "net.d", "10-coxswain.conflist");

  after(async () => {
    using _ = outside;
    {
      await using ending = cluster;
      await ending.kubectl("delete pods --all --grace-period=1 --wait=true");
    }
    const folder = configuration().replace(/\/[^/]*$/, "");
    const { status, stderr } = spawnSync(
      process.execPath,
      [mainFile, "pod-network", "--cleanup", `--cni-conf-dir=${folder}`, `--container-runtime-endpoint=${cluster.containerd.socket}`],
      {
        encoding: "utf8",
      },
    );
    assert.equal(status, 0, stderr);
    assert.equal(existsSync(configuration()), false);
    assert.doesNotMatch(tables(), /coxswain-pod-network/);
    assert.doesNotMatch(spawnSync("ip", ["-brief", "link"], { encoding: "utf8" }).stdout, /^cni0/m);
  });
});

test("where Pods are joined by a bridge, later ones are as long as there are any, and then each has a link of its own", {
  skip,
  timeout: hangMs,
}, async () => {
  using _outside = await connectOutside();
  await using cluster = await startRealCluster({ hasNoNetwork: true });
  const { folder } = cluster.containerd;
  const configuration = join(folder, "net.d", "10-coxswain.conflist");
  const plugin = (): string => JSON.parse(readFileSync(configuration, "utf8")).plugins[0].type;
  const ip = (words: string): string => {
    const { status, stdout, stderr } = spawnSync("ip", words.split(" "), { encoding: "utf8" });
    assert.equal(status, 0, `ip ${words}: ${stderr}`);
    return stdout;
  };
  const server = (name: string) => ({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec: agentPod(["serve"]) });
  const asked = async (from: string, to: string): Promise<string> => {
    const { podIP } = (await cluster.podOnce(to, isReady)).status ?? {};
    const words = ["exec", from, "--", ...agentCommand("ask", JSON.stringify([{ url: `http://${podIP}:8080/` }]))];
    return JSON.parse(await cluster.kubectl(words))[0][0];
  };
  assert.equal(plugin(), "ptp");
  await cluster.killAndStart(async () => {
    ip("link add cni0 type bridge");
    ip("link add older master cni0 type veth");
    const { plugins, ...config } = JSON.parse(readFileSync(configuration, "utf8"));
    const bridge = { ...plugins[0], type: "bridge", bridge: "cni0", isGateway: true, hairpinMode: true };
    writeFileSync(configuration, JSON.stringify({ ...config, plugins: [bridge, ...plugins.slice(1)] }));
  });
  await cluster.apply(server("one"), server("two"));
  assert.equal(await asked("one", "two"), "0 two");
  await cluster.killAndStart();
  await cluster.apply(server("three"));
  assert.equal(await asked("one", "three"), "0 three");
  assert.equal(plugin(), "bridge");
  assert.equal(JSON.parse(ip("-json link show master cni0")).length, 4);
  await cluster.kubectl("delete pods --all --grace-period=1 --wait=true");
  await cluster.killAndStart(async () => void ip("link delete older"));
  await waitUntil("there is no bridge any more", () => !/^\d+: cni0/m.test(ip("link show")), { pause: () => delay(50) });
  await cluster.apply(server("one"), server("two"));
  assert.equal(await asked("one", "two"), "0 two");
  assert.equal(plugin(), "ptp");
  await cluster.kubectl("delete pods --all --grace-period=1 --wait=true");
});

const tables = (): string => spawnSync("nft", ["list", "tables"], { encoding: "utf8" }).stdout;

test("where a configuration is there already, it is left alone", { skip, timeout: hangMs }, async () => {
  await using containerd = await startContainerd();
  const runtime = ["--runtime", "cri", "--container-runtime-endpoint", containerd.socket, "--cgroup-root", cgroupRootOf(containerd)];
  const command = await startCommand(
    "--ephemeral",
    "--port=0",
    ...runtime,
    "--root-dir",
    join(containerd.folder, "kubelet"),
    "--log-level=info",
  );
  await waitUntil("it says so", () => /10-pods\.conflist says how Pods get addresses/.test(command.log()), { pause: () => delay(50) });
  assert.equal(await command.stop(), 0);
  assert.deepEqual(readdirSync(join(containerd.folder, "net.d")), ["10-pods.conflist"]);
});
