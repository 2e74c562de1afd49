/** What a link does to connections, seen from both ends. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { Link } from "./link.ts";

interface Ends {
  readonly link: Link;
  readonly client: Socket;
  readonly server: Socket;
  /** What each end has received. */
  readonly received: { client: string; server: string };
}

/** A connection through a link, on which `hello` has come to the server. */
async function connected(t: { after: (fn: () => unknown) => void }, hello = "hello"): Promise<Ends> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const identify = (head: Buffer): string => head.toString();
  const link = new Link({ name: "tried", targetPort: (listener.address() as AddressInfo).port, identify });
  const accepted = once(listener, "connection");
  const client = connect(await link.listen(), "127.0.0.1");
  const [server] = (await accepted) as [Socket];
  t.after(async () => {
    client.destroy();
    server.destroy();
    listener.close();
    await link[Symbol.asyncDispose]();
  });
  const received = { client: "", server: "" };
  for (const [name, socket] of [["client", client] as const, ["server", server] as const])
    socket.on("data", (piece: Buffer) => (received[name] += piece.toString())).on("error", () => undefined);
  client.write(hello);
  await waitUntil("the first bytes", () => received.server === hello);
  return { link, client, server, received };
}

test("what is blocked in one direction comes when that is over, and the other direction passes", async (t) => {
  const { link, client, server, received } = await connected(t);
  const cut = link.block({ direction: "to" });
  client.write(" held");
  server.write("answer");
  await waitUntil("the answer", () => received.client === "answer");
  assert.equal(received.server, "hello");
  cut[Symbol.dispose]();
  await waitUntil("what was held", () => received.server === "hello held");
});

test("only the connections of one client are blocked", async (t) => {
  const { link, client, received } = await connected(t, "one");
  using _ = link.block({ direction: "both", client: "another" });
  client.write(" passes");
  await waitUntil("what passes", () => received.server === "one passes");
  using __ = link.block({ direction: "both", client: "one" });
  client.write(" held");
  const other = connect((client.remotePort ?? 0) as number, "127.0.0.1");
  t.after(() => other.destroy());
  other.write("another");
  await waitUntil("the other connection", () => link.size === 2);
  assert.equal(received.server, "one passes");
});

test("what is delayed comes in its order", async (t) => {
  const { link, client, received } = await connected(t);
  const slow = link.delay({ direction: "both", delayMs: 30 });
  client.write(" first");
  await waitUntil("the first piece to be on its way", () => client.bytesWritten === 11);
  slow[Symbol.dispose]();
  client.write(" second");
  await waitUntil("both", () => received.server === "hello first second");
});

test("a reset ends the connection in the middle of an answer", async (t) => {
  const { link, client, server, received } = await connected(t);
  const closed = new Promise((resolve) => client.once("close", resolve));
  link.reset(6);
  server.write("half an answer");
  await closed;
  assert.ok(received.client !== "" && "half a".startsWith(received.client), received.client);
  await waitUntil("the other end to know", () => server.destroyed);
});

test("an end that happens while nothing passes is learned of afterwards", async (t) => {
  const { link, client, server } = await connected(t);
  const cut = link.block({ direction: "both" });
  client.resetAndDestroy();
  await once(client, "close");
  server.write("to a client that is gone");
  assert.equal(server.destroyed, false);
  cut[Symbol.dispose]();
  await waitUntil("the server to know", () => server.destroyed);
});
