/** Credentials that the server gives out itself, used as their owners would: kubectl asks for them, TLS and HTTP carry them. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import type { OutgoingHttpHeaders } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { type ConnectionOptions, connect } from "node:tls";
import { type CommandUnderTest, startCommand } from "./command-under-test.ts";
import { chosenKubectls, type Kubectl, runKubectl } from "./kubectl/kubectl.ts";

const kubectls = chosenKubectls();

const newKeyIn = (file: string): string[] => ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", file];

/** Makes a key and a signing request, as the documentation describes. */
function openssl(directory: string, subject: string): { key: string; csr: string } {
  const [key, csr] = [join(directory, "client.key"), join(directory, "client.csr")];
  execFileSync("openssl", ["req", "-new", ...newKeyIn(key), "-subj", subject, "-out", csr], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), csr: readFileSync(csr, "utf8") };
}

function selfSigned(directory: string, subject: string): { key: string; cert: string } {
  const [key, cert] = [join(directory, "self.key"), join(directory, "self.crt")];
  execFileSync("openssl", ["req", "-x509", "-new", ...newKeyIn(key), "-subj", subject, "-out", cert], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}

function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

interface Answered {
  readonly status: number | undefined;
  readonly text: string;
}

function get(url: string, tls: ConnectionOptions, headers: OutgoingHttpHeaders = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { ...tls, headers, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

/** Returns who the server takes the client for: only administrators may list Pods, and the 403 names the user. */
const userOf = ({ text }: Answered): string | undefined => /User \\"([^"]*)\\" cannot list/.exec(text)?.[1];

describe("credentials", { concurrency: 1, skip: kubectls.length === 0 ? "there is no kubectl" : false }, () => {
  let command: CommandUnderTest;
  let ca: string;
  const pods = (): string => `${command.server}/api/v1/pods`;
  const run = async (kubectl: Kubectl, args: readonly string[], stdin = ""): Promise<string> => {
    const env = { KUBECONFIG: command.kubeconfig, HOME: command.directory };
    const { code, stdout, stderr } = await runKubectl(kubectl, args, env, stdin);
    assert.equal(code, 0, stderr);
    return stdout.trim();
  };
  before(async () => {
    command = await startCommand("--ephemeral", "--log-level", "warn");
    const data = /certificate-authority-data: (\S+)/.exec(readFileSync(command.kubeconfig, "utf8"))?.[1] ?? "";
    ca = Buffer.from(data.replaceAll('"', ""), "base64").toString();
  });
  after(async () => {
    assert.equal(await command.stop(), 0);
    assert.equal(command.log(), "");
  });

  for (const [i, kubectl] of kubectls.entries()) {
    test(`a token from ${kubectl.version}`, async () => {
      await run(kubectl, ["create", "serviceaccount", `robot-${i}`]);
      const token = await run(kubectl, ["create", "token", `robot-${i}`, "--duration", "20m"]);
      const answer = await get(pods(), { ca }, { authorization: `Bearer ${token}` });
      assert.equal(userOf(answer), `system:serviceaccount:default:robot-${i}`, answer.text);
      await run(kubectl, ["delete", "serviceaccount", `robot-${i}`]);
      assert.equal((await get(pods(), { ca }, { authorization: `Bearer ${token}` })).status, 401);
    });
  }

  test("a certificate, approved with kubectl", { skip: hasOpenssl() ? false : "there is no openssl" }, async () => {
    const [kubectl] = kubectls;
    assert.ok(kubectl);
    const { key, csr } = openssl(command.directory, "/O=devs/CN=jane");
    const spec = {
      request: Buffer.from(csr).toString("base64"),
      signerName: "kubernetes.io/kube-apiserver-client",
      usages: ["client auth"],
    };
    const object = { apiVersion: "certificates.k8s.io/v1", kind: "CertificateSigningRequest", metadata: { name: "jane" }, spec };
    await run(kubectl, ["create", "-f", "-"], JSON.stringify(object));
    await run(kubectl, ["certificate", "approve", "jane"]);
    const certificate = await run(kubectl, ["get", "csr", "jane", "-o", "jsonpath={.status.certificate}"]);
    const cert = Buffer.from(certificate, "base64").toString();
    assert.equal(userOf(await get(pods(), { ca, cert, key })), "jane");
    assert.equal((await get(pods(), { ca })).status, 401);
    assert.equal(await userOfResumed({ ca, cert, key }), "jane");
    const file = (name: string): string => join(command.directory, name);
    writeFileSync(file("client.crt"), cert);
    writeFileSync(file("ca.crt"), ca);
    const own = [`--client-certificate=${file("client.crt")}`, `--client-key=${file("client.key")}`];
    const server = ["--kubeconfig=/dev/null", `--server=${command.server}`, `--certificate-authority=${file("ca.crt")}`];
    const { stderr } = await runKubectl(kubectl, ["get", "pods", ...own, ...server], { HOME: command.directory });
    assert.match(stderr, /User "jane" cannot list resource "pods"/);
  });

  test("a client certificate of an unknown authority is refused", { skip: hasOpenssl() ? false : "there is no openssl" }, async () => {
    const { key, cert } = selfSigned(command.directory, "/O=system:masters/CN=mallory");
    assert.equal((await get(pods(), { ca, cert, key })).status, 401);
    const answer = await get(pods(), { ca, cert, key }, { authorization: `Bearer ${command.token}` });
    assert.equal(answer.status, 200);
  });

  /** A second connection that goes on with the TLS session of the first sends no certificate again. */
  async function userOfResumed(tls: ConnectionOptions): Promise<string | undefined> {
    const { hostname, port } = new URL(command.server);
    const ask = (session?: Buffer): Promise<{ session: Buffer | undefined; reused: boolean; text: string }> =>
      new Promise((resolve, reject) => {
        let text = "";
        let next: Buffer | undefined;
        const socket = connect({ ...tls, host: hostname, port: Number(port), ...(session === undefined ? {} : { session }) });
        socket.on("session", (given: Buffer) => {
          next = given;
        });
        socket.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        socket.on("error", reject);
        socket.on("end", () => resolve({ session: next, reused: socket.isSessionReused(), text }));
        socket.write("GET /api/v1/pods HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
      });
    const first = await ask();
    const second = await ask(first.session);
    assert.equal(second.reused, true);
    return userOf({ status: 0, text: second.text });
  }
});
