/** Addresses for Pods of a machine on which nobody has said how they get any: of both families, by nothing but the command. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
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
import { agentCommand, agentPod } from "./service-pods.ts";

enterPrivateNetwork();

const needed = ["nft", "iptables"].filter((name) => binary(name) === undefined);
const skip = whyNoRealCluster() ?? (needed.length > 0 ? `not installed: ${needed.join(", ")}` : false);
const clusterCidr = "--cluster-cidr=10.244.0.0/16,fd00:10:244::/56";

describe("the network of Pods of one machine", { skip, concurrency: 1, timeout: hangMs }, () => {
  let outside: Outside;
  let cluster: RealCluster;

  before(async () => {
    outside = await connectOutside();
    cluster = await startRealCluster({ hasNoNetwork: true, more: [clusterCidr] });
    const web = (name: string, port: object) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name },
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
