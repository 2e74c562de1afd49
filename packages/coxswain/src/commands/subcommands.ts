/** The commands below `coxswain`. Each loads what it needs. */
import type { SubcommandName } from "../options/subcommands.ts";
import { StartError } from "../process/start-error.ts";

type Run = (args: readonly string[]) => Promise<void>;

/** `envtest-assets` is with what it is for. */
const commands: Readonly<Record<Exclude<SubcommandName, "envtest-assets">, Run>> = {
  status: async (args) => (await import("./run-status.ts")).runStatus(args),
  stop: async (args) => (await import("./run-stop.ts")).runStop(args),
  kubectl: async (args) => (await import("./run-kubectl.ts")).runKubectl(args),
  healthz: async (args) => (await import("./check-health.ts")).runHealthCommand(args),
  kubeconfig: async (args) => (await import("./print-kubeconfig.ts")).runKubeconfigCommand(args),
  certs: async (args) => (await import("./run-certs.ts")).runCerts(args),
  token: async (args) => (await import("./run-token.ts")).runToken(args),
  copy: async (args) => (await import("./run-copy.ts")).runCopy(args),
  snapshot: async (args) => (await import("./run-snapshot.ts")).runSnapshot(args),
  history: async (args) => (await import("./run-history.ts")).runHistory(args),
  blame: async (args) => (await import("./run-history.ts")).runBlame(args),
  diff: async (args) => (await import("./run-diff.ts")).runDiff(args),
  at: async (args) => (await import("./run-at.ts")).runAt(args),
  undo: async (args) => (await import("./run-undo.ts")).runUndo(args),
  invariants: async (args) => (await import("./run-invariants.ts")).runInvariants(args),
  record: async (args) => (await import("./run-record.ts")).runRecord(args),
  replay: async (args) => (await import("./run-replay.ts")).runReplay(args),
  completion: async (args) => (await import("./run-completion.ts")).runCompletion(args),
  controllers: async (args) => (await import("./run-controllers.ts")).runControllersCommand(args),
  scheduler: async (args) => (await import("./run-scheduler.ts")).runSchedulerCommand(args),
  dns: async (args) => (await import("./run-dns.ts")).runDnsCommand(args),
  kubelet: async (args) => (await import("./run-kubelet.ts")).runKubeletCommand(args),
  proxy: async (args) => (await import("./run-proxy.ts")).runProxyCommand(args),
  "pod-network": async (args) => (await import("./run-pod-network.ts")).runPodNetworkCommand(args),
  "network-policy": async (args) => (await import("./run-network-policy.ts")).runNetworkPolicyCommand(args),
};

/** Whether the first word names one of them, which then runs. */
export function runSubcommand([name = "", ...args]: readonly string[]): Promise<void> | undefined {
  const run = Object.entries(commands).find(([command]) => command === name)?.[1];
  return run?.(args).catch((error: unknown) => {
    if (!(error instanceof StartError)) throw error;
    process.stderr.write(`coxswain: ${error.message}\n`);
    process.exit(1);
  });
}
