/**
 * Tests of the client that any conformant server must pass: with the server in this process, over a message port as from another
 * thread, over HTTP/2 against the command, and, where COXSWAIN_TEST_KUBECONFIG names a kubeconfig, against that cluster too. Each test has a namespace of
 * its own. They are written against the protocol: what only coxswain does they ask of servers that are known to be it.
 */
import { after, test } from "node:test";
import { type Client, namespaces } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { AsyncDisposableStack, systemClock, systemRandom } from "@coxswain/machinery";
import { startCluster } from "coxswain/testing";
import { startCommand } from "../conformance/command-under-test.ts";
import { servePorts } from "./port-server.ts";

export interface ServerUnderTest {
  readonly client: Client;
  readonly namespace: string;
  /** Another client of the same server. */
  another(options: { readonly fieldManager: string; readonly onWarning?: (text: string) => void }): Promise<Client>;
  /** Whether conflicts are explained: whether it is coxswain. */
  readonly explains: boolean;
  /** Figures, beside the test's name. */
  report(text: string): void;
}

type ClientOptions = Parameters<ServerUnderTest["another"]>[0];

interface Server {
  readonly name: string;
  readonly connect: (options: ClientOptions) => Promise<Client>;
  readonly explains: boolean;
}

const cluster = startedOnce(
  () => startCluster({ clock: systemClock }),
  (started) => started[Symbol.asyncDispose](),
);
const port = startedOnce(servePorts, (started) => started[Symbol.asyncDispose]());
const command = startedOnce(
  () => startCommand("--ephemeral"),
  (started) => started.stop(),
);

const other = process.env.COXSWAIN_TEST_KUBECONFIG;
const servers: readonly Server[] = [
  { name: "in process", explains: true, connect: async (options) => (await cluster()).clientFor({ name: "admin" }, options) },
  { name: "over a message port", explains: true, connect: async (options) => (await port()).client(options) },
  { name: "over HTTP/2", explains: true, connect: async (options) => connectTo((await command()).kubeconfig, options) },
  ...(other === undefined ? [] : [{ name: "elsewhere", explains: false, connect: (options: ClientOptions) => connectTo(other, options) }]),
];

if (other === undefined) test("elsewhere", { skip: "COXSWAIN_TEST_KUBECONFIG names no other server" });

/** By the first test that needs it. */
function startedOnce<T>(start: () => Promise<T>, stop: (started: T) => PromiseLike<unknown>): () => Promise<T> {
  let started: Promise<T> | undefined;
  after(async () => {
    if (started !== undefined) await stop(await started);
  });
  return () => {
    started ??= start();
    return started;
  };
}

const connectTo = (path: string, options: ClientOptions): Promise<Client> => clientFromKubeconfig({ paths: [path], ...options });

/** However slow the machine and the other server are. */
const timeoutMs = 300_000;

export function onEachServer(title: string, fn: (surroundings: ServerUnderTest) => Promise<void>): void {
  for (const { name, connect, explains } of servers)
    test(`${title} (${name})`, { timeout: timeoutMs }, async (t) => {
      await using stack = new AsyncDisposableStack();
      const another = async (options: ClientOptions): Promise<Client> => stack.use(await connect(options));
      const client = await another({ fieldManager: "client-tests" });
      const namespace = `client-tests-${systemRandom.uuid().slice(0, 8)}`;
      await client.resource(namespaces).create({ metadata: { name: namespace } });
      try {
        await fn({ client, namespace, another, explains, report: (text) => t.diagnostic(text) });
      } finally {
        await client.resource(namespaces).delete(namespace);
      }
    });
}
