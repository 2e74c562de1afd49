/** Kubernetes' own API server on an etcd, where `COXSWAIN_KUBE_APISERVER` names that program. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { run } from "../conformance/client-program.ts";
import { freePort } from "../free-port.ts";

const program = process.env.COXSWAIN_KUBE_APISERVER;

/** Undefined where it can be started. */
export const whyNoKubeApiserver: string | undefined = program === undefined ? "COXSWAIN_KUBE_APISERVER names no program" : undefined;

export interface Server {
  readonly kubeconfig: string;
  readonly stop: () => Promise<unknown>;
}

/** What it prints. @throws Error with what it says where it fails */
export async function kubectl(server: Pick<Server, "kubeconfig">, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run("kubectl", ["--kubeconfig", server.kubeconfig, ...args], { timeoutMs: hangMs });
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

export interface KubeApiserverOptions {
  readonly etcdUrl: string;
  /** Of what it stores, without `application/`. */
  readonly media: string;
  readonly flags?: readonly string[];
  /** What it is asked until it says `ok`. */
  readonly waitFor?: "/readyz" | "/readyz/etcd";
}

/** Answers when it resolves. */
export async function startKubeApiserver({ etcdUrl, media, flags = [], waitFor = "/readyz" }: KubeApiserverOptions): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-kube-apiserver-"));
  const [port, key] = [await freePort(), join(folder, "sa.key")];
  await run("openssl", ["genrsa", "-out", key, "2048"], { timeoutMs: hangMs });
  writeFileSync(join(folder, "tokens.csv"), 'token,admin,1,"system:masters"\n');
  const child = spawn(
    program ?? "",
    [
      ...[
        `--etcd-servers=${etcdUrl}`,
        `--cert-dir=${folder}`,
        `--secure-port=${port}`,
        "--bind-address=127.0.0.1",
        "--authorization-mode=RBAC",
      ],
      ...["--service-account-issuer=https://kubernetes.default.svc.cluster.local", `--service-account-key-file=${key}`],
      ...[`--service-account-signing-key-file=${key}`, `--token-auth-file=${join(folder, "tokens.csv")}`, "--advertise-address=192.0.2.1"],
      ...[`--storage-media-type=application/${media}`, "--service-cluster-ip-range=10.96.0.0/12", ...flags],
    ],
    { stdio: "ignore" },
  );
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, kubeconfigFor(`https://127.0.0.1:${port}`));
  const server = {
    kubeconfig,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await waitUntil("kube-apiserver to be ready", async () => {
    if (child.exitCode !== null) throw new Error(`kube-apiserver ended with ${child.exitCode}`);
    return (await kubectl(server, "get", "--raw", waitFor).catch(() => "")) === "ok";
  });
  return server;
}

const kubeconfigFor = (server: string): string => `apiVersion: v1
kind: Config
clusters: [{name: a, cluster: {server: "${server}", insecure-skip-tls-verify: true}}]
users: [{name: a, user: {token: token}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
current-context: a
`;
