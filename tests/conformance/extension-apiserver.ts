/** Kubernetes' sample-apiserver with an etcd of its own, as an extension server of a cluster. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitUntil } from "@coxswain/machinery/testing";
import { freePort } from "../free-port.ts";
import { certificateFor } from "../integration/webhook-server.ts";

export interface ExtensionApiserver {
  readonly port: number;
  /** PEM in base64. */
  readonly caBundle: string;
  log(): string;
  /** Again, on the same port and data, after `stop`. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** With its etcd. */
  end(): Promise<void>;
}

export interface ExtensionApiserverOptions {
  readonly program: string;
  /** Of the test's own. */
  readonly directory: string;
  /** By what it asks the cluster, also about users and what they may do. */
  readonly kubeconfig: string;
  /** The name that its certificate has. */
  readonly serverName: string;
}

export async function startExtensionApiserver({
  program,
  directory,
  kubeconfig,
  serverName,
}: ExtensionApiserverOptions): Promise<ExtensionApiserver> {
  const [port, clients, peers] = [await freePort(), await freePort(), await freePort()];
  const folder = join(directory, "extension");
  mkdirSync(folder);
  const { cert, key, caBundle } = certificateFor({ dns: [serverName] });
  const [certFile, keyFile] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  let log = "";
  const run = (command: string, args: readonly string[]): ChildProcess => {
    const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
    child.stderr?.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
    return child;
  };
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${clients}`, `http://127.0.0.1:${peers}`];
  const etcd = run("etcd", [
    `--data-dir=${join(folder, "etcd")}`,
    ...[`--listen-client-urls=${clientUrl}`, `--advertise-client-urls=${clientUrl}`, `--listen-peer-urls=${peerUrl}`],
    ...[`--initial-advertise-peer-urls=${peerUrl}`, `--initial-cluster=default=${peerUrl}`],
  ]);
  const authenticated = ["kubeconfig", "authentication-kubeconfig", "authorization-kubeconfig"].map((name) => `--${name}=${kubeconfig}`);
  let server: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const before = log.length;
    const started = run(program, [
      ...[`--secure-port=${port}`, "--bind-address=127.0.0.1", `--etcd-servers=${clientUrl}`, ...authenticated],
      ...[`--tls-cert-file=${certFile}`, `--tls-private-key-file=${keyFile}`, "--audit-log-path=-"],
    ]);
    server = started;
    await waitUntil("the extension server's port", () => {
      if (started.exitCode !== null) throw new Error(`the extension server ended with ${started.exitCode}:\n${log}`);
      return log.slice(before).includes("Serving securely") ? true : undefined;
    });
  };
  await start();
  return {
    ...{ port, caBundle, start },
    log: () => log,
    stop: () => ended(server),
    async end() {
      await ended(server);
      await ended(etcd);
    },
  };
}

async function ended(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}
