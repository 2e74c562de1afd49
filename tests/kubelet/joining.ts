/** What a cluster gives those that join it by a bootstrap token, and `coxswain kubelet`, which does. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type CommandUnderTest, mainFile } from "../conformance/command-under-test.ts";

export interface Kubelet {
  log(): string;
  end(): Promise<void>;
}

/** Ends with the test. */
export function startKubelet(t: TestContext, ...options: readonly string[]): Kubelet {
  const child = spawn(process.execPath, [mainFile, "kubelet", ...options], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => {
    log += chunk.toString();
  });
  const exited = once(child, "exit");
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    await exited;
  };
  t.after(end);
  return { log: () => log, end };
}

/** As kubeadm binds them. */
export const bindings = {
  "node-bootstrapper": ["system:node-bootstrapper", "system:bootstrappers"],
  "approve-bootstrap": ["system:certificates.k8s.io:certificatesigningrequests:nodeclient", "system:bootstrappers"],
  "approve-rotation": ["system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", "system:nodes"],
} as const;

export type Kubectl = (...args: readonly string[]) => string;

/** What it says, on either stream. */
export const kubectlOf =
  ({ kubeconfig }: Pick<CommandUnderTest, "kubeconfig">): Kubectl =>
  (...args) => {
    const { stdout, stderr } = spawnSync("kubectl", ["--kubeconfig", kubeconfig, ...args], { encoding: "utf8" });
    return `${stdout}${stderr}`.trim();
  };

/** @returns the kubeconfig with which nodes join */
export function allowJoining(command: CommandUnderTest, authority: string): string {
  const kubectl = kubectlOf(command);
  for (const [name, [role, group]] of Object.entries(bindings))
    kubectl("create", "clusterrolebinding", name, `--clusterrole=${role}`, `--group=${group}`);
  const token = ["token-id=abcdef", "token-secret=0123456789abcdef", "usage-bootstrap-authentication=true"];
  const secret = ["bootstrap-token-abcdef", "--namespace=kube-system", "--type=bootstrap.kubernetes.io/token"];
  kubectl("create", "secret", "generic", ...secret, ...token.map((one) => `--from-literal=${one}`));
  const bootstrap = join(command.directory, "bootstrap-kubelet.conf");
  const set = (...args: readonly string[]) => spawnSync("kubectl", ["config", ...args, "--kubeconfig", bootstrap]);
  set("set-cluster", "c", `--server=${command.server}`, `--certificate-authority=${authority}`, "--embed-certs");
  set("set-credentials", "joining", "--token=abcdef.0123456789abcdef");
  set("set-context", "c", "--cluster=c", "--user=joining");
  set("use-context", "c");
  return bootstrap;
}
