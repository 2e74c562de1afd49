/**
 * Where the state of tests' servers is: in memory, or, with `COXSWAIN_STORE=etcd`, in an etcd. With `COXSWAIN_STORE=replica` a server
 * in process stands on a copy of it as further threads have one, and with `COXSWAIN_SERVERS=2` a command has two servers.
 */
import { createHash, randomUUID } from "node:crypto";

/** Below a prefix of its own; the `servers` are what `COXSWAIN_ETCD_SERVERS` names: npm test starts one where nobody says. */
export interface EtcdUnderTestOptions {
  readonly servers: string;
  readonly prefix: string;
}

/** Undefined for a state in memory, or in a file. One data directory is one state. */
export function etcdOptions(dataDir: string = randomUUID()): EtcdUnderTestOptions | undefined {
  if (process.env.COXSWAIN_STORE !== "etcd") return undefined;
  const hash = createHash("sha256").update(dataDir).digest("hex").slice(0, 32);
  return { servers: process.env.COXSWAIN_ETCD_SERVERS ?? "http://127.0.0.1:2379", prefix: `/test-${hash}` };
}

/** How many servers a command has. */
export const serversUnderTest = (): number => Number(process.env.COXSWAIN_SERVERS ?? "1");

/** For the command with these options. */
export function storeOptions(options: readonly string[]): string[] {
  const etcd = etcdOptions(dataDirOf(options));
  if (etcd === undefined && serversUnderTest() > 1 && !options.some((option) => option.startsWith("--servers")))
    return [`--servers=${serversUnderTest()}`];
  return etcd === undefined ? [] : [`--etcd-servers=${etcd.servers}`, `--etcd-prefix=${etcd.prefix}`];
}

function dataDirOf(options: readonly string[]): string | undefined {
  const at = options.indexOf("--data-dir");
  return at === -1 ? options.find((option) => option.startsWith("--data-dir="))?.slice("--data-dir=".length) : options[at + 1];
}
