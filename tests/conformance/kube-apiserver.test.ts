/** What envtest starts, started as envtest does: `kube-apiserver` with certificates of a client's own authority, and `etcd`. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as plainRequest } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeServiceAccountKey } from "@coxswain/apiserver";
import { systemClock } from "@coxswain/machinery";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { nameWith } from "@coxswain/pki";
import { type Issuer, issueCertificate, issuePair, type KeyPair, noNames } from "@coxswain/pki/node";
import { freePort } from "../free-port.ts";
import { mainFile } from "./command-under-test.ts";
import { type ReviewWebhookUnderTest, startReviewWebhook } from "./review-webhook.ts";

interface Authority extends Issuer {
  readonly cert: string;
}

function authorityNamed(name: string): Authority {
  const [subject, keys, now] = [nameWith(name), generateKeyPairSync("ec", { namedCurve: "P-256" }), systemClock.now()];
  const cert = issueCertificate({
    subject,
    issuer: { subject, ...keys },
    publicKey: keys.publicKey,
    serial: Uint8Array.of(1),
    notBefore: now - 60_000,
    notAfter: now + 3_600_000,
    authority: true,
    usages: ["cert sign"],
    names: noNames,
  });
  return { subject, cert, ...keys };
}

const clientOf = (authority: Authority, name: string, groups: readonly string[]): KeyPair =>
  issuePair(authority, { subject: nameWith(name, groups), usage: "client auth" }, systemClock.now());

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

interface Asked {
  readonly method?: string;
  readonly client?: KeyPair;
  readonly body?: unknown;
}

function ask(url: string, { method = "GET", client, body }: Asked = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method, headers: { "content-type": "application/json" }, agent: false, rejectUnauthorized: false, ...client };
    const sent = (url.startsWith("https") ? request : plainRequest)(url, options, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () => resolve({ status: response.statusCode, body: text }));
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const isHealthy = (url: string): Promise<boolean> =>
  ask(url).then(
    ({ status }) => status === 200,
    () => false,
  );

describe("the programs of envtest", { timeout: hangMs }, () => {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-test-"));
  const certDir = mkdtempSync(join(tmpdir(), "k8s_test_framework_"));
  const dataDir = mkdtempSync(join(tmpdir(), "k8s_test_framework_"));
  const [own, other] = [authorityNamed("envtest-environment"), authorityNamed("envtest-environment")];
  const admin = clientOf(own, "admin", ["system:masters"]);
  /** What starts both, as a test program does, and is killed at the end. */
  let parent: ChildProcess;
  let server: string;
  let etcd: string;
  const webhookFile = join(directory, "webhook.kubeconfig");
  let webhook: ReviewWebhookUnderTest;

  before(async () => {
    webhook = await startReviewWebhook(webhookFile, ({ spec }) => ({ allowed: spec.user === "wendy" }));
    const assets = execFileSync(process.execPath, [mainFile, "envtest-assets", join(directory, "assets")], { encoding: "utf8" }).trim();
    const [port, etcdPort] = [await freePort(), await freePort()];
    server = `https://127.0.0.1:${port}`;
    etcd = `http://127.0.0.1:${etcdPort}`;
    writeFileSync(join(certDir, "ca.crt"), own.cert);
    writeFileSync(join(certDir, "sa.key"), makeServiceAccountKey());
    const commands = [
      [join(assets, "etcd"), `--listen-client-urls=${etcd}`, `--data-dir=${dataDir}`, "--unsafe-no-fsync=true"],
      [
        join(assets, "kube-apiserver"),
        "--authorization-mode=RBAC,Webhook",
        `--authorization-webhook-config-file=${webhookFile}`,
        "--authorization-webhook-version=v1",
        "--bind-address=127.0.0.1",
        `--cert-dir=${certDir}`,
        `--client-ca-file=${join(certDir, "ca.crt")}`,
        "--disable-admission-plugins=ServiceAccount",
        `--etcd-servers=${etcd}`,
        `--secure-port=${port}`,
        "--service-account-issuer=https://issuer.test/",
        `--service-account-signing-key-file=${join(certDir, "sa.key")}`,
      ],
    ];
    const program = `for (const [file, ...args] of ${JSON.stringify(commands)}) require("node:child_process").spawn(file, args, { detached: true, stdio: "inherit" }); process.stdin.resume();`;
    parent = spawn(process.execPath, ["-e", program], { stdio: ["pipe", "inherit", "inherit"] });
    await waitUntil("etcd is healthy", () => isHealthy(`${etcd}/health`));
    await waitUntil("kube-apiserver is healthy", () => isHealthy(`${server}/healthz`));
  });
  after(async () => {
    parent.kill("SIGKILL");
    await webhook.close();
    for (const folder of [directory, certDir, dataDir]) rmSync(folder, { recursive: true, force: true });
  });

  test("who has a certificate of the authority in --client-ca-file is known by it", async () => {
    assert.equal((await ask(`${server}/api/v1/namespaces/default`, { client: admin })).status, 200);
    const joe = await ask(`${server}/api/v1/pods`, { client: clientOf(own, "joe", ["visitors"]) });
    assert.equal(joe.status, 403);
    assert.match(joe.body, /User \\"joe\\" cannot list resource/);
    assert.equal((await ask(`${server}/api/v1/pods`, { client: clientOf(other, "admin", ["system:masters"]) })).status, 401);
  });

  test("who has no role is asked about at the webhook of --authorization-webhook-config-file", async () => {
    const wendy = clientOf(own, "wendy", ["visitors"]);
    assert.equal((await ask(`${server}/api/v1/pods?labelSelector=app%3Dweb`, { client: wendy })).status, 200);
    const last = webhook.asked.at(-1);
    assert.equal(last?.apiVersion, "authorization.k8s.io/v1");
    const labelSelector = { requirements: [{ key: "app", operator: "In", values: ["web"] }] };
    assert.deepEqual(last?.spec.resourceAttributes, { verb: "list", version: "v1", resource: "pods", labelSelector });
  });

  test("the certificate with which it serves is in --cert-dir", () =>
    assert.ok(existsSync(join(certDir, "apiserver.crt")) && existsSync(join(certDir, "apiserver.key"))));

  test("tokens of service accounts name the issuer", async () => {
    const accounts = `${server}/api/v1/namespaces/default/serviceaccounts`;
    assert.equal((await ask(accounts, { method: "POST", client: admin, body: { metadata: { name: "robot" } } })).status, 201);
    const { body } = await ask(`${accounts}/robot/token`, { method: "POST", client: admin, body: { spec: {} } });
    const { status } = JSON.parse(body) as { readonly status: { readonly token: string } };
    const claims = JSON.parse(Buffer.from(status.token.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;
    assert.equal(claims.iss, "https://issuer.test/");
    assert.deepEqual(claims.aud, ["https://issuer.test/"]);
    const reviews = `${server}/apis/authentication.k8s.io/v1/tokenreviews`;
    const review = await ask(reviews, { method: "POST", client: admin, body: { spec: { token: status.token } } });
    assert.match(review.body, /"username":"system:serviceaccount:default:robot"/);
  });

  test("both end when whoever started them is killed, and leave no folder", async () => {
    parent.kill("SIGKILL");
    await once(parent, "exit");
    await waitUntil("the folders are gone", () => !existsSync(certDir) && !existsSync(dataDir));
    await waitUntil("the ports are closed", async () => !(await isHealthy(`${server}/healthz`)) && !(await isHealthy(`${etcd}/health`)));
  });
});
