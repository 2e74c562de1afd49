/**
 * The ceiling of what a server in Node can answer: HTTP/2 over TLS, and the same ConfigMap of 1.5 KB whatever is asked.
 * Listens on a free port, prints the URL, and serves until it is killed.
 */
import { createSecureServer, type ServerHttp2Stream } from "node:http2";
import { nameWith } from "@coxswain/pki";
import { issuePair } from "@coxswain/pki/node";

const names = { dns: ["localhost"], ip: ["127.0.0.1"] };
const pair = issuePair("self", { subject: nameWith("bare-server"), usage: "server auth", names }, Date.now());
const body = Buffer.from(
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "constant" }, data: { k: "v".repeat(1400) } }),
);
const headers = { ":status": 200, "content-type": "application/json", "content-length": body.length };

const server = createSecureServer(pair);
server.on("stream", (stream: ServerHttp2Stream) => {
  stream.resume();
  stream.respond(headers);
  stream.end(body);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  process.stdout.write(`https://127.0.0.1:${address.port}\n`);
});
