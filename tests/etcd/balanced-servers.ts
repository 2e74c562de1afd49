/** Three servers on one etcd behind HAProxy, as docs/howto/run-several-servers.md has them. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeServiceAccountKey } from "@coxswain/apiserver";
import type { Client } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { run } from "../conformance/client-program.ts";
import { mainFile } from "../conformance/command-under-test.ts";
import { opensslAuthority } from "../conformance/openssl.ts";
import { type EtcdUnderTest, startEtcd, whyNoEtcd } from "../etcd-server.ts";
import { freePort } from "../free-port.ts";

/** Undefined where they can be started. */
export const whyNoBalancedServers: string | undefined =
  whyNoEtcd() ?? (spawnSync("haproxy", ["-v"]).status === 0 ? undefined : "HAProxy is not installed");
/** Of the servers. */
export const names = ["one", "two", "three"] as const;

export class BalancedServers implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), "coxswain-many-"));
  readonly ports: number[] = [];
  readonly processes: ChildProcess[] = [];
  etcd!: EtcdUnderTest;
  balancer!: ChildProcess;
  port = 0;

  async start(): Promise<void> {
    this.etcd = await startEtcd();
    this.port = await freePort();
    for (const _ of names) this.ports.push(await freePort());
    const at = (file: string) => join(this.folder, file);
    opensslAuthority(this.folder, "ca");
    writeFileSync(at("sa.key"), makeServiceAccountKey());
    writeFileSync(at("haproxy.cfg"), haproxyFor(this.port, this.ports));
    for (const i of names.keys()) await this.run(i);
    this.balancer = spawn("haproxy", ["-f", at("haproxy.cfg")], { stdio: "ignore" });
    writeFileSync(at("kubeconfig"), spawnSync("sed", [`s/:${this.ports[0]}/:${this.port}/`, at("one.kubeconfig")]).stdout);
    const works = async () => (await this.kubectl("get", "--raw", "/readyz").catch(() => "")) === "ok";
    await waitUntil("the balancer to lead to a server", works);
  }

  /** Resolves once it serves. */
  async run(i: number): Promise<void> {
    const at = (file: string) => join(this.folder, file);
    const child = spawn(
      process.execPath,
      [
        ...[mainFile, "--data-dir", at(`${names[i]}`), "--port", `${this.ports[i]}`, "--kubeconfig", at(`${names[i]}.kubeconfig`)],
        ...[`--etcd-servers=${this.etcd.url}`, `--advertise-address=192.0.2.${i + 1}`, "--no-node", "--stop-on-stdin-close"],
        ...[`--cluster-signing-cert-file=${at("ca.crt")}`, `--cluster-signing-key-file=${at("ca.key")}`],
        ...[`--service-account-signing-key-file=${at("sa.key")}`, "--shutdown-delay-duration=3s", "--output=json"],
      ],
      { stdio: ["pipe", "pipe", "ignore"] },
    );
    this.processes[i] = child;
    const died = once(child, "exit").then(() => Promise.reject(new Error(`server ${names[i]} has ended`)));
    died.catch(() => undefined);
    await Promise.race([died, once(child.stdout, "data")]);
  }

  async end(i: number, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const child = this.processes[i];
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  }

  /** Of the balancer. */
  get kubeconfig(): string {
    return join(this.folder, "kubeconfig");
  }

  async kubectl(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await run("kubectl", ["--kubeconfig", this.kubeconfig, ...args], { timeoutMs: hangMs });
    if (code !== 0) throw new Error(stderr);
    return stdout;
  }

  client = (file = "kubeconfig"): Promise<Client> => clientFromKubeconfig({ paths: [join(this.folder, file)] });

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(names.map((_, i) => this.end(i, "SIGKILL")));
    this.balancer?.kill("SIGKILL");
    await this.etcd?.[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const haproxyFor = (port: number, servers: readonly number[]): string => `defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  retries 3
  option redispatch
listen kubernetes
  bind 127.0.0.1:${port}
  balance roundrobin
  option httpchk GET /readyz
  default-server check check-ssl verify none inter 300ms fall 2 rise 2
${servers.map((at, i) => `  server ${names[i]} 127.0.0.1:${at}`).join("\n")}
`;
