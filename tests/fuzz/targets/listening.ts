/** A server that listens, and what must hold of it whatever bytes come on a connection. */
import assert from "node:assert/strict";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { connect as connectTls, createSecureContext } from "node:tls";
import type { Authenticator } from "@coxswain/apiserver";
import { hangMs } from "@coxswain/machinery/testing";
import { nameWith } from "@coxswain/pki";
import { issuePair } from "@coxswain/pki/node";
import { type Api, startApi } from "../../integration/api.ts";
import { bytesOf, type Judge } from "../harness/target.ts";

export const secretPath = "/api/v1/namespaces/default/secrets/known";
/** Only its owner may see it: whoever else gets it got another's answer. */
const mark = "6f776e6572";
const token = "Bearer owner";

interface Served {
  readonly api: Api;
  readonly port: number;
  /** What the server has reported as wrong with itself, since the last look. */
  readonly problems: unknown[];
  /** Of the first connection. */
  readonly resumed: { session?: Buffer };
}

const freshEach = 100;
const maxMoreBytes = 256 * 1024 * 1024;

/**
 * The connection ends when the client's side has, the server answers no error of its own and nothing that belongs to another, and a
 * client beside it is served.
 */
export async function listening(protocol: string): Promise<Judge> {
  const served = await start();
  const owner = await openOwner(served);
  const before = process.memoryUsage.rss();
  const uncaught = (error: unknown): void => void served.problems.push(error);
  process.on("uncaughtException", uncaught);
  process.on("unhandledRejection", uncaught);
  let tried = 0;
  return {
    async judge(input) {
      const answer = await exchange(served, protocol, bytesOf(input));
      assert.ok(!answer.includes(mark), "the answer has what belongs to another");
      assert.doesNotMatch(answer, /^HTTP\/1\.1 50[0-24-9] /m);
      await checkOwner(owner);
      if (++tried % freshEach === 0) {
        const fresh = await openOwner(served);
        await checkOwner(fresh);
        fresh.destroy();
        assert.ok(process.memoryUsage.rss() - before < maxMoreBytes, "memory grows");
      }
      assert.deepEqual(served.problems.splice(0), []);
      return protocol === "h2" ? answer.includes("ok") : answer.startsWith("HTTP/1.1 200 ");
    },
    async [Symbol.asyncDispose]() {
      owner.destroy();
      process.off("uncaughtException", uncaught);
      process.off("unhandledRejection", uncaught);
      await served.api.server.close();
    },
  };
}

async function start(): Promise<Served> {
  const problems: unknown[] = [];
  const owner: Authenticator = ({ headers }) =>
    headers.authorization === token
      ? { kind: "authenticated", user: { name: "owner", uid: "", groups: ["system:masters"], extra: {} } }
      : { kind: "unclaimed" };
  const silent = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (...said: unknown[]) => void problems.push(said),
  };
  const names = { dns: ["localhost"], ip: ["127.0.0.1"] };
  const tls = issuePair("self", { subject: nameWith("test"), usage: "server auth", names }, Date.now());
  const api = await startApi({ tls, authenticators: [owner], log: silent });
  const { port } = await api.server.listen(0, "127.0.0.1");
  const served = { api, port, problems, resumed: {} };
  const first = await openOwner(served);
  const body = JSON.stringify({ metadata: { name: "known" }, stringData: { a: mark } });
  assert.equal((await ask(first, "POST", secretPath.slice(0, secretPath.lastIndexOf("/")), body)).status, 201);
  first.destroy();
  return served;
}

function openOwner({ port }: Served): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    session.once("remoteSettings", () => resolve(session));
    session.on("error", reject);
  });
}

async function checkOwner(session: ClientHttp2Session): Promise<void> {
  const { status, text } = await within("an answer to a client beside it", ask(session, "GET", secretPath));
  assert.equal(status, 200);
  assert.ok(text.includes('"name":"known"'), text);
}

function ask(session: ClientHttp2Session, method: string, target: string, body?: string): Promise<{ status: number; text: string }> {
  const headers = {
    ":method": method,
    ":path": target,
    authorization: token,
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let [status, text] = [0, ""];
    stream.setEncoding("utf8");
    stream.on("response", (received) => {
      status = Number(received[":status"]);
    });
    stream.on("data", (chunk: string) => {
      text += chunk;
    });
    stream.on("end", () => resolve({ status, text }));
    stream.on("error", reject);
    if (body !== undefined) stream.end(body);
  });
}

const secureContext = createSecureContext({ maxVersion: "TLSv1.2" });

/** All that the server answers, until it has closed the connection, as it must when the client has no more to say. */
function exchange({ port, resumed }: Served, protocol: string, bytes: Uint8Array): Promise<string> {
  const answered = new Promise<string>((resolve) => {
    const chunks: Buffer[] = [];
    // Sessions of TLS 1.2 are resumed without a key being made: most of the time would go into those.
    const tls = { host: "127.0.0.1", port, rejectUnauthorized: false, secureContext, ...resumed } as const;
    const socket = connectTls({ ...tls, ALPNProtocols: [protocol] }, () => socket.end(bytes));
    socket.on("session", (session: Buffer) => {
      resumed.session ??= session;
    });
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", () => undefined);
    socket.once("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
  });
  return within("the end of a connection whose client has ended it", answered);
}

function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what}: not within ${hangMs} ms`)), hangMs);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
