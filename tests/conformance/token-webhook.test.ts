/** The real command asks a webhook about tokens, by a kubeconfig with a client certificate. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { systemClock } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { nameWith } from "@coxswain/pki";
import { issuePair } from "@coxswain/pki/node";
import { type CommandUnderTest, startCommand } from "./command-under-test.ts";

describe("a webhook for tokens", { concurrency: 1 }, () => {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-token-webhook-"));
  const now = systemClock.now();
  const served = issuePair("self", { subject: nameWith("webhook"), usage: "server auth", names: { dns: [], ip: ["127.0.0.1"] } }, now);
  const own = issuePair("self", { subject: nameWith("coxswain"), usage: "client auth" }, now);
  const asked: { path: string | undefined; client: string | undefined; apiVersion: string; token: string }[] = [];
  let status: object = {};
  const webhook = createServer({ ...served, requestCert: true, rejectUnauthorized: false }, async (incoming, response) => {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    const { apiVersion, spec } = JSON.parse(text);
    const { socket } = incoming;
    const certificate = "getPeerX509Certificate" in socket ? (socket as import("node:tls").TLSSocket).getPeerX509Certificate() : undefined;
    asked.push({ path: incoming.url, client: certificate?.subject, apiVersion, token: spec.token });
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ kind: "TokenReview", apiVersion, status }));
  });
  let command: CommandUnderTest;

  before(async () => {
    webhook.listen(0, "127.0.0.1");
    await once(webhook, "listening");
    const base64 = (pem: string): string => Buffer.from(pem).toString("base64");
    const server = `https://127.0.0.1:${(webhook.address() as AddressInfo).port}/reviews`;
    const kubeconfig = {
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "webhook", cluster: { server, "certificate-authority-data": base64(served.cert) } }],
      users: [{ name: "own", user: { "client-certificate-data": base64(own.cert), "client-key-data": base64(own.key) } }],
      contexts: [{ name: "x", context: { cluster: "webhook", user: "own" } }],
      "current-context": "x",
    };
    writeFileSync(join(directory, "webhook.kubeconfig"), JSON.stringify(kubeconfig));
    command = await startCommand(
      "--ephemeral",
      `--authentication-token-webhook-config-file=${join(directory, "webhook.kubeconfig")}`,
      "--authentication-token-webhook-version=v1",
    );
  });
  after(async () => {
    assert.equal(await command.stop(), 0);
    webhook.closeAllConnections();
    webhook.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const whoami = (token: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const data = /certificate-authority-data: (\S+)/.exec(readFileSync(command.kubeconfig, "utf8"))?.[1] ?? "";
      const ca = Buffer.from(data.replaceAll('"', ""), "base64").toString();
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const url = `${command.server}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
      const sent = request(url, { ca, method: "POST", headers, agent: false }, async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve(response.statusCode === 201 ? JSON.parse(text).status.userInfo : response.statusCode);
      });
      sent.on("error", reject);
      sent.end("{}");
    });

  test("is asked at its path, with the certificate of the kubeconfig, and not again at once", async () => {
    status = { authenticated: true, user: { username: "jane", groups: ["a"], extra: { k: ["v"] } } };
    const jane = { username: "jane", groups: ["a", "system:authenticated"], extra: { k: ["v"] } };
    assert.deepEqual(await whoami("t0ken"), jane);
    assert.deepEqual(await whoami("t0ken"), jane);
    assert.deepEqual(asked, [{ path: "/reviews", client: "CN=coxswain", apiVersion: "authentication.k8s.io/v1", token: "t0ken" }]);
    status = { authenticated: false };
    assert.equal(await whoami("another"), 401);
    assert.deepEqual((await whoami(command.token)) as object, {
      username: "tester",
      uid: "tester",
      groups: ["system:masters", "system:authenticated"],
    });
    assert.equal(asked.length, 2);
  });

  test("that is gone lets nobody in, and no token into the log", async () => {
    webhook.closeAllConnections();
    webhook.close();
    await once(webhook, "close");
    assert.equal(await whoami("s3cret-token"), 401);
    await waitUntil("the failure is logged", () => command.log().includes("failed to ask the webhook for tokens"));
    assert.doesNotMatch(command.log(), /s3cret-token|t0ken/);
  });
});
