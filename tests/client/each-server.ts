/**
 * Tests of the client that any conformant server must pass: with the server in this process, over HTTP/2, and, where
 * COXSWAIN_TEST_KUBECONFIG names a kubeconfig, against that cluster too. Each test has a namespace of its own.
 */
import { after, test } from "node:test";
import { type Client, namespaces } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { startCluster, type TestCluster } from "coxswain/testing";

export interface Surroundings {
  readonly client: Client;
  readonly namespace: string;
  /** Another client of the same server. */
  another(options: { readonly fieldManager: string; readonly onWarning?: (text: string) => void }): Promise<Client>;
  /** Whether conflicts are explained. */
  readonly explains: boolean;
}

type ClientOptions = Parameters<Surroundings["another"]>[0];

interface Server {
  readonly name: string;
  readonly connect: (options: ClientOptions) => Promise<Client>;
  readonly explains: boolean;
}

let started: Promise<TestCluster> | undefined;
const cluster = (): Promise<TestCluster> => {
  started ??= startCluster({ clock: systemClock });
  return started;
};
after(async () => (await started)?.[Symbol.asyncDispose]());

const other = process.env.COXSWAIN_TEST_KUBECONFIG;
const servers: readonly Server[] = [
  { name: "in process", explains: true, connect: async (options) => (await cluster()).clientFor({ name: "admin" }, options) },
  { name: "over HTTP/2", explains: true, connect: async (options) => connectTo((await (await cluster()).listen()).kubeconfig, options) },
  ...(other === undefined ? [] : [{ name: "elsewhere", explains: false, connect: (options: ClientOptions) => connectTo(other, options) }]),
];

const connectTo = (path: string, options: ClientOptions): Promise<Client> => clientFromKubeconfig({ paths: [path], ...options });

export function onEachServer(title: string, fn: (surroundings: Surroundings) => Promise<void>): void {
  for (const { name, connect, explains } of servers)
    test(`${title} (${name})`, async () => {
      await using stack = new AsyncDisposableStack();
      const another = async (options: ClientOptions): Promise<Client> => stack.use(await connect(options));
      const client = await another({ fieldManager: "client-tests" });
      const namespace = `client-tests-${systemRandom.uuid().slice(0, 8)}`;
      await client.resource(namespaces).create({ metadata: { name: namespace } });
      try {
        await fn({ client, namespace, another, explains });
      } finally {
        await client.resource(namespaces).delete(namespace);
      }
    });
}
