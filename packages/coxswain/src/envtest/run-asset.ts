/** The programs that envtest starts, by the names under which this command has them. Each loads what it needs. */
import { StartError } from "../process/start-error.ts";

const programs: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  __proto__: null as never,
  etcd: async (args) => (await import("./etcd.ts")).runEtcd(args),
  // envtest asks for the help before each start: that needs no server.
  "kube-apiserver": async (args) =>
    args.includes("--help")
      ? void process.stdout.write((await import("./api-server-flags.ts")).apiServerHelp())
      : (await import("./kube-apiserver.ts")).runKubeApiServer(args),
  "envtest-assets": async (args) => (await import("./assets.ts")).runEnvtestAssets(args, process.env),
};

/** Whether the words name one of them, which then runs. */
export function runEnvtestCommand([name = "", ...args]: readonly string[]): Promise<void> | undefined {
  return Object.hasOwn(programs, name) ? programs[name]?.(args).catch((error: unknown) => fail(name, error)) : undefined;
}

function fail(name: string, error: unknown): void {
  if (!(error instanceof StartError)) throw error;
  process.stderr.write(`${name}: ${error.message}\n`);
  process.exit(1);
}
