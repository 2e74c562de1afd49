/** Services of both families for real containers: names, cluster IPs and node ports, as Services get and lose a family. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { endpointSlices, services } from "@coxswain/client";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { binary } from "../containerd/why-no-containers.ts";
import { isReady } from "./manifests.ts";
import { type RealCluster, startRealCluster, whyNoRealCluster } from "./real-cluster.ts";
import { connectOutside, machineAddress, machineAddress6, type Outside } from "./service-network.ts";
import { agentCommand, agentPod, deployment, service } from "./service-pods.ts";

enterPrivateNetwork();

const needed = ["nft", "conntrack"].filter((name) => binary(name) === undefined);
const skip = whyNoRealCluster() ?? (needed.length > 0 ? `not installed: ${needed.join(", ")}` : false);

const ranges = ["--cluster-cidr=10.244.0.0/16,fd00:10:244::/56", "--service-cluster-ip-range=10.96.0.0/12,fd00:10:96::/112"];
const both = { ipFamilyPolicy: "PreferDualStack" };
const pause = (): Promise<void> => delay(100);

type Ask = { times?: number } & ({ url: string } | { addressesOf: string } | { reverse: string });
type Answers = readonly (string | readonly string[])[];

describe("Services of both families of real containers", { skip, concurrency: 1, timeout: hangMs }, () => {
  let outside: Outside;
  let cluster: RealCluster;

  before(async () => {
    outside = await connectOutside({ hasIpv6: true });
    cluster = await startRealCluster({ hasNoNetwork: true, more: ranges });
    const client = { apiVersion: "v1", kind: "Pod", metadata: { name: "client" }, spec: agentPod(["serve"]) };
    await cluster.apply(service("web", { type: "NodePort", ...both }), deployment("web", 2), client);
    await cluster.kubectl("rollout status deployment/web --timeout=5m");
    await cluster.podOnce("client", isReady);
  });

  const askedFromPod = async (...asks: readonly Ask[]): Promise<Answers[]> =>
    JSON.parse(await cluster.kubectl(["exec", "client", "--", ...agentCommand("ask", JSON.stringify(asks))]));
  const askedFrom = (inside: readonly string[], ...asks: readonly Ask[]): Answers[] => {
    const [program = "", ...args] = [...inside, ...agentCommand("ask", JSON.stringify(asks))];
    const { stdout, stderr } = spawnSync(program, args, { encoding: "utf8" });
    assert.equal(stderr, "");
    return JSON.parse(stdout);
  };
  const find = (name: string) => cluster.client.resource(services, "default").get(name);
  const addressesOf = async (name: string): Promise<readonly string[]> => (await find(name)).spec?.clusterIPs ?? [];
  const urlOf = (address: string, port = 80): string => `http://${address.includes(":") ? `[${address}]` : address}:${port}/`;
  const areAnswers = (answers: readonly Answers[], web = "web"): boolean =>
    answers.flat(2).every((answer) => answer.startsWith(`0 ${web}-`)) && answers.flat().length > 0;
  const becomes = async (
    what: string,
    ask: () => Promise<readonly Answers[]> | readonly Answers[],
    isRight: (answers: readonly Answers[]) => boolean,
  ) => {
    let answers: readonly Answers[] = [];
    const isThere = async (): Promise<boolean> => {
      answers = await ask();
      return isRight(answers);
    };
    await waitUntil(what, isThere, { pause }).catch((error: unknown) => {
      throw new Error(`the last answers were ${JSON.stringify(answers)}`, { cause: error });
    });
  };

  test("a Service has an address and EndpointSlices of each family, and a name that leads to both", async () => {
    const addresses = await addressesOf("web");
    assert.match(addresses.join(" "), /^10\.\S+ fd00:10:96::\S+$/);
    const slices = await cluster.client.resource(endpointSlices, "default").list({ labelSelector: "kubernetes.io/service-name=web" });
    assert.deepEqual(slices.items.map(({ addressType, endpoints = [] }) => `${addressType} ${endpoints?.length}`).sort(), [
      "IPv4 2",
      "IPv6 2",
    ]);
    await becomes(
      "the name leads to both",
      () => askedFromPod({ addressesOf: "web.default.svc.cluster.local" }),
      ([[found = []] = []]) => String(found) === String([...addresses].sort()),
    );
    const names = await askedFromPod(...addresses.map((reverse) => ({ reverse })));
    assert.deepEqual(names.flat(), ["web.default.svc.cluster.local", "web.default.svc.cluster.local"]);
  });

  test("both addresses answer to a Pod and on the node", async () => {
    const asks = (await addressesOf("web")).map((address) => ({ url: urlOf(address), times: 5 }));
    await becomes("a Pod is answered", () => askedFromPod(...asks), areAnswers);
    await becomes("the node is answered", () => askedFrom([], ...asks), areAnswers);
  });

  test("a node port answers at addresses of both families, to a Pod, on the node and from outside", async () => {
    const port = (await find("web")).spec?.ports?.find(({ name }) => name === "http")?.nodePort ?? 0;
    const asks = [machineAddress, machineAddress6].map((address) => ({ url: urlOf(address, port), times: 5 }));
    await becomes("a Pod is answered", () => askedFromPod(...asks), areAnswers);
    for (const inside of [[], outside.inside]) await becomes("others are answered", () => askedFrom(inside, ...asks), areAnswers);
  });

  test("a Service of IPv6 alone, and a headless one of both", async () => {
    await cluster.apply(
      service("six", { selector: { app: "web" }, ipFamilies: ["IPv6"] }),
      service("peers", { selector: { app: "web" }, clusterIP: "None", ...both }),
    );
    const addresses = await addressesOf("six");
    assert.match(addresses.join(" "), /^fd00:10:96::\S+$/);
    const asks = [
      { addressesOf: "six.default.svc.cluster.local" },
      { url: "http://six/" },
      { addressesOf: "peers.default.svc.cluster.local" },
    ];
    await becomes(
      "they have their addresses",
      () => askedFromPod(...asks),
      ([[six = []] = [], web = [], [peers = []] = []]) => String(six) === String(addresses) && areAnswers([web]) && peers.length === 4,
    );
  });

  test("a Service loses its second family, and gets it again", async () => {
    const [first = "", second = ""] = await addressesOf("web");
    const asks = [{ addressesOf: "web.default.svc.cluster.local" }, { url: urlOf(first) }, { url: urlOf(second) }];
    const asked = (): Promise<Answers[]> => askedFromPod(...asks);
    const patch = (spec: object) => cluster.kubectl(["patch", "service", "web", "--patch", JSON.stringify({ spec })]);
    await patch({ ipFamilyPolicy: "SingleStack" });
    assert.deepEqual(await addressesOf("web"), [first]);
    await becomes(
      "it has one",
      asked,
      ([[found = []] = [], four = [], six = []]) => String(found) === first && areAnswers([four]) && !areAnswers([six]),
    );
    await patch({ ipFamilyPolicy: "RequireDualStack", clusterIPs: [first, second] });
    assert.deepEqual(await addressesOf("web"), [first, second]);
    await becomes("it has both", asked, ([[found = []] = [], ...others]) => found.length === 2 && areAnswers(others));
  });

  after(async () => {
    using _ = outside;
    await cluster?.[Symbol.asyncDispose]();
  });
});
