/** A cluster whose Services have IPv6 by default: the server, names and Services are reached by it. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { endpointSlices, services } from "@coxswain/client";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { binary } from "../containerd/why-no-containers.ts";
import { isReady } from "./manifests.ts";
import { type RealCluster, startRealCluster, whyNoRealCluster } from "./real-cluster.ts";
import { connectOutside, machineAddress6, type Outside } from "./service-network.ts";
import { agentCommand, agentPod, deployment, service } from "./service-pods.ts";

enterPrivateNetwork();

const needed = ["nft", "conntrack"].filter((name) => binary(name) === undefined);
const skip = whyNoRealCluster() ?? (needed.length > 0 ? `not installed: ${needed.join(", ")}` : false);
const ranges = ["--cluster-cidr=fd00:10:244::/56,10.244.0.0/16", "--service-cluster-ip-range=fd00:10:96::/112,10.96.0.0/12"];

describe("Services of real containers that have IPv6 by default", { skip, concurrency: 1, timeout: hangMs }, () => {
  let outside: Outside;
  let cluster: RealCluster;

  before(async () => {
    outside = await connectOutside({ hasIpv6: true });
    cluster = await startRealCluster({ hasNoNetwork: true, more: ranges });
    const client = { apiVersion: "v1", kind: "Pod", metadata: { name: "client" }, spec: agentPod(["serve"]) };
    await cluster.apply(service("web"), deployment("web", 1), client);
    await cluster.kubectl("rollout status deployment/web --timeout=5m");
    await cluster.podOnce("client", isReady);
  });

  const asked = async (ask: object): Promise<string> =>
    String(JSON.parse(await cluster.kubectl(["exec", "client", "--", ...agentCommand("ask", JSON.stringify([ask]))]))[0][0]);
  const answers = async (ask: object, expected: string | RegExp): Promise<void> => {
    let answer = "";
    const isThere = async (): Promise<boolean> => {
      answer = await asked(ask);
      return typeof expected === "string" ? answer === expected : expected.test(answer);
    };
    await waitUntil(`${JSON.stringify(ask)} is answered by ${expected}`, isThere, { pause: () => delay(100) }).catch((error: unknown) => {
      throw new Error(`the last answer was ${answer}`, { cause: error });
    });
  };

  test("a Service that says nothing has an address of IPv6 alone, and its name leads there", async () => {
    const { spec } = await cluster.client.resource(services, "default").get("web");
    assert.deepEqual([spec?.ipFamilies, spec?.ipFamilyPolicy, spec?.clusterIPs?.length], [["IPv6"], "SingleStack", 1]);
    await answers({ addressesOf: "web.default.svc.cluster.local" }, spec?.clusterIP ?? "");
    await answers({ url: "http://web/" }, /^0 web-/);
  });

  test("a Pod asks for names, and reaches the server, at addresses of IPv6", async () => {
    assert.match(await cluster.kubectl("exec client -- cat /etc/resolv.conf"), /^nameserver fd00:10:96::a$/m);
    await answers({ addressesOf: "kubernetes.default.svc.cluster.local" }, "fd00:10:96::1");
    await answers({ api: "kubernetes.default.svc" }, "system:serviceaccount:default:default");
    const { addressType, endpoints } = await cluster.client.resource(endpointSlices, "default").get("kubernetes");
    assert.deepEqual([addressType, endpoints?.[0]?.addresses], ["IPv6", [machineAddress6]]);
  });

  after(async () => {
    using _ = outside;
    await cluster?.[Symbol.asyncDispose]();
  });
});
