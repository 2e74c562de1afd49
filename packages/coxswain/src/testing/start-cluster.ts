/** A whole control plane inside a test: in memory, in this process, as many as one likes. */
import { createServer, Metrics, systemMastersAuthorizer, versionInfo } from "@coxswain/apiserver";
import type { Transport } from "@coxswain/client";
import { type Clock, type RandomSource, systemClock } from "@coxswain/machinery";
import { createMemoryStore } from "@coxswain/store";
import manifest from "../../package.json" with { type: "json" };
import { InProcessCallers, type InProcessUser, inProcessTransport } from "../in-process-transport.ts";
import { seededRandom } from "./random.ts";

export interface ClusterOptions {
  /** Default: the real one. */
  readonly clock?: Clock;
  /** The same seed gives the same uids and names. Default: 1. */
  readonly seed?: number;
}

export interface TestCluster extends AsyncDisposable {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** As the administrator. */
  readonly transport: Transport;
  transportFor(user: InProcessUser): Transport;
}

const administrator: InProcessUser = { name: "coxswain-admin", groups: ["system:masters"] };
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const platform = `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`;

/** `await using cluster = await startCluster()`: its end closes whatever it has begun. */
export async function startCluster({ clock = systemClock, seed = 1 }: ClusterOptions = {}): Promise<TestCluster> {
  await using stack = new AsyncDisposableStack();
  const random = seededRandom(seed);
  const store = stack.use(createMemoryStore({ clock }));
  const callers = new InProcessCallers();
  const server = await createServer({
    store,
    clock,
    random: random.named("server"),
    log: silent,
    authenticators: [callers.authenticator],
    authorizer: systemMastersAuthorizer,
    metrics: new Metrics({ startedAt: clock.now() / 1000, build: versionInfo(manifest.version, platform) }),
    tls: { cert: "", key: "" },
    version: manifest.version,
    platform,
  });
  stack.defer(() => server.close());
  const owned = stack.move();
  const transportFor = (user: InProcessUser): Transport => owned.use(inProcessTransport(server, { user, callers }));
  return {
    clock,
    random,
    transport: transportFor(administrator),
    transportFor,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
