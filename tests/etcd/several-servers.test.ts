/** What holds between servers on one etcd, seen from outside: the rules themselves are tested in tests/integration/several-servers. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { openEtcdStore } from "@coxswain/store/etcd";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";
import { type EtcdUnderTest, startEtcd, whyNoEtcd } from "../etcd-server.ts";
import { definitionOf, definitionPath, widgets } from "../integration/custom-resources.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
type Json = any;

interface Answer {
  readonly status: number;
  readonly body: Json;
}

const ns = "/api/v1/namespaces/default";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** What a client of one server asks. */
async function ask({ server, token }: Pick<CommandUnderTest, "server" | "token">, call: string, body?: object): Promise<Answer> {
  const [method = "", path = ""] = call.split(" ");
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const sent = request(`${server}${path}`, { method, headers, rejectUnauthorized: false });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = await once(sent, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  const isJson = String(response.headers["content-type"]).startsWith("application/json");
  return { status: response.statusCode, body: isJson ? JSON.parse(text) : text };
}

async function make(server: CommandUnderTest, path: string, body: object): Promise<Json> {
  const answer = await ask(server, `POST ${path}`, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body;
}

/** Written by somebody else: the servers see that the revision has moved when they ask, and nothing else of it. */
async function writeElsewhere({ url }: EtcdUnderTest, key: string): Promise<void> {
  const body = JSON.stringify({ key: Buffer.from(key).toString("base64"), value: "" });
  assert.ok((await fetch(`${url}/v3/kv/put`, { method: "POST", body })).ok);
}

suite("several servers on one etcd", { skip: whyNoEtcd() ?? false }, () => {
  let etcd: EtcdUnderTest;
  let folder: string;
  let servers: [CommandUnderTest, CommandUnderTest];

  const start = (name: string, ip: string): Promise<CommandUnderTest> =>
    startCommand("--data-dir", join(folder, name), `--etcd-servers=${etcd.url}`, `--advertise-address=${ip}`);

  /** The first makes keys and authorities; the second gets the same before it starts. */
  before(async () => {
    etcd = await startEtcd();
    folder = mkdtempSync(join(tmpdir(), "coxswain-several-"));
    const one = await start("one", "192.0.2.1");
    mkdirSync(join(folder, "two"), { mode: 0o700 });
    cpSync(join(folder, "one", "pki"), join(folder, "two", "pki"), { recursive: true });
    servers = [one, await start("two", "192.0.2.2")];
  });
  after(async () => {
    for (const server of servers ?? []) await server.stop();
    await etcd[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("a token of a service account counts on both until one has deleted the account", async () => {
    const [one, two] = servers;
    for (let i = 0; i < 10; i++) {
      const name = `robot-${i}`;
      await make(one, `${ns}/serviceaccounts`, { metadata: { name } });
      const { status } = await make(one, `${ns}/serviceaccounts/${name}/token`, {});
      const whoami = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
      const review = () =>
        ask({ server: two.server, token: status.token }, "POST /apis/authentication.k8s.io/v1/selfsubjectreviews", whoami);
      assert.equal((await review()).body.status?.userInfo.username, `system:serviceaccount:default:${name}`);
      assert.equal((await ask(one, `DELETE ${ns}/serviceaccounts/${name}`)).status, 200);
      assert.equal((await review()).status, 401);
    }
  });

  test("what one establishes the other serves at once, and no more once the one has deleted it", async () => {
    const [one, two] = servers;
    for (let i = 0; i < 3; i++) {
      await make(one, definitions, definitionOf());
      await waitUntil("the definition to be established", async () => {
        const { body } = await ask(one, `GET ${definitionPath()}`);
        return body.status?.conditions?.some(({ type, status }: Json) => type === "Established" && status === "True") === true;
      });
      await make(two, widgets, { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: `w-${i}` }, spec: { size: i } });
      assert.equal((await ask(two, `DELETE ${definitionPath()}`)).status, 200);
      await waitUntil("the definition to go", async () => (await ask(two, `GET ${definitionPath()}`)).status === 404);
      assert.equal((await ask(one, `GET ${widgets}`)).status, 404);
    }
  });

  test("a version of one is read at the other without waiting, though others than the servers have written since", async () => {
    const [one, two] = servers;
    const startedAt = performance.now();
    for (let i = 0; i < 5; i++) {
      await writeElsewhere(etcd, `/elsewhere/${i}`);
      const { resourceVersion } = (await ask(one, `GET ${ns}/configmaps`)).body.metadata;
      const exact = await ask(two, `GET ${ns}/configmaps?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
      assert.equal(exact.status, 200, JSON.stringify(exact.body));
      assert.equal(exact.body.metadata.resourceVersion, resourceVersion);
      assert.equal((await ask(two, `GET ${ns}/configmaps?resourceVersion=${resourceVersion}`)).status, 200);
    }
    assert.ok(performance.now() - startedAt < 3_000);
  });

  test("creates that race through both leave exactly what a quota allows", async () => {
    const [one, two] = servers;
    const hard = { "count/configmaps": "20" };
    const quota = await make(one, `${ns}/resourcequotas`, { metadata: { name: "q" }, spec: { hard } });
    const counted = { ...quota, status: { hard, used: { "count/configmaps": "0" } } };
    assert.equal((await ask(one, `PUT ${ns}/resourcequotas/q/status`, counted)).status, 200);
    const create = (i: number) => ask(i % 2 === 0 ? one : two, `POST ${ns}/configmaps`, { metadata: { name: `c-${i}` } });
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => create(i)));
    const of = (status: number): number => answers.filter((answer) => answer.status === status).length;
    assert.deepEqual([of(201), of(403)], [20, 30]);
  });

  test("nothing is written when nothing happens but for what says that servers are there", async () => {
    await using store = await openEtcdStore({ clock: systemClock, random: systemRandom, servers: [etcd.url] });
    const seen: string[] = [];
    const quiet = { since: performance.now() };
    store.subscribe("/registry/", { after: store.revision }, ({ events }) => {
      for (const event of events) {
        const key = event.type === "put" ? event.entry.key : event.key;
        if (/^\/registry\/(masterleases|leases)\//.test(key)) continue;
        seen.push(key);
        quiet.since = performance.now();
      }
    });
    await waitUntil("two seconds without a write", () => performance.now() - quiet.since > 2_000);
    seen.length = 0;
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    assert.deepEqual(seen, []);
  });

  test("a server with keys of its own says so, and takes no token of the others", async () => {
    const [one] = servers;
    await make(one, `${ns}/serviceaccounts`, { metadata: { name: "robot" } });
    const { status } = await make(one, `${ns}/serviceaccounts/robot/token`, {});
    const three = await start("three", "192.0.2.3");
    try {
      assert.equal((await ask({ server: three.server, token: status.token }, `GET ${ns}/pods`)).status, 401);
      assert.match(three.log(), /API servers of this state trust authorities for clients that this one does not/);
      assert.doesNotMatch(servers[1].log(), /API servers of this state trust authorities/);
      const published = await ask(one, "GET /api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication");
      assert.equal(published.body.data["client-ca-file"].match(/BEGIN/g)?.length, 2);
    } finally {
      await three.stop();
    }
  });
});

suite("servers that start on an empty etcd", { skip: whyNoEtcd() ?? false }, () => {
  test("at the same moment make each object once, without an error", async () => {
    await using etcd = await startEtcd();
    const start = (i: number) => startCommand("--ephemeral", `--etcd-servers=${etcd.url}`, `--advertise-address=192.0.2.${i}`);
    const servers = await Promise.all([1, 2, 3].map(start));
    try {
      const paths = ["/api/v1/namespaces", "/api/v1/services", "/apis/networking.k8s.io/v1/ipaddresses"];
      for (const path of [...paths, "/apis/rbac.authorization.k8s.io/v1/clusterroles", "/apis/apiregistration.k8s.io/v1/apiservices"]) {
        const texts = await Promise.all(servers.map(async (server) => JSON.stringify((await ask(server, `GET ${path}`)).body.items)));
        assert.equal(new Set(texts).size, 1, path);
      }
      for (const { log } of servers) assert.doesNotMatch(log(), /"level":"error"|ERROR|failed to/);
    } finally {
      for (const server of servers) await server.stop();
    }
  });
});

const encryptionWith = (...names: readonly string[]) => ({
  apiVersion: "apiserver.config.k8s.io/v1",
  kind: "EncryptionConfiguration",
  resources: [
    {
      resources: ["secrets"],
      providers: [{ aesgcm: { keys: names.map((name) => ({ name, secret: Buffer.alloc(32, name).toString("base64") })) } }],
    },
  ],
});

suite("servers with different encryption keys on one etcd", { skip: whyNoEtcd() ?? false }, () => {
  test("read what each other writes where each has the other's key, and say what they cannot read", async () => {
    await using etcd = await startEtcd();
    const folder = mkdtempSync(join(tmpdir(), "coxswain-several-"));
    const start = async (i: number, ...keys: readonly string[]): Promise<CommandUnderTest> => {
      const file = join(folder, `${i}.json`);
      writeFileSync(file, JSON.stringify(encryptionWith(...keys)));
      return await startCommand("--ephemeral", `--etcd-servers=${etcd.url}`, "--encryption-provider-config", file);
    };
    const servers: CommandUnderTest[] = [];
    try {
      const secret = (name: string) => ({ metadata: { name }, stringData: { name } });
      const old = await start(1, "old");
      servers.push(old);
      await make(old, `${ns}/secrets`, secret("by-old"));
      const [reads, writes] = [await start(2, "old", "new"), await start(3, "new", "old")];
      servers.push(reads, writes);
      await make(writes, `${ns}/secrets`, secret("by-new"));
      for (const server of [reads, writes])
        for (const name of ["by-old", "by-new"]) assert.equal((await ask(server, `GET ${ns}/secrets/${name}`)).status, 200);
      assert.equal((await ask(old, `GET ${ns}/secrets/by-old`)).status, 200);
      const unreadable = await ask(old, `GET ${ns}/secrets/by-new`);
      assert.equal(unreadable.status, 500);
      assert.match(unreadable.body.message, /no matching key was found for the provided AES transformer/);
    } finally {
      for (const server of servers) await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
