import { once } from "node:events";
import { createServer } from "node:net";

/** A TCP port of `host` that was free a moment ago, for programs that cannot choose one themselves. */
export async function freePort(host = "127.0.0.1"): Promise<number> {
  const server = createServer();
  await once(server.listen(0, host), "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
