/**
 * `etcd` as envtest starts it: healthy, and otherwise empty, because the API server beside it keeps its state itself. It answers
 * what envtest and people ask to see whether it runs; a write is answered with an error.
 */
import { createServer, type Server } from "node:http";
import { systemClock } from "@coxswain/machinery";
import { StartError } from "../process/start-error.ts";
import { parentGone, removeFolderOfEnvtest } from "./end-with-parent.ts";
import { type FlagNames, lastOf, listOf, parseFlags } from "./parse-flags.ts";

const help = `Stands in for etcd in the tests of envtest: it is healthy, and keeps nothing.

Flags:
  --data-dir 'default.etcd'
    Accepted; nothing is written to it.
  --listen-client-urls 'http://localhost:2379'
    Where it answers /health. All other flags of etcd are accepted and make no difference.
`;

const booleans = new Set([
  "auto-tls",
  "client-cert-auth",
  "enable-grpc-gateway",
  "enable-log-rotation",
  "enable-pprof",
  "experimental-initial-corrupt-check",
  "force-new-cluster",
  "help",
  "peer-auto-tls",
  "peer-client-cert-auth",
  "pre-vote",
  "strict-reconfig-check",
  "unsafe-no-fsync",
  "version",
]);
const names: FlagNames = { kindOf: (name) => (booleans.has(name) ? "boolean" : "value") };

const answers: Readonly<Record<string, object>> = {
  __proto__: null as never,
  "/health": { health: "true", reason: "" },
  "/livez": {},
  "/readyz": {},
  "/version": { etcdserver: "3.6.0", etcdcluster: "3.6.0", storage: "3.6.0" },
};

/** Runs until a signal comes or its parent is gone. @throws StartError */
export async function runEtcd(args: readonly string[]): Promise<void> {
  const flags = parseFlags("etcd", args, names);
  if (flags.has("help")) return void process.stdout.write(help);
  const urls = listOf(flags, "listen-client-urls");
  const servers = await Promise.all((urls.length === 0 ? ["http://localhost:2379"] : urls).map(serve));
  const stop = (): void => {
    for (const server of servers) server.close();
    for (const server of servers) server.closeAllConnections();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, stop);
  await parentGone(systemClock);
  removeFolderOfEnvtest(lastOf(flags, "data-dir"));
  stop();
}

function serve(text: string): Promise<Server> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:") throw new StartError(`--listen-client-urls ${text}: what stands in for etcd serves http:// alone`);
  const server = createServer((request, response) => {
    const answer = answers[request.url ?? ""];
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(answer === undefined ? "404 page not found\n" : `${JSON.stringify(answer)}\n`);
  });
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(new StartError(`cannot listen on ${text}: ${error.message}`, { cause: error })));
    server.listen(Number(url.port === "" ? 2379 : url.port), url.hostname.replace(/^\[|\]$/g, ""), () => resolve(server));
  });
}
