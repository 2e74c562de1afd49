/** What is compared, each started by nothing but its command, in whatever network this process is in. */
import { type ChildProcess, spawn } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeServiceAccountKey } from "@coxswain/apiserver";
import { waitUntil } from "@coxswain/machinery/testing";
import { nameWith } from "@coxswain/pki";
import { type Issuer, issuePair } from "@coxswain/pki/node";
import { mainFile } from "../conformance/command-under-test.ts";
import { addresses } from "./objects.ts";
import { type Server, send } from "./send.ts";

export interface ServerFiles {
  readonly directory: string;
  /** Who vouches for kubelets, and the key of that. */
  readonly authority: Issuer;
  readonly authorityCert: string;
  readonly authorityKey: string;
}

const server: Server = { host: addresses.own, port: 7443, token: "secret" };

export interface StartedServer extends AsyncDisposable {
  readonly server: Server;
}

function files({ directory, authorityCert, authorityKey }: ServerFiles) {
  const write = (name: string, text: string): string => {
    const file = join(directory, name);
    writeFileSync(file, text);
    return file;
  };
  return {
    write,
    ca: write("ca.crt", authorityCert),
    caKey: write("ca.key", authorityKey),
    tokens: write("tokens.csv", `${server.token},tester,tester,"system:masters"\n`),
  };
}

export function startCoxswain(given: ServerFiles): Promise<StartedServer> {
  const { ca, caKey, tokens } = files(given);
  const args = [
    ...["--apiserver-only", "--ephemeral", `--address=${server.host}`, `--port=${server.port}`, `--token-auth-file=${tokens}`],
    ...[`--kubeconfig=${join(given.directory, "kubeconfig")}`, `--cluster-signing-cert-file=${ca}`, `--cluster-signing-key-file=${caKey}`],
    ...["--disable-admission-plugins=ServiceAccount", "--log-level=error"],
  ];
  return ready([run([process.execPath, mainFile, ...args])]);
}

/** @param program a kube-apiserver; `etcd` is found as other programs are */
export async function startKubeApiserver(program: string, given: ServerFiles): Promise<StartedServer> {
  const { directory, authority } = given;
  const { write, ca, tokens } = files(given);
  const client = issuePair(authority, { subject: nameWith("apiserver"), usage: "client auth" }, Date.now());
  const key = write("sa.key", makeServiceAccountKey());
  const publicKey = write("sa.pub", createPublicKey(readFileSync(key)).export({ format: "pem", type: "spki" }).toString());
  const etcd = "http://127.0.0.1:2379";
  const etcdArgs = [
    `--data-dir=${join(directory, "etcd")}`,
    `--listen-client-urls=${etcd}`,
    `--advertise-client-urls=${etcd}`,
    "--unsafe-no-fsync",
  ];
  const args = [
    ...[`--etcd-servers=${etcd}`, `--bind-address=${server.host}`, `--secure-port=${server.port}`, `--token-auth-file=${tokens}`],
    ...[`--cert-dir=${directory}`, `--service-account-key-file=${publicKey}`, `--service-account-signing-key-file=${key}`],
    ...["--service-account-issuer=https://issuer.test", "--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount"],
    ...[`--kubelet-certificate-authority=${ca}`, `--kubelet-client-certificate=${write("client.crt", client.cert)}`],
    ...[
      `--kubelet-client-key=${write("client.key", client.key)}`,
      "--kubelet-preferred-address-types=InternalIP,ExternalIP,InternalDNS,ExternalDNS,Hostname",
    ],
    ...["--allow-privileged", "--service-cluster-ip-range=10.96.0.0/16", "--v=0"],
  ];
  return ready([run(["etcd", "--log-level=error", ...etcdArgs]), run([program, ...args])]);
}

function run([program = "", ...args]: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", process.env.SHOW_LOGS === undefined ? "ignore" : "inherit"] });
  return child;
}

async function ready(children: readonly ChildProcess[]): Promise<StartedServer> {
  const ask = { name: "ready", method: "GET", path: "/readyz" };
  await waitUntil("the server is ready", async () => {
    if (children.some(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)) throw new Error("a program has ended");
    return (await send(server, ask)).status === 200;
  });
  return {
    server,
    [Symbol.asyncDispose]: async () => {
      for (const child of [...children].reverse()) await end(child);
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}
