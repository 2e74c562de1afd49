/** Webhooks and API servers in Pods, found by their Services: at cluster IPs, at endpoints, on one node and on two. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { enterPrivateNetwork } from "../containerd/private-network.ts";
import { binary } from "../containerd/why-no-containers.ts";
import { checkedMap, type ExtendedCluster, extendCluster } from "./extensions.ts";
import { startKubectl } from "./programs.ts";
import { startRealCluster } from "./real-cluster.ts";
import { connectOutside, type Outside } from "./service-network.ts";
import { startSeveralNodes, whyNotSeveral } from "./several-nodes.ts";

enterPrivateNetwork();

const skip = whyNotSeveral() ?? (binary("conntrack") === undefined ? "not installed: conntrack" : false);

interface Configuration {
  readonly name: string;
  readonly start: () => Promise<ExtendedCluster & AsyncDisposable>;
  /** Where Services are reached. */
  readonly at: "cluster IP" | "endpoint";
}

const configurations: readonly Configuration[] = [
  { name: "on one node", start: () => startRealCluster(), at: "cluster IP" },
  {
    name: "on one node, with --enable-aggregator-routing",
    start: () => startRealCluster({ more: ["--enable-aggregator-routing"] }),
    at: "endpoint",
  },
  { name: "on two nodes", start: () => startSeveralNodes(2), at: "endpoint" },
];

let outside: Outside | undefined;
before(async () => {
  if (skip === false) outside = await connectOutside();
});
after(() => outside?.[Symbol.dispose]());

for (const { name, start, at } of configurations)
  describe(`webhooks and API servers in Pods, ${name}`, { skip, concurrency: 1, timeout: hangMs }, () => {
    let cluster: ExtendedCluster & AsyncDisposable;
    before(async () => {
      cluster = await start();
      await extendCluster(cluster);
    });
    after(() => cluster?.[Symbol.asyncDispose]());
    serverTests(() => cluster);
    webhookTests(() => cluster, at);
  });

function serverTests(current: () => ExtendedCluster): void {
  const { kubectl, refusal } = asker(current);

  test("a server in a Pod serves its group to kubectl, and knows who asks", async () => {
    assert.match(await kubectl("api-resources --api-group=boats.example.com"), /^boats +boats.example.com\/v1 +true +Boat$/m);
    await using watch = startKubectl(current(), "get boats --watch --output=name");
    const boat = { apiVersion: "boats.example.com/v1", kind: "Boat", metadata: { name: "b", namespace: "default" }, spec: { length: 7 } };
    await kubectl("create --validate=false -f -", JSON.stringify(boat));
    await kubectl("create --validate=false -f -", JSON.stringify({ ...boat, metadata: { name: "c", namespace: "default" } }));
    await watch.prints(/^boat.boats.example.com\/c$/m);
    assert.equal(await kubectl("get boats -o name"), "boat.boats.example.com/b\nboat.boats.example.com/c\n");
    assert.match(await kubectl("delete boat c"), /deleted/);
    assert.match(await refusal("get boat c"), /boats.boats.example.com "c" not found/);
    const asker = JSON.parse(await kubectl("get boat whoami -o json")).spec;
    assert.deepEqual(asker, { user: "coxswain-admin", groups: "system:masters, system:authenticated", client: "front-proxy-client" });
  });

  test("the Service of the server itself leads to the server", async () => {
    const config = JSON.parse(await kubectl("config view --raw -o json"));
    const caBundle: string = config.clusters[0].cluster["certificate-authority-data"];
    const webhook = JSON.parse(await kubectl("get validatingwebhookconfiguration agent -o json")).webhooks[0];
    const clientConfig = { service: { namespace: "default", name: "kubernetes", path: "/nowhere" }, caBundle };
    const own = { ...webhook, name: "own.example.com", clientConfig, objectSelector: { matchLabels: { own: "yes" } } };
    await current().apply({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "own" },
      webhooks: [own],
    });
    await kubectl("create configmap marked");
    assert.match(
      await refusal("label configmap marked own=yes"),
      /failed calling webhook "own.example.com": failed to call webhook: Unauthorized/,
    );
    await kubectl("delete validatingwebhookconfiguration own");
  });
}

