/** Services and names for real containers, by nothing but the command: its proxy, its DNS, its kubelet and its containers. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { deployments, services } from "@coxswain/client";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { waitFor } from "coxswain/testing";
import { mainFile, startCommand } from "../../conformance/command-under-test.ts";
import { cgroupRootOf } from "../containerd/cgroup-root.ts";
import { startContainerd } from "../containerd/containerd.ts";
import { type Leftovers, leftoversOf, settledLeftovers } from "../containerd/leftovers.ts";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { binary } from "../containerd/why-no-containers.ts";
import { isReady, isRunning } from "./manifests.ts";
import { startKubectl } from "./programs.ts";
import { type RealCluster, startRealCluster, whyNoRealCluster } from "./real-cluster.ts";
import { connectOutside, machineAddress, type Outside } from "./service-network.ts";
import { agentCommand, agentPod, deployment, service } from "./service-pods.ts";

enterPrivateNetwork();

const needed = ["nft", "conntrack"].filter((name) => binary(name) === undefined);
const skip = whyNoRealCluster() ?? (needed.length > 0 ? `not installed: ${needed.join(", ")}` : false);

type Ask = { times?: number } & ({ url: string } | { udp: string } | { name: string } | { api: string });

describe("Services of real containers", { skip, concurrency: 1, timeout: hangMs }, () => {
  let outside: Outside;
  let cluster: RealCluster;
  let beginning: { readonly leftovers: Leftovers; readonly network: string };

  before(async () => {
    outside = await connectOutside();
    const network = networkText();
    cluster = await startRealCluster();
    beginning = { leftovers: leftoversOf(cluster.containerd), network };
    const client = { apiVersion: "v1", kind: "Pod", metadata: { name: "client" }, spec: agentPod(["serve"]) };
    await cluster.apply(service("web", { type: "NodePort" }), deployment("web", 3), client);
    await cluster.kubectl("rollout status deployment/web --timeout=5m");
    await cluster.podOnce("client", isReady);
    await waitUntil("the rules lead to all three", async () => {
      const [answers] = await askedFromPod({ url: "http://web/", times: 12 });
      return new Set(answers?.filter((answer) => answer.startsWith("0 web-"))).size === 3;
    });
  });

  const askedFromPod = async (...asks: readonly Ask[]): Promise<string[][]> =>
    JSON.parse(await cluster.kubectl(["exec", "client", "--", ...agentCommand("ask", JSON.stringify(asks))]));
  const askedFrom = (inside: readonly string[], ...asks: readonly Ask[]): string[][] => {
    const [program = "", ...args] = [...inside, ...agentCommand("ask", JSON.stringify(asks))];
    const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
    assert.equal(stderr, "");
    return JSON.parse(stdout);
  };
  const find = (name: string) => cluster.client.resource(services, "default").get(name);

  test("a Pod reaches a Service by its names and by its address, and spreads over its Pods", async () => {
    const { spec } = await find("web");
    const asks = ["web", "web.default", "web.default.svc.cluster.local", spec?.clusterIP].map((host) => ({
      url: `http://${host}/`,
      times: 12,
    }));
    for (const answers of await askedFromPod(...asks)) {
      assert.deepEqual(
        answers.filter((answer) => !/^0 web-/.test(answer)),
        [],
      );
      assert.ok(new Set(answers).size > 1, `${answers}`);
    }
    const [udp, absent, unused] = await askedFromPod(
      { udp: "web", times: 3 },
      { name: "absent.default.svc.cluster.local." },
      { url: "http://web:81/" },
    );
    assert.deepEqual(
      udp?.filter((answer) => !answer.startsWith("web-")),
      [],
    );
    assert.deepEqual([absent, unused], [["error ENOTFOUND"], ["error ECONNREFUSED"]]);
  });

  test("node ports and cluster IPs answer on the node, node ports from outside", async () => {
    const { spec } = await find("web");
    const nodePort = spec?.ports?.find(({ name }) => name === "http")?.nodePort;
    const url = `http://${machineAddress}:${nodePort}/`;
    const asks = [
      { url, times: 5 },
      { url: `http://${spec?.clusterIP}/`, times: 5 },
    ];
    const answers = [
      ...askedFrom([], ...asks),
      ...askedFrom(outside.inside, { url, times: 5 }),
      ...(await askedFromPod({ url, times: 5 })),
    ];
    assert.deepEqual(
      answers.flat().filter((answer) => !/^0 web-/.test(answer)),
      [],
    );
    assert.equal(answers.flat().length, 20);
  });

  test("a Pod reaches the API server at kubernetes.default.svc, as its service account", async () => {
    const [said] = await askedFromPod({ api: "kubernetes.default.svc" });
    assert.deepEqual(said, ["system:serviceaccount:default:default"]);
  });

  test("proxy and DNS may do no more than in Kubernetes, and write what leads to DNS", async () => {
    const may = async (words: string, ...who: readonly string[]) =>
      (await cluster.attempt(["auth", "can-i", ...words.split(" "), ...who])).stdout.trim();
    const dns = ["--as=system:serviceaccount:kube-system:coredns", "--as-group=system:serviceaccounts"];
    const proxy = ["--as=system:kube-proxy"];
    for (const who of [dns, proxy])
      for (const words of ["get secrets", "list configmaps -A", "update services -n kube-system", "delete endpointslices -n kube-system"])
        assert.equal(await may(words, ...who), "no", `${words} ${who[0]}`);
    assert.equal(await may("list services -A", ...dns), "yes");
    assert.equal(await may("delete endpointslices/kube-dns-ipv4 -n kube-system", ...dns), "yes");
    const slice = await cluster.kubectl("get endpointslice kube-dns-ipv4 -n kube-system -o jsonpath={.endpoints[0].addresses[0]}");
    assert.equal(slice, machineAddress);
  });

  test("a load balancer is told by the health check port how many Pods of the Service the node has", async () => {
    const spec = { type: "LoadBalancer", externalTrafficPolicy: "Local", selector: { app: "web" } };
    await cluster.apply(service("balanced", spec));
    const port = (await find("balanced")).spec?.healthCheckNodePort;
    const asked = () => askedFrom(outside.inside, { url: `http://${machineAddress}:${port}/healthz` })[0]?.[0] ?? "";
    await waitUntil("it says three", () => /"localEndpoints": 3,/.test(asked()));
    await cluster.kubectl("delete service balanced");
    await waitUntil("the port is closed", () => asked() === "error ECONNREFUSED");
  });

  test("session affinity keeps a client at one Pod, until it is switched off", async () => {
    await cluster.apply(service("kept", { selector: { app: "web" }, sessionAffinity: "ClientIP" }));
    const seen = async () => new Set((await askedFromPod({ url: "http://kept/", times: 12 }))[0]);
    await waitUntil("one Pod answers", async () => {
      const answers = await seen();
      return answers.size === 1 && [...answers].every((answer) => answer.startsWith("0 web-"));
    });
    await cluster.kubectl(["patch", "service", "kept", "--patch", '{"spec":{"sessionAffinity":"None"}}']);
    await waitUntil("several answer", async () => (await seen()).size > 1);
  });

  test("peers of a StatefulSet have names, and an ExternalName is another name of a Service", async () => {
    const set = { ...deployment("peer", 2), kind: "StatefulSet" } as { readonly kind: string; readonly spec?: Record<string, unknown> };
    const { strategy: _, ...spec } = set.spec ?? {};
    const external = {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "alias" },
      spec: { type: "ExternalName", externalName: "web.default.svc.cluster.local" },
    };
    await cluster.apply(
      service("peer", { clusterIP: "None" }),
      { ...set, spec: { ...spec, serviceName: "peer", podManagementPolicy: "Parallel" } },
      external,
    );
    await cluster.kubectl("rollout status statefulset/peer --timeout=5m");
    const asks = [
      { url: "http://peer-0.peer:8080/" },
      { url: "http://peer-1.peer.default.svc.cluster.local:8080/" },
      { url: "http://alias/" },
    ];
    await waitUntil("peers are known by name", async () => {
      const [[zero = ""] = [], [one = ""] = [], [alias = ""] = []] = await askedFromPod(...asks);
      return zero === "0 peer-0" && one === "0 peer-1" && alias.startsWith("0 web-");
    });
  });

  test("a Deployment is rolled and no connection to its Service is refused", async () => {
    await using load = startKubectl(cluster, ["exec", "client", "--", ...agentCommand("load", "http://web/")]);
    const answers = () => load.printed().split("\n").slice(0, -1);
    await waitUntil("ten answers", () => answers().length > 10, { pause: () => delay(20) });
    await cluster.apply(deployment("web", 3, "1"));
    await cluster.kubectl("rollout status deployment/web --timeout=5m");
    await waitUntil(
      "the new version answers",
      () =>
        answers()
          .slice(-50)
          .every((answer) => answer.startsWith("1 ")),
      { pause: () => delay(20) },
    );
    assert.deepEqual(
      answers().filter((answer) => !/^[01] web-/.test(answer)),
      [],
    );
  });

  test("proxy, DNS, kubelet and API server are killed: Services answer on, connections stand, and what comes later is led, too", async () => {
    const talker = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "talker" },
      spec: agentPod(["talk", "web", "7000"], { restartPolicy: "Never" }),
    };
    await cluster.apply(talker);
    await cluster.podOnce("talker", isRunning);
    const answered = async () => Number(/ (\d+)\s*$/.exec((await cluster.attempt("logs talker --tail=1")).stdout)?.[1] ?? 0);
    await waitUntil("it is answered", async () => (await answered()) > 0);
    const clusterIp = (await find("web")).spec?.clusterIP;
    // A kubelet that is killed while it ends Pods is another test's.
    const isRolled = ({ status }: { status?: { terminatingReplicas?: number } }) => (status?.terminatingReplicas ?? 0) === 0;
    await waitFor(cluster.client, { ref: deployments, target: "web", until: isRolled });
    await cluster.killAndStart(async () => {
      const [answers] = askedFrom([], { url: `http://${clusterIp}/`, times: 10 });
      assert.deepEqual(
        answers?.filter((answer) => !/^1 web-/.test(answer)),
        [],
      );
    });
    const before = await answered();
    await waitUntil("it goes on", async () => (await answered()) > before);
    await cluster.apply(service("later", { selector: { app: "web" } }));
    await waitUntil("names and addresses are followed", async () => {
      const [[later = ""] = [], [web = ""] = []] = await askedFromPod({ url: "http://later/" }, { url: "http://web/" });
      return later.startsWith("1 web-") && web.startsWith("1 web-");
    });
    assert.equal((await cluster.podOnce("talker", isRunning)).status?.phase, "Running");
    const health = await cluster.kubectl("get --raw /healthz?verbose");
    for (const name of ["proxy", "dns"]) assert.ok(health.includes(`[+]${name} ok`), health);
    const metrics = await cluster.kubectl("get --raw /metrics");
    for (const name of ["kubeproxy_sync_proxy_rules_duration_seconds_count", "coredns_dns_requests_total"])
      assert.match(metrics, new RegExp(`^${name}{?.* [1-9]\\d*$`, "m"));
  });

  after(async () => {
    using _ = outside;
    {
      await using ending = cluster;
      await ending.kubectl("delete deployments,statefulsets,services --all");
      await ending.kubectl("delete pods --all --grace-period=1 --wait=true");
      assert.deepEqual(await settledLeftovers(ending.containerd, beginning.leftovers), beginning.leftovers);
    }
    const { status } = spawnSync(process.execPath, [mainFile, "proxy", "--cleanup"], { stdio: "inherit" });
    assert.equal(status, 0);
    assert.equal(networkText(), beginning.network);
  });
});

test("the rules of a server that keeps nothing end with it", { skip, timeout: hangMs }, async () => {
  await using containerd = await startContainerd();
  const runtime = ["--runtime", "cri", "--container-runtime-endpoint", containerd.socket, "--cgroup-root", cgroupRootOf(containerd)];
  const command = await startCommand("--ephemeral", ...runtime, "--root-dir", join(containerd.folder, "kubelet"));
  const tables = () => spawnSync("nft", ["list", "tables"], { encoding: "utf8" }).stdout;
  await waitUntil("rules are written", () => /table ip6 coxswain-proxy/.test(tables()), { pause: () => delay(50) });
  assert.equal(await command.stop(), 0);
  assert.equal(tables(), "");
});

/** Tables, links but the bridge that the CNI plugin leaves, and namespaces of Pods. */
function networkText(): string {
  const said = (...command: readonly string[]) => spawnSync(command[0] ?? "", command.slice(1), { encoding: "utf8" }).stdout;
  const links = said("ip", "-brief", "link")
    .split("\n")
    .filter((line) => !line.startsWith("cni0"))
    .map((line) => line.split(/\s+/)[0]);
  // Those of other tests have other names.
  const ofPods = said("ip", "netns")
    .split("\n")
    .filter((name) => name.startsWith("cni-"));
  return [said("nft", "list", "tables"), ...links, ...ofPods].join("\n");
}
