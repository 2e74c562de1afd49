/** Values that kube-apiserver has encrypted in etcd, and coxswain's that kube-apiserver reads: each provider, JSON and protobuf. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, suite, test } from "node:test";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";
import { type EtcdUnderTest, startEtcd, whyNoEtcd } from "../etcd-server.ts";
import { type KmsUnderTest, startKms } from "../kms-server.ts";
import { valuesBelow } from "./etcd-values.ts";
import { kubectl, type Server, startKubeApiserver, whyNoKubeApiserver } from "./kube-apiserver.ts";

const key = (letter: string) => ({ name: letter, secret: Buffer.alloc(32, letter).toString("base64") });
/** Which provider is for which resource. */
const configuration = (byResource: Readonly<Record<string, object>>): string =>
  JSON.stringify({
    apiVersion: "apiserver.config.k8s.io/v1",
    kind: "EncryptionConfiguration",
    // A key management service may be named once.
    resources: Array.from(Map.groupBy(Object.entries(byResource), ([, provider]) => JSON.stringify(provider)).values(), (same) => ({
      resources: same.map(([resource]) => resource),
      providers: same.slice(0, 1).map(([, provider]) => provider),
    })),
  });
const prefix = "/another/place";
const secrets = ["get", "secrets", "-n", "default", "-o", "json"];

const providers: readonly { readonly name: string; provider(letter: string, kmsSocket: string): object }[] = [
  {
    name: "aescbc",
    provider: (letter) => ({ aescbc: { keys: [key(letter)] } }),
  },
  {
    name: "aesgcm",
    provider: (letter) => ({ aesgcm: { keys: [key(letter)] } }),
  },
  {
    name: "secretbox",
    provider: (letter) => ({ secretbox: { keys: [key(letter)] } }),
  },
  {
    name: "kms",
    provider: (letter, endpoint) => ({ kms: { apiVersion: "v2", name: `kms-${letter}`, endpoint: `unix://${endpoint}`, timeout: "3s" } }),
  },
];

for (const media of ["json", "vnd.kubernetes.protobuf"])
  for (const { name, provider } of providers)
    suite(`values that kube-apiserver stores as ${media} with ${name}`, { skip: whyNoEtcd() ?? whyNoKubeApiserver ?? false }, () => {
      const folder = mkdtempSync(join(tmpdir(), "coxswain-encrypted-"));
      const config = join(folder, "encryption.json");
      const kmsSocket = join(folder, "kms.sock");
      let etcd: EtcdUnderTest;
      let kms: KmsUnderTest;
      let original: Server;
      let own: CommandUnderTest;
      const startOwn = (...options: readonly string[]): Promise<CommandUnderTest> =>
        startCommand("--ephemeral", `--etcd-servers=${etcd.url}`, `--etcd-prefix=${prefix}`, ...options);
      before(async () => {
        [etcd, kms] = await Promise.all([startEtcd(), startKms(kmsSocket)]);
        const right = provider("a", kmsSocket);
        writeFileSync(config, configuration({ secrets: right, configmaps: right }));
        const flags = [`--etcd-prefix=${prefix}`, `--encryption-provider-config=${config}`];
        original = await startKubeApiserver({ etcdUrl: etcd.url, media, flags });
        await kubectl(original, "create", "secret", "generic", "of-original", "--from-literal=p=1");
        await kubectl(original, "create", "configmap", "of-original", "--from-literal=p=1");
        own = await startOwn(`--encryption-provider-config=${config}`);
      });
      after(async () => {
        await own?.stop();
        await original?.stop();
        await etcd[Symbol.asyncDispose]();
        kms.close();
        rmSync(folder, { recursive: true, force: true });
      });

      test("are read, changed and watched by coxswain, and kube-apiserver reads what that has written", async () => {
        const events = await watchSecrets(own);
        await kubectl(own, "create", "secret", "generic", "of-own", "--from-literal=p=1");
        await kubectl(own, "patch", "secret", "of-original", "-p", '{"stringData":{"p":"2"}}');
        await kubectl(original, "patch", "secret", "of-own", "-p", '{"stringData":{"p":"3"}}');
        await kubectl(own, "delete", "configmap", "of-original");
        assert.equal(await kubectl(own, ...secrets), await kubectl(original, ...secrets));
        assert.equal(await kubectl(original, "get", "secret", "of-original", "-o", "jsonpath={.data.p}"), btoa("2"));
        await kubectl(original, "delete", "secret", "of-own");
        const wanted = ["of-original 1", "of-own 1", "of-original 2", "of-own 3", "of-own 3"];
        assert.deepEqual(
          await events(wanted.length),
          wanted.map((line) => line.replace(/\d/, (digit) => btoa(digit))),
        );
        await kubectl(own, "create", "configmap", "of-own", "--from-literal=p=plain-text");
        for (const value of await valuesBelow(etcd.url, `${prefix}/configmaps/default/`))
          assert.match(value.toString("latin1"), new RegExp(`^k8s:enc:${name}:v`));
      });

      /** What a Secret and the list of them are answered with, through a server that can read ConfigMaps. */
      async function errorsOf(start: (...flags: readonly string[]) => Promise<Server>, secrets: Readonly<Record<string, object>>) {
        const path = join(folder, "other.json");
        writeFileSync(path, configuration({ configmaps: provider("a", kmsSocket), ...secrets }));
        const server = await start(`--encryption-provider-config=${path}`);
        try {
          const asked = [
            ["get", "secret", "of-original"],
            ["get", "secrets", "-n", "default"],
            ["delete", "secret", "of-original"],
          ];
          return await Promise.all(asked.map((args) => kubectl(server, ...args).then(() => "", String)));
        } finally {
          await server.stop();
        }
      }

      test("are errors of Kubernetes with another key, and where no configuration says that they are encrypted", async () => {
        const startOriginal = (...flags: readonly string[]) =>
          startKubeApiserver({ etcdUrl: etcd.url, media, flags: [`--etcd-prefix=${prefix}`, ...flags], waitFor: "/readyz/etcd" });
        for (const secrets of [{ secrets: provider("b", kmsSocket) }, {}]) {
          const errors = await errorsOf(startOwn, secrets);
          assert.ok(
            errors.every((text) => text.includes("Error from server (InternalError): Internal error occurred")),
            errors.join(),
          );
          if (media === "json") assert.deepEqual(errors, await errorsOf(startOriginal, secrets));
        }
      });

      test("end the start of a server that needs them itself, without the configuration", async () => {
        const says =
          /ended with 1:\ncoxswain: what the server needs of its data cannot be read: identity transformer tried to read encrypted data/;
        await assert.rejects(startOwn(), says);
      });
    });

/** Names with their values, line by line. */
async function watchSecrets({ kubeconfig }: CommandUnderTest): Promise<(count: number) => Promise<string[]>> {
  const form = 'jsonpath={.metadata.name} {.data.p}{"\\n"}';
  const child = spawn("kubectl", ["--kubeconfig", kubeconfig, "get", "secrets", "-n", "default", "-w", "-o", form]);
  const lines: AsyncIterator<string> = createInterface(child.stdout)[Symbol.asyncIterator]();
  const seen = [(await lines.next()).value as string];
  return async (count) => {
    while (seen.length < count) seen.push((await lines.next()).value as string);
    child.kill();
    return seen;
  };
}