function webhookTests(current: () => ExtendedCluster, at: Configuration["at"]): void {
  const { kubectl, clusterIp, refusal, eventually } = asker(current);

  test("what kubectl applies is changed and refused by webhooks", async () => {
    await kubectl("apply -f -", checkedMap("fine", { color: "red" }));
    assert.match(await kubectl("get configmap fine -o jsonpath={.metadata.labels.seen-by}"), /^hook-/);
    assert.match(
      await refusal("apply -f -", checkedMap("login", { password: "1234" })),
      /admission webhook "validating.example.com" denied the request: passwords belong into Secrets/,
    );
    assert.match(await refusal("get configmap login"), /configmaps "login" not found/);
  });

  test("connections come by the cluster IP, or past it", async () => {
    const { stdout } = spawnSync("conntrack", ["-L", "-p", "tcp", "--orig-dst", await clusterIp("hook")], { encoding: "utf8" });
    assert.equal(stdout.includes("dport=443"), at === "cluster IP", stdout);
  });

  test("a conversion webhook converts between the versions of a custom resource", async () => {
    assert.equal(await kubectl("get gadgets.v1.example.com g -o jsonpath={.spec.address}"), "h.example.com:80");
    assert.equal(await kubectl("get gadgets.v2.example.com g -o jsonpath={.spec.port}"), "80");
  });

  test("while their Pods are gone requests fail, and with Pods they go well again", async () => {
    await kubectl("scale deployment hook boats --replicas=0");
    const why =
      at === "cluster IP"
        ? `dial tcp ${(await clusterIp("hook")).replaceAll(".", "\\.")}:443: connect: connection refused`
        : 'no endpoints available for service "hook"';
    const failed = (webhook: string, path: string): RegExp =>
      new RegExp(
        `Internal error occurred: failed calling webhook "${webhook}": failed to call webhook: Post "https://hook.default.svc:443${path}\\?timeout=10s": ${why}`,
      );
    await eventually("applying fails", failed("mutating.example.com", "/mutate"), () => refusal("apply -f -", checkedMap("late")));
    const unconverted = new RegExp(
      `conversion webhook for example.com/v1, Kind=Gadget failed: Post "https://hook.default.svc:443/convert\\?timeout=30s": ${why}`,
    );
    await eventually("converting fails", unconverted, () => refusal("get gadgets.v2.example.com g"));
    await eventually("its server is unavailable", /ServiceUnavailable|unable to handle the request/, () => refusal("get boats"));
    const condition = await kubectl('get apiservice v1.boats.example.com -o jsonpath={.status.conditions[?(@.type=="Available")].reason}');
    assert.equal(condition, "MissingEndpoints");
    await kubectl("scale deployment hook boats --replicas=1");
    await eventually("applying goes well", /^$/, () => refusal("apply -f -", checkedMap("late")));
    await eventually("the gadget is converted", /^$/, () => refusal("get gadgets.v2.example.com g"));
    await eventually("boats are served", /^$/, () => refusal("get boats"));
  });

  test("a Pod that is killed takes no request with it for long", async () => {
    await kubectl("scale deployment hook --replicas=2");
    await kubectl("rollout status deployment/hook --timeout=5m");
    await kubectl("apply -f -", checkedMap("before"));
    await kubectl(["delete", "pods", "-l", "app=hook", "--grace-period=0", "--force", "--wait=false"]);
    await kubectl("rollout status deployment/hook --timeout=5m");
    await eventually("applying goes well", /^$/, () => refusal("apply -f -", checkedMap("after")));
  });
}

/** Asks by kubectl. */
function asker(current: () => ExtendedCluster) {
  const kubectl = (words: string | readonly string[], stdin?: string): Promise<string> => current().kubectl(words, stdin);
  return {
    kubectl,
    clusterIp: (name: string): Promise<string> => kubectl(`get service ${name} -o jsonpath={.spec.clusterIP}`),
    /** Empty where it goes well. */
    async refusal(words: string, stdin?: string): Promise<string> {
      const { code, stderr } = await current().attempt(words, stdin);
      return code === 0 ? "" : stderr;
    },
    async eventually(what: string, wanted: RegExp, ask: () => Promise<string>): Promise<void> {
      let said = "";
      const isSo = async (): Promise<boolean> => {
        said = await ask();
        return wanted.test(said);
      };
      await waitUntil(what, isSo, { pause: () => delay(100) }).catch((error: unknown) => {
        throw new Error(`not ${wanted}, but at last ${said}`, { cause: error });
      });
    },
  };
}
