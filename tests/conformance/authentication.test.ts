/** The real command with certificates that openssl has made: authorities that come and go, and a proxy that says for whom it asks. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { OutgoingHttpHeaders } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { ConnectionOptions } from "node:tls";
import { waitUntil } from "@coxswain/machinery/testing";
import { etcdOptions, serversUnderTest } from "../store-options.ts";
import { type CommandUnderTest, startCommand } from "./command-under-test.ts";
import { hasOpenssl, type OpensslPair, opensslAuthority, opensslCertificate } from "./openssl.ts";

interface Answered {
  readonly status: number | undefined;
  readonly text: string;
}

function send(url: string, tls: ConnectionOptions, headers: OutgoingHttpHeaders = {}, body = ""): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const method = body === "" ? "GET" : "POST";
    const type = body === "" ? {} : { "content-type": "application/json" };
    const sent = request(url, { ...tls, method, headers: { ...type, ...headers }, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

const client = (subject: string) => ({ subject, extensions: "extendedKeyUsage=clientAuth" });
const whoami = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });

describe("authentication", { concurrency: 1, skip: hasOpenssl() ? false : "there is no openssl" }, () => {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-authn-"));
  const file = (name: string): string => join(directory, name);
  let command: CommandUnderTest;
  let ca: string;
  let first: OpensslPair;
  let second: OpensslPair;
  let proxies: OpensslPair;

  const userOf = async (tls: ConnectionOptions, headers: OutgoingHttpHeaders = {}) => {
    const url = `${command.server}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
    const { status, text } = await send(url, { ca, ...tls }, headers, whoami);
    return status === 201 ? JSON.parse(text).status.userInfo : status;
  };

  before(async () => {
    [first, second, proxies] = ["first", "second", "proxies"].map((name) => opensslAuthority(directory, name)) as [
      OpensslPair,
      OpensslPair,
      OpensslPair,
    ];
    writeFileSync(file("clients.crt"), first.cert);
    command = await startCommand(
      "--ephemeral",
      `--client-ca-file=${file("clients.crt")}`,
      `--requestheader-client-ca-file=${proxies.certFile}`,
      "--requestheader-allowed-names=front-proxy",
      "--requestheader-username-headers=X-Remote-User",
      "--requestheader-group-headers=X-Remote-Group",
      "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    );
    const data = /certificate-authority-data: (\S+)/.exec(readFileSync(command.kubeconfig, "utf8"))?.[1] ?? "";
    ca = Buffer.from(data.replaceAll('"', ""), "base64").toString();
  });
  after(async () => {
    assert.equal(await command.stop(), 0);
    rmSync(directory, { recursive: true, force: true });
  });

  test("without credentials there are health and version alone", async () => {
    const statuses = await Promise.all(
      ["/healthz", "/livez", "/readyz", "/version", "/api", "/apis", "/openapi/v2", "/metrics", "/api/v1/pods", "/nowhere"].map(
        async (path) => (await send(command.server + path, { ca })).status,
      ),
    );
    assert.deepEqual(statuses, [200, 200, 200, 200, 401, 401, 401, 401, 401, 401]);
  });

  test("a bad token is nobody, also where nobody may ask", async () => {
    assert.equal((await send(`${command.server}/version`, { ca }, { authorization: "Bearer wrong" })).status, 401);
  });

  test("clients of a given authority are users, odd as their names may be", async () => {
    const names = [
      { subject: "/O=devs/O=ops/CN=jane", expect: { username: "jane", groups: ["devs", "ops", "system:authenticated"] } },
      { subject: "/CN=jane\\/O=system:masters", expect: { username: "jane/O=system:masters", groups: ["system:authenticated"] } },
      { subject: "/CN=Jürgen Groß", expect: { username: "Jürgen Groß", groups: ["system:authenticated"] } },
      { subject: "/CN=a/CN=b", expect: { username: "b", groups: ["system:authenticated"] } },
      { subject: "/CN=system:serviceaccount:kube-system:x", expect: { username: "system:serviceaccount:kube-system:x" } },
    ];
    for (const [i, { subject, expect }] of names.entries()) {
      const { cert, key } = opensslCertificate(directory, `odd-${i}`, first, client(subject));
      const { username, groups } = await userOf({ cert, key });
      assert.deepEqual({ username, ...(expect.groups === undefined ? {} : { groups }) }, expect);
    }
    const { cert, key } = opensslCertificate(directory, "nameless", first, client("/O=system:masters"));
    assert.equal(await userOf({ cert, key }), 401);
    const server = opensslCertificate(directory, "server", first, { subject: "/CN=jane", extensions: "extendedKeyUsage=serverAuth" });
    assert.equal(await userOf(server), 401);
  });

  test("clients of an intermediate are users, clients of a client are not", async () => {
    const extensions = "basicConstraints=critical,CA:true\nkeyUsage=keyCertSign";
    const middle = opensslCertificate(directory, "middle", first, { subject: "/CN=middle", extensions });
    const { cert, key } = opensslCertificate(directory, "deep", middle, client("/CN=deep"));
    assert.equal((await userOf({ cert: cert + middle.cert, key })).username, "deep");
    // One that may sign nothing signs.
    const forger = opensslCertificate(directory, "forger", first, client("/CN=forger"));
    const forged = opensslCertificate(directory, "forged", forger, client("/O=system:masters/CN=root"));
    assert.equal(await userOf({ cert: forged.cert + forger.cert, key: forged.key }), 401);
  });

  /** Of several servers each follows the file for itself; which of them a connection leads to is chance. */
  const atEach = async (holds: () => Promise<boolean>): Promise<boolean> => {
    for (let asked = serversUnderTest() > 1 ? 16 : 1; asked > 0; asked--) if (!(await holds())) return false;
    return true;
  };

  test("another file of authorities counts without a restart, the old ones no more", async () => {
    const old = opensslCertificate(directory, "old", first, client("/CN=old"));
    const next = opensslCertificate(directory, "next", second, client("/CN=next"));
    assert.equal((await userOf(old)).username, "old");
    assert.equal(await userOf(next), 401);
    const open = connectHttp2(command.server, { ca, cert: old.cert, key: old.key });
    const onOpen = (): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const stream = open.request({ ":path": "/version" });
        stream.on("response", (headers) => resolve(headers[":status"]));
        stream.on("error", reject);
        stream.resume();
      });
    assert.equal(await onOpen(), 200);
    writeFileSync(file("clients.new"), second.cert);
    renameSync(file("clients.new"), file("clients.crt"));
    await waitUntil("clients of the new authority are known", () => atEach(async () => (await userOf(next)).username === "next"));
    assert.equal(await userOf(old), 401);
    assert.equal(await onOpen(), 401);
    open.destroy();
    const map = `${command.server}/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication`;
    const published = async () => JSON.parse((await send(map, { ca }, { authorization: `Bearer ${command.token}` })).text).data;
    await waitUntil("the authorities are published", async () => (await published())["client-ca-file"].includes(second.cert.trim()));
    // Where other servers may be, what one of them has published stays: it may still be theirs.
    const former = etcdOptions() === undefined ? "" : first.cert;
    assert.deepEqual(await published(), {
      "client-ca-file": ca + former + second.cert,
      "requestheader-allowed-names": '["front-proxy"]',
      "requestheader-client-ca-file": proxies.cert,
      "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
      "requestheader-group-headers": '["X-Remote-Group"]',
      "requestheader-uid-headers": "[]",
      "requestheader-username-headers": '["X-Remote-User"]',
    });
    writeFileSync(file("clients.crt"), "nothing");
    await waitUntil("a file that is none is reported", () => command.log().includes("failed to reload --client-ca-file"));
    assert.equal((await userOf(next)).username, "next");
  });

  test("a proxy says for whom it asks, and nobody else does", async () => {
    const jane = { "X-Remote-User": "jane", "X-Remote-Group": ["devs", "ops, night"], "X-Remote-Extra-Scopes": "all" };
    const proxy = opensslCertificate(directory, "proxy", proxies, client("/CN=front-proxy"));
    assert.deepEqual(await userOf(proxy, jane), {
      username: "jane",
      groups: ["devs", "ops, night", "system:authenticated"],
      extra: { scopes: ["all"] },
    });
    const impostor = opensslCertificate(directory, "impostor", proxies, client("/CN=jane"));
    assert.equal(await userOf(impostor, jane), 401);
    const open = connectHttp2(command.server, { ca, cert: proxy.cert, key: proxy.key });
    const stream = open.request({
      ":method": "POST",
      ":path": "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      "content-type": "application/json",
      "x-remote-user": "jane",
      "x-remote-group": ["devs", "ops, night"],
    });
    stream.end(whoami);
    let text = "";
    for await (const chunk of stream) text += chunk;
    open.destroy();
    assert.deepEqual(JSON.parse(text).status.userInfo.groups, ["devs", "ops, night", "system:authenticated"]);
    // A proxy is no user itself.
    const masters = opensslCertificate(directory, "masters", proxies, client("/O=system:masters/CN=front-proxy"));
    assert.equal(await userOf(masters), 401);
    const user = opensslCertificate(directory, "user", second, client("/CN=front-proxy"));
    assert.equal((await userOf(user, jane)).username, "front-proxy");
    assert.equal(await userOf({}, jane), 401);
    const { username } = await userOf({}, { ...jane, authorization: `Bearer ${command.token}` });
    assert.equal(username, "tester");
  });
});
