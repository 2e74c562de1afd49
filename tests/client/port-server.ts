/** A server in this process whose clients reach it over message ports, as other threads do. */
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { type ApiServer, createServer, Metrics } from "@coxswain/apiserver";
import { type Client, type ClientOptions, createClient } from "@coxswain/client";
import { AsyncDisposableStack, systemClock, systemRandom } from "@coxswain/machinery";
import { InProcessCallers, type InProcessUser, PortClient, servePort } from "coxswain";
import { storeUnderTest } from "../store-under-test.ts";
import { trusted } from "./transport-server.ts";

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

export interface PortServing extends AsyncDisposable {
  /** Over a port of its own. */
  client(options: Pick<ClientOptions, "fieldManager" | "onWarning">): Client;
}

const admin: InProcessUser = { name: "admin", groups: ["system:masters"] };

export async function servePorts(): Promise<PortServing> {
  const stack = new AsyncDisposableStack();
  const callers = new InProcessCallers();
  const server = await createServer({
    store: await storeUnderTest(systemClock),
    clock: systemClock,
    random: systemRandom,
    log: silent,
    authenticators: [callers.authenticator],
    authority: trusted,
    metrics: new Metrics({ startedAt: systemClock.now() / 1000 }),
    tls: trusted.serving,
    version: "0.0.0",
    platform: "linux/amd64",
  });
  stack.defer(() => server.close());
  return {
    client: (options) => {
      const ports = stack.use(connectPorts(server, callers));
      return createClient({ transport: ports.client.connect(admin), clock: systemClock, random: systemRandom, ...options });
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

export interface ConnectedPorts extends Disposable {
  readonly client: PortClient;
  /** The server's end. */
  readonly port: MessagePort;
}

/** @param isAllowed whom the client may be; by default anybody */
export function connectPorts(
  server: Pick<ApiServer, "handle">,
  callers: InProcessCallers,
  isAllowed: (user: InProcessUser) => boolean = () => true,
): ConnectedPorts {
  const { port1, port2 } = new MessageChannel();
  const served = servePort(server, port1, { callers, isAllowed });
  const client = new PortClient(port2);
  return {
    ...{ client, port: port1 },
    [Symbol.dispose]: () => {
      client.close();
      served[Symbol.dispose]();
    },
  };
}
