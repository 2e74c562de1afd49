/** What is behind the proxies: by its path a request says how it is to be answered; otherwise it is told what has arrived. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Duplex } from "node:stream";
import { deflateRawSync, gzipSync } from "node:zlib";

export interface BackendAddress {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
}

export interface ServedCertificate {
  readonly cert: string;
  readonly key: string;
}

export async function startBackend({ host, port, secure }: BackendAddress, certificate: ServedCertificate): Promise<Server> {
  const server = secure ? createSecureServer(certificate) : createServer();
  server.on("request", (request, response) => void answer(request, response).catch(() => response.destroy()));
  server.on("upgrade", upgrade);
  server.listen(port, host);
  await once(server, "listening");
  return server;
}

type Answer = (context: {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
}) => void | Promise<void>;

const page = [
  '<!DOCTYPE html><html><head><link href="/style.css" rel="stylesheet"><script src="//cdn.test/a.js"></script></head>',
  '<body><a href="/page?x=1&amp;y=2#z">a</a><a href="relative/path">b</a><a href="http://other.test/">c</a>',
  '<a href="http://10.0.0.2:8080/own">d</a><img src="/image.png" alt="i"><form action="/submit"></form>text</body></html>',
].join("");

const answers: Readonly<Record<string, Answer>> = {
  __proto__: null as never,
  "/redirect": ({ response, query }) => {
    response.writeHead(Number(query.get("status") ?? 302), { location: query.get("to") ?? "", "content-type": "text/plain" });
    response.end("moved");
  },
  "/status": ({ response, query }) => {
    response.writeHead(Number(query.get("code")), { "content-type": "application/json" });
    response.end('{"said":"by the backend"}');
  },
  "/html": ({ response, query }) => {
    const coding = query.get("coding");
    const bytes = coding === "gzip" ? gzipSync(page) : coding === "deflate" ? deflateRawSync(page) : Buffer.from(page);
    response.writeHead(200, {
      "content-type": query.get("type") ?? "text/html",
      ...(coding === null ? {} : { "content-encoding": coding }),
    });
    response.end(bytes);
  },
  "/headers": ({ response }) => {
    response.setHeader("x-twice", ["one", "two"]);
    response.setHeader("set-cookie", ["a=1; Path=/", "b=2"]);
    response.setHeader("keep-alive", "timeout=77");
    response.setHeader("proxy-authenticate", "Basic");
    response.setHeader("proxy-connection", "keep-alive");
    response.setHeader("x-named", "hop");
    response.setHeader("connection", "x-named, keep-alive");
    for (const name of ["credentials", "headers", "methods", "origin"]) response.setHeader(`access-control-allow-${name}`, "some");
    response.setHeader("access-control-expose-headers", "x-twice");
    response.setHeader("cache-control", "max-age=60");
    response.setHeader("server", "backend");
    response.setHeader("warning", '299 - "careful"');
    response.setHeader("audit-id", "of-the-backend");
    response.setHeader("etag", '"abc"');
    response.end("with headers");
  },
  "/gzip": ({ response }) => {
    response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" });
    response.end(gzipSync("many words ".repeat(100)));
  },
  "/no-type": ({ response }) => void response.end("<p>what is it"),
  "/empty-body": ({ response }) => void response.writeHead(200, { "content-length": "0" }).end(),
  "/no-content": ({ response }) => void response.writeHead(204).end(),
  "/not-modified": ({ response }) => void response.writeHead(304, { etag: '"abc"' }).end(),
  "/large": ({ response }) => void response.end(Buffer.alloc(5_000_000, "a")),
  "/early": ({ response }) => {
    response.writeEarlyHints({ link: "</style.css>; rel=preload" }, () => response.end("after hints"));
  },
  "/trailers": ({ response }) => {
    response.writeHead(200, { trailer: "x-end", "content-type": "text/plain" });
    response.write("body");
    response.addTrailers({ "x-end": "really" });
    response.end();
  },
  "/empty-answer": ({ request }) => void request.socket.end(),
  "/reset": ({ request }) => void (request.socket as { resetAndDestroy?(): void }).resetAndDestroy?.(),
  "/garbage": ({ request }) => void request.socket.end("this is not HTTP\r\n\r\n"),
  "/partial": ({ request }) => {
    request.socket.end("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nonly some");
  },
  "/switches": ({ request }) =>
    void request.socket.end("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n"),
};

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? "/", "http://backend");
  const chosen = answers[pathname];
  if (chosen !== undefined) await chosen({ request, response, query });
  else await echo(request, response);
}

async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ ...seen(request), bytes, sha256: hash.digest("hex").slice(0, 16) }));
}

const seen = ({ method, url, rawHeaders, httpVersion, socket, headers: { upgrade } }: IncomingMessage): object => ({
  method,
  url,
  httpVersion,
  secure: "encrypted" in socket,
  headers: Array.from({ length: rawHeaders.length / 2 }, (_, at) => `${rawHeaders[2 * at]?.toLowerCase()}: ${rawHeaders[2 * at + 1]}`)
    .filter((line) => !ofItsClient.has(line) && (upgrade !== undefined || !line.startsWith("connection:")))
    .sort(),
});

/** What Go's client says without being told to. */
const ofItsClient: ReadonlySet<string> = new Set(["accept-encoding: gzip", "user-agent: Go-http-client/1.1"]);

/** Says what has arrived, and after that the same as the client. */
function upgrade(request: IncomingMessage, socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  const [, behaviour, refusal] = (request.url ?? "").split("/");
  if (behaviour === "refuse") {
    const body = '{"said":"by the backend"}';
    socket.end(
      `HTTP/1.1 ${refusal} Refused\r\ncontent-type: application/json\r\nx-own: yes\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    return;
  }
  if (behaviour === "gone") return void socket.destroy();
  const { upgrade: protocol = "" } = request.headers;
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\nX-Own: yes\r\n\r\n`);
  socket.write(`${JSON.stringify(seen(request))}\n`);
  socket.pipe(socket);
}
