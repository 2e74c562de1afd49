/** `coxswain copy` and `coxswain snapshot`, with servers before and behind them. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { hangMs } from "@coxswain/machinery/testing";
import { run } from "../conformance/client-program.ts";
import { type CommandUnderTest, mainFile, startCommand as startServer } from "../conformance/command-under-test.ts";
import { type EtcdUnderTest, startEtcd, whyNoEtcd } from "../etcd-server.ts";
import { keyValuesBelow } from "./etcd-values.ts";
import { kubectl, startKubeApiserver, whyNoKubeApiserver } from "./kube-apiserver.ts";

/** @throws Error with what it says where it fails */
async function coxswain(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(process.execPath, [mainFile, ...args], { timeoutMs: hangMs });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

/** Objects of some kinds, as they are served: those that no server makes for itself. */
const kinds = "configmaps,secrets,serviceaccounts,clusterroles,priorityclasses";
const objectsOf = async (server: { readonly kubeconfig: string }, withVersions: boolean, of = kinds): Promise<string> => {
  const listed = await kubectl(server, "get", of, "-n", "default", "-o", "json");
  return withVersions ? listed : listed.replaceAll(/"resourceVersion": "\d*"/g, "");
};
/** Of them, those that the API servers of Kubernetes and coxswain do not bring up to date at their start. */
const userKinds = "configmaps,secrets,serviceaccounts";
/** They are long. */
const assertSame = (one: string, other: string): void => assert.ok(one === other, "the objects differ");

suite("a state that moves", { skip: whyNoEtcd() ?? false }, () => {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-copy-"));
  const at = (name: string): string => join(folder, name);
  let etcd: EtcdUnderTest;
  const started: { stop(): Promise<unknown> }[] = [];
  const startCommand = async (...options: readonly string[]): Promise<CommandUnderTest> => {
    const server = await startServer(...options);
    started.push(server);
    return server;
  };
  before(async () => {
    etcd = await startEtcd();
    const server = await startCommand(`--data-dir=${at("first")}`);
    await kubectl(server, "create", "configmap", "course", "-n", "default", "--from-literal=to=north");
    await kubectl(server, "create", "secret", "generic", "chart", "-n", "default", "--from-literal=x=1");
    await server.stop();
  });
  after(async () => {
    for (const server of started) await server.stop();
    await etcd[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  test("to etcd and back has the same objects, with etcd's versions there", async () => {
    const original = await startCommand(`--data-dir=${at("first")}`);
    const objects = await objectsOf(original, false);
    await assert.rejects(coxswain("copy", "--from", at("first"), "--to", etcd.url), /coxswain: the data directory is in use/);
    await original.stop();
    const said = await coxswain("copy", "--from", at("first"), "--to", "etcd", `--etcd-servers=${etcd.url}`);
    assert.match(said, /^copied \d+ objects \([\d,]+ bytes, digest [0-9a-f]{12}\) from \S+ to etcd at \S+, and compared them\n/);
    assert.match(said, /etcd counts versions itself: all objects have new ones/);
    const inEtcd = await startCommand("--ephemeral", `--etcd-servers=${etcd.url}`);
    assertSame(await objectsOf(inEtcd, false), objects);
    await assert.rejects(coxswain("copy", "--from", at("first"), "--to", etcd.url, "--replace"), /a server uses the state in etcd/);
    const versions = await objectsOf(inEtcd, true);
    await inEtcd.stop();
    assert.match(await coxswain("copy", "--from", etcd.url, "--to", at("back")), /\nversions are as before, up to \d+\n/);
    const back = await startCommand(`--data-dir=${at("back")}`);
    assertSame(await objectsOf(back, true), versions);
    await back.stop();
    await assert.rejects(coxswain("copy", "--from", etcd.url, "--to", at("back")), /there is a state in \S+ already/);
  });

  test("as a snapshot of a server that runs comes back with its versions, in a directory and in etcd", async () => {
    const server = await startCommand(`--data-dir=${at("first")}`);
    const saved = await coxswain("snapshot", "save", at("live.snapshot"), `--data-dir=${at("first")}`);
    assert.match(saved, /^saved \d+ objects/);
    const objects = await objectsOf(server, true);
    await kubectl(server, "delete", "configmap", "course", "-n", "default");
    await server.stop();
    const status = JSON.parse(await coxswain("snapshot", "status", at("live.snapshot"), "-o", "json")) as { digest: string };
    assert.ok(saved.includes(`digest ${status.digest})`));
    await coxswain("snapshot", "restore", at("live.snapshot"), `--data-dir=${at("restored")}`);
    const restored = await startCommand(`--data-dir=${at("restored")}`);
    assertSame(await objectsOf(restored, true), objects);
    await restored.stop();
    await coxswain("snapshot", "restore", at("live.snapshot"), `--etcd-servers=${etcd.url}`, "--etcd-prefix=/restored");
    await coxswain("snapshot", "save", at("etcd.snapshot"), `--etcd-servers=${etcd.url}`, "--etcd-prefix=/restored");
    assert.ok((await coxswain("snapshot", "status", at("etcd.snapshot"))).includes(status.digest));
  });

  test("that is no state, a damaged snapshot, and a directory with other files are refused in a sentence", async () => {
    await assert.rejects(
      coxswain("copy", "--from", at("nothing"), "--to", at("x")),
      /^Error: coxswain: there is no state in \S+nothing\n$/,
    );
    writeFileSync(at("text"), "text");
    await assert.rejects(coxswain("snapshot", "status", at("text")), /^Error: coxswain: [^\n]*\n$/);
    await assert.rejects(coxswain("copy", "--from", "etcd", "--to", at("x")), /error: etcd needs --etcd-servers/);
    await assert.rejects(coxswain("copy", "--from", at("first"), "--to", folder), /has files that are not coxswain's/);
  });

  test("in part does not start a server", async () => {
    const partial = at("partial");
    await coxswain("copy", "--from", at("first"), "--to", partial);
    rmSync(join(partial, "state.db"));
    writeFileSync(join(partial, "state.db.partial"), "");
    await assert.rejects(startCommand(`--data-dir=${partial}`), /coxswain: the state in \S+ is incomplete: a copy to it has not ended/);
    assert.equal(existsSync(join(partial, "state.db")), false);
    await coxswain("copy", "--from", at("first"), "--to", partial);
    assert.equal(await (await startCommand(`--data-dir=${partial}`)).stop(), 0);
  });

  test("keeps Events for as long as they have left", async () => {
    const server = await startCommand(`--data-dir=${at("events")}`);
    const event = {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: "seen", namespace: "default" },
      involvedObject: { namespace: "default" },
    };
    writeFileSync(at("event.json"), JSON.stringify(event));
    await kubectl(server, "create", "-f", at("event.json"));
    await server.stop();
    await coxswain("copy", "--from", at("events"), "--to", etcd.url, "--etcd-prefix=/events");
    const leases = await fetch(`${etcd.url}/v3/lease/leases`, { method: "POST", body: "{}" }).then((answer) => answer.json());
    const lefts = await Promise.all(
      (leases as { leases: { ID: string }[] }).leases.map(async ({ ID }) => {
        const answer = await fetch(`${etcd.url}/v3/lease/timetolive`, { method: "POST", body: JSON.stringify({ ID, keys: true }) });
        return (await answer.json()) as { TTL: string; keys?: string[] };
      }),
    );
    const ofEvents = lefts.filter(({ keys = [] }) => keys.some((key) => atob(key) === "/events/events/default/seen"));
    assert.equal(ofEvents.length, 1);
    const left = Number(ofEvents[0]?.TTL);
    assert.ok(left > 3_000 && left <= 3_700, `${left}`);
  });

  test("is encrypted anew by a configuration, and only with one under another prefix", async () => {
    const key = (letter: string) => ({ name: letter, secret: Buffer.alloc(32, letter).toString("base64") });
    const configure = (...letters: readonly string[]): string => {
      const providers = [{ aesgcm: { keys: letters.map(key) } }, { identity: {} }];
      const file = at(`encryption-${letters.join("")}.json`);
      const resources = [{ resources: ["secrets"], providers }];
      writeFileSync(file, JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources }));
      return `--encryption-provider-config=${file}`;
    };
    const secretOf = async (prefix: string): Promise<string> => {
      const [found] = await keyValuesBelow(etcd.url, `${prefix}/secrets/default/chart`);
      return found?.value.toString("latin1") ?? "";
    };
    await coxswain("copy", "--from", at("first"), "--to", etcd.url, "--etcd-prefix=/plain");
    assert.match(await secretOf("/plain"), /^\{"kind":"Secret"/);
    await coxswain("copy", "--from", at("first"), "--to", etcd.url, "--etcd-prefix=/sealed", configure("a"));
    assert.match(await secretOf("/sealed"), /^k8s:enc:aesgcm:v1:a:/);
    const from = ["copy", "--from", etcd.url, "--etcd-prefix=/sealed", "--to", at("sealed")];
    await assert.rejects(
      coxswain(...from),
      /\/registry\/secrets\/\S+ is encrypted, and bound to \/sealed: only with --encryption-provider-config/,
    );
    await assert.rejects(
      coxswain(...from, configure("b")),
      /unable to transform key "\/registry\/secrets\/\S+": no matching key was found/,
    );
    await coxswain(...from, configure("b", "a"));
    const server = await startCommand(`--data-dir=${at("sealed")}`, configure("b"));
    assert.equal(await kubectl(server, "get", "secret", "chart", "-n", "default", "-o", "jsonpath={.data.x}"), btoa("1"));
    await server.stop();
  });

  test("of kube-apiserver, which stores protobuf, is served from a directory, and by kube-apiserver again", {
    skip: whyNoKubeApiserver ?? false,
  }, async () => {
    const prefix = "--etcd-prefix=/kubernetes";
    const config = at("encryption.json");
    const providers = [{ aesgcm: { keys: [{ name: "k", secret: Buffer.alloc(32, "k").toString("base64") }] } }];
    const resources = [{ resources: ["secrets"], providers }];
    writeFileSync(config, JSON.stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "EncryptionConfiguration", resources }));
    const encryption = `--encryption-provider-config=${config}`;
    const start = (...flags: readonly string[]) =>
      startKubeApiserver({ etcdUrl: etcd.url, media: "vnd.kubernetes.protobuf", flags: [...flags, encryption] });
    const original = await start(prefix);
    started.push(original);
    await kubectl(original, "create", "configmap", "course", "-n", "default", "--from-literal=to=north");
    await kubectl(original, "create", "secret", "generic", "chart", "-n", "default", "--from-literal=x=1");
    const objects = await objectsOf(original, true, userKinds);
    await original.stop();
    const said = await coxswain("copy", "--from", etcd.url, prefix, "--to", at("kubernetes"), encryption);
    assert.match(said, /versions are as before/);
    const own = await startCommand(`--data-dir=${at("kubernetes")}`, encryption);
    assertSame(await objectsOf(own, true, userKinds), objects);
    await own.stop();
    await coxswain("snapshot", "save", at("kubernetes.snapshot"), `--etcd-servers=${etcd.url}`, prefix);
    await coxswain("snapshot", "restore", at("kubernetes.snapshot"), `--etcd-servers=${etcd.url}`, "--etcd-prefix=/again", encryption);
    const again = await start("--etcd-prefix=/again");
    started.push(again);
    assert.equal(await kubectl(again, "get", "secret", "chart", "-n", "default", "-o", "jsonpath={.data.x}"), btoa("1"));
    await again.stop();
    assert.ok(readFileSync(at("kubernetes.snapshot")).includes("k8s\0"), "a snapshot has values as they are stored");
  });
});
