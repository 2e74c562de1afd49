/** Three servers on one etcd behind HAProxy: they accept each other's clients, and one that ends or is killed costs no client anything. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import {
  type api,
  ConnectionError,
  configMaps,
  deployments,
  isAlreadyExists,
  isConflict,
  isNotFound,
  leases,
  pods,
  type ResourceClient,
  serviceAccounts,
} from "@coxswain/client";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { run } from "../conformance/client-program.ts";
import { BalancedServers, names, whyNoBalancedServers } from "./balanced-servers.ts";
import { followByKubectl, readPages } from "./kubectl-readers.ts";

/**
 * Creates, updates, reads and deletes until `work` is done; whoever follows sees each step once. Of our client's requests at most `cut`
 * may end without an answer, and are sent again; kubectl's are repeated as often.
 * @returns how many objects there were, `CUT-0` and so on
 */
async function underLoad(servers: BalancedServers, cut: 0 | 1, work: () => Promise<void>): Promise<number> {
  const client = await servers.client();
  await using _ = client;
  const objects = client.resource(configMaps, "default");
  const seen = new Map<string, string[]>();
  const stop = new AbortController();
  const listed = Promise.withResolvers<void>();
  const following = follow(objects, seen, listed.resolve, stop.signal);
  await listed.promise;
  let done = false;
  const working = work().finally(() => {
    done = true;
  });
  let [made, unanswered] = [0, 0];
  const kubectl = servedByKubectl(servers, cut, () => done);
  for (; !done; made++) {
    const ref = { name: `${cut}-${made}`, namespace: "default" };
    const object = await sent(
      () => objects.create({ metadata: ref, data: { step: "1" } }),
      isAlreadyExists,
      () => objects.get(ref),
    );
    const next = { ...object, data: { step: "2" } };
    await sent(
      () => objects.update(next),
      isConflict,
      () => objects.get(ref),
    );
    assert.equal((await sent(() => objects.get(ref))).data?.step, "2");
    await sent(
      () => objects.delete(ref),
      isNotFound,
      async () => undefined,
    );
  }
  await working;
  await kubectl;
  const all = Array.from({ length: made }, (_, i) => `${cut}-${i}`);
  await waitUntil("the last event", () => seen.get(`${cut}-${made - 1}`)?.at(-1) === "DELETED");
  stop.abort();
  await following;
  for (const name of all) assert.deepEqual(seen.get(name), ["ADDED", "MODIFIED", "DELETED"], name);
  return made;

  /** `wasDone`: what the second attempt says where the first one had come through. */
  async function sent<T>(request: () => Promise<T>, wasDone?: (error: unknown) => boolean, read?: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof ConnectionError) || ++unanswered > cut) throw error;
    }
    try {
      return await request();
    } catch (error) {
      if (wasDone?.(error) !== true || read === undefined) throw error;
      return await read();
    }
  }
}

