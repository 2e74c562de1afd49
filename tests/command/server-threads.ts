/** Several API servers in threads of one process, with clients of each. */
import type { TestContext } from "node:test";
import { type Client, createClient } from "@coxswain/client";
import { http2Transport } from "@coxswain/client/node";
import { systemClock, systemRandom } from "@coxswain/machinery";
import { waitUntil } from "@coxswain/machinery/testing";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";

export async function textAt(client: Client, path: string): Promise<string> {
  const answer = await client.transport.send({ method: "GET", path, headers: {} });
  return Buffer.from(await answer.bytes()).toString();
}

/** Clients with a connection each, so many that some are with each server. */
export function connect(t: TestContext, { server, token }: CommandUnderTest, count: number): readonly Client[] {
  return Array.from({ length: count }, () => {
    const credentials = { current: () => Promise.resolve({ authorization: `Bearer ${token}` }) };
    const transport = http2Transport({ server, clock: systemClock, tls: { insecure: true }, credentials });
    const client = createClient({ transport, clock: systemClock, random: systemRandom });
    t.after(() => client[Symbol.asyncDispose]());
    return client;
  });
}

export async function start(t: TestContext, ...options: readonly string[]): Promise<CommandUnderTest> {
  const command = await startCommand(...options);
  t.after(() => command.stop());
  return command;
}

/** Open connections by server. */
async function spread(client: Client): Promise<ReadonlyMap<string, number>> {
  const found = (await textAt(client, "/metrics")).matchAll(/^coxswain_server_connections\{server="(\d+)"\} (\d+)$/gm);
  return new Map(Array.from(found, ([, server = "", count]) => [server, Number(count)]));
}

/** Until each server has one of the clients' connections. */
export async function connectAll(t: TestContext, command: CommandUnderTest, servers: number): Promise<readonly Client[]> {
  const clients: Client[] = [];
  await waitUntil("each server has a connection", async () => {
    clients.push(...connect(t, command, 2));
    await Promise.all(clients.map((client) => textAt(client, "/version")));
    const counts = await spread(clients[0] as Client);
    return counts.size === servers && [...counts.values()].every((count) => count > 0);
  });
  return clients;
}
