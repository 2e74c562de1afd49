/** When etcd has no more space, servers read on and are ready, as kube-apiserver is, and write again once somebody has made room. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";
import { type EtcdUnderTest, suiteOnEachEtcd } from "../etcd-server.ts";
import { kubectl, type Server, startKubeApiserver, whyNoKubeApiserver } from "./kube-apiserver.ts";

const quotaBytes = 4_000_000;
const large = `--from-literal=a=${"x".repeat(100_000)}`;
const paths = ["/healthz", "/healthz/etcd", "/livez", "/livez/etcd", "/readyz", "/readyz/etcd", "/readyz/etcd-readiness"];
const base64 = (text: string): string => Buffer.from(text).toString("base64");

suiteOnEachEtcd("servers without space on", (startEtcd) => {
  let etcd: EtcdUnderTest;
  let own: CommandUnderTest;
  let original: Server | undefined;
  const servers = (): readonly Server[] => [own, ...(original === undefined ? [] : [original])];

  before(async () => {
    etcd = await startEtcd(`--quota-backend-bytes=${quotaBytes}`);
    own = await startCommand("--ephemeral", `--etcd-servers=${etcd.url}`, "--advertise-address=192.0.2.1");
    if (whyNoKubeApiserver === undefined) original = await startKubeApiserver({ etcdUrl: etcd.url, media: "json" });
  });
  after(async () => {
    for (const server of servers()) await server?.stop();
    await etcd[Symbol.asyncDispose]();
  });

  const createAll = async (): Promise<void> => {
    for (let i = 0; i < 2 * (quotaBytes / large.length); i++) await kubectl(own, "create", "configmap", `large-${i}`, large);
  };
  const assertWell = async (): Promise<void> => {
    for (const server of servers()) for (const path of paths) assert.equal(await kubectl(server, "get", "--raw", path), "ok", path);
  };
  const ask = async (path: string, body: object) => {
    const response = await fetch(etcd.url + path, { method: "POST", body: JSON.stringify(body) });
    assert.equal(response.status, 200, path);
    return (await response.json()) as { readonly header?: { readonly revision: string }; readonly alarms?: readonly object[] };
  };

  test("are well, say why they do not write, and write once there is space", async () => {
    await assert.rejects(createAll(), { message: /^error: failed to create configmap: etcdserver: mvcc: database space exceeded\s*$/ });
    await assertWell();
    for (const server of servers()) {
      assert.equal(await kubectl(server, "get", "configmap", "large-0", "-o", "name"), "configmap/large-0\n");
      await assert.rejects(kubectl(server, "create", "configmap", "small"), { message: /etcdserver: mvcc: database space exceeded/ });
    }

    const [key, end] = ["large-", "large."].map((name) => base64(`/registry/configmaps/default/${name}`));
    const { header } = await ask("/v3/kv/deleterange", { key, range_end: end });
    await ask("/v3/kv/compaction", { revision: header?.revision, physical: true });
    await ask("/v3/maintenance/defragment", {});
    const { alarms = [] } = await ask("/v3/maintenance/alarm", { action: "GET" });
    for (const alarm of alarms) await ask("/v3/maintenance/alarm", { action: "DEACTIVATE", ...alarm });
    await assertWell();
    for (const [i, server] of servers().entries()) await kubectl(server, "create", "configmap", `after-${i}`);
    assert.doesNotMatch(await kubectl(own, "get", "configmaps", "-o", "name"), /large/);
  });
});