/** Collects what happens to each object, until the signal. */
async function follow(
  objects: Pick<ResourceClient<api.coreV1.ConfigMap>, "watch">,
  seen: Map<string, string[]>,
  onListed: () => void,
  signal: AbortSignal,
): Promise<void> {
  let lists = 0;
  try {
    for await (const event of objects.watch({ signal })) {
      // A second list would mean that events may have been missed.
      if (event.type === "LISTED") assert.equal(++lists, 1);
      onListed();
      if (event.type === "LISTED" || event.type === "BOOKMARK") continue;
      const { name = "" } = event.object.metadata ?? {};
      seen.set(name, [...(seen.get(name) ?? []), event.type]);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function servedByKubectl(servers: BalancedServers, cut: 0 | 1, isDone: () => boolean): Promise<void> {
  let failed = 0;
  while (!isDone()) {
    try {
      assert.match(await servers.kubectl("get", "namespace", "default", "-o", "name"), /^namespace\/default/);
    } catch (error) {
      if (++failed > cut) throw error;
    }
  }
}

suite("three servers on one etcd behind HAProxy", { skip: whyNoBalancedServers ?? false }, () => {
  const servers = new BalancedServers();
  before(() => servers.start());
  after(() => servers[Symbol.asyncDispose]());

  const leader = async (): Promise<{ readonly holder: string; readonly index: number }> => {
    const client = await servers.client();
    await using _ = client;
    const lease = await client.resource(leases, "kube-system").get("kube-controller-manager");
    const index = await Promise.any(
      names.map(async (name, i) => {
        const { stdout } = await run("kubectl", ["--kubeconfig", join(servers.folder, `${name}.kubeconfig`), "get", "--raw", "/metrics"], {
          timeoutMs: hangMs,
        });
        if (!/^leader_election_master_status\{name="kube-controller-manager"\} 1$/m.test(stdout)) throw new Error("does not lead");
        return i;
      }),
    );
    return { holder: lease.spec?.holderIdentity ?? "", index };
  };

  test("each has its identity Lease, and one of them leads the controllers", async () => {
    const client = await servers.client();
    await using _ = client;
    const of = client.resource(leases, "kube-system");
    const selector = "apiserver.kubernetes.io/identity=kube-apiserver";
    await waitUntil("three Leases", async () => (await of.list({ labelSelector: selector })).items.length === 3);
    await waitUntil("a leader", () =>
      leader().then(
        () => true,
        () => false,
      ),
    );
  });

  test("a token and a client certificate of one count on each of the others", async () => {
    const one = await servers.client("one.kubeconfig");
    await using _ = one;
    await one.resource(serviceAccounts).create({ metadata: { name: "bob", namespace: "default" } });
    const { stdout: token } = await run("kubectl", ["--kubeconfig", join(servers.folder, "one.kubeconfig"), "create", "token", "bob"], {
      timeoutMs: hangMs,
    });
    for (const port of servers.ports) {
      const to = ["--server", `https://127.0.0.1:${port}`, "-o", "name"];
      const as = ["--kubeconfig", "/dev/null", "--certificate-authority", join(servers.folder, "ca.crt"), "--token", token.trim()];
      const byToken = await run("kubectl", ["get", "pods", ...as, ...to], { timeoutMs: hangMs });
      assert.match(byToken.stderr, /User "system:serviceaccount:default:bob" cannot list resource "pods"/);
      // The certificate is in the kubeconfig; the token beside it is the other server's alone.
      assert.match(await servers.kubectl("get", "namespace", "default", ...to), /^namespace\/default/);
    }
  });

  test("a rolling restart fails no request, and no watch misses or repeats an event", async () => {
    await using events = await followByKubectl(servers);
    let isDone = false;
    const pages = readPages(servers, () => isDone);
    const made = await underLoad(servers, 0, async () => {
      for (const i of names.keys()) {
        await servers.end(i, "SIGTERM");
        await servers.run(i);
        await sleepMs(1_000);
      }
    });
    isDone = true;
    await pages;
    for (let i = 0; i < made; i++) await waitUntil(`the end of 0-${i}`, () => events.of(`0-${i}`).at(-1) === "DELETED");
    for (let i = 0; i < made; i++) assert.deepEqual(events.of(`0-${i}`), ["ADDED", "MODIFIED", "DELETED"]);
    assert.ok(events.moves > 0, "the watch has moved to another server");
  });

  test("killing the leader costs no client anything, and another goes on within the time of the lease", async () => {
    await waitUntil("a leader", () =>
      leader().then(
        () => true,
        () => false,
      ),
    );
    const before = await leader();
    await underLoad(servers, 1, async () => {
      await servers.end(before.index, "SIGKILL");
      const client = await servers.client();
      await using _ = client;
      const labels = { app: "web" };
      await client.resource(deployments).create({
        metadata: { name: "web", namespace: "default" },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: "a", image: "a" }] } } },
      });
      const exists = async () => (await client.resource(pods, "default").list({ labelSelector: "app=web" })).items.length === 1;
      await waitUntil("the Pod of the Deployment", exists);
    });
    assert.notEqual((await leader()).holder, before.holder);
  });
});

/** So that the balancer finds a server again before the next one ends. */
const sleepMs = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
