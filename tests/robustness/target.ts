/** The server under attack, and what attackers and ordinary clients reach it with. */
import { readFileSync } from "node:fs";
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2, type OutgoingHttpHeaders } from "node:http2";
import { Agent, request as request1 } from "node:https";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { hangMs } from "@coxswain/machinery/testing";
import { type CommandUnderTest, startCommand } from "../conformance/command-under-test.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
export type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly body: Json;
}

export interface Sent {
  readonly body?: string | Uint8Array;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Target extends AsyncDisposable {
  readonly command: CommandUnderTest;
  readonly port: number;
  readonly authorization: string;
  /** A new HTTP/2 connection. */
  http2(options?: { windowSize?: number }): Promise<ClientHttp2Session>;
  /** One request on an HTTP/2 connection of its own. */
  fresh(method: string, path: string, sent?: Sent): Promise<Answer>;
  /** One request on an HTTP/1.1 connection of its own, or the agent's. */
  http1(method: string, path: string, sent?: Sent, agent?: Agent): Promise<Answer>;
  /** A TLS connection for bytes of any kind. */
  raw(protocol: "h2" | "http/1.1"): Promise<TLSSocket>;
  /** Kilobytes of memory; undefined where the system does not report it. */
  residentKb(): number | undefined;
}

export async function startTarget(...options: string[]): Promise<Target> {
  const command = await startCommand("--ephemeral", "--log-level", "error", ...options);
  const port = Number(new URL(command.server).port);
  const authorization = `Bearer ${command.token}`;
  const tls = { host: "127.0.0.1", port, rejectUnauthorized: false };
  const target: Target = {
    command,
    port,
    authorization,
    http2: ({ windowSize = 8 * 1024 * 1024 } = {}) =>
      new Promise((resolve, reject) => {
        const session = connectHttp2(command.server, {
          rejectUnauthorized: false,
          maxSessionMemory: 1_000,
          settings: { initialWindowSize: windowSize },
        });
        session.once("connect", () => resolve(session));
        session.once("error", reject);
        session.on("error", () => undefined);
      }),
    async fresh(method, path, sent) {
      const session = await target.http2();
      try {
        return await send({ session, authorization: authorization }, method, path, sent);
      } finally {
        session.destroy();
      }
    },
    http1: (method, path, { body, type, headers } = {}, agent = new Agent({ keepAlive: false })) =>
      new Promise((resolve, reject) => {
        const all = { authorization, ...(body === undefined ? {} : { "content-type": type ?? "application/json" }), ...headers };
        const req = request1({ ...tls, method, path, headers: all, agent }, (res) => {
          const chunks: Buffer[] = [];
          res.on("data", (chunk: Buffer) => chunks.push(chunk));
          res.on("end", () => resolve(answerOf(res.statusCode ?? 0, res.headers, Buffer.concat(chunks))));
          res.on("error", reject);
        });
        req.on("error", reject);
        req.end(body);
      }),
    raw: (protocol) =>
      new Promise((resolve, reject) => {
        const socket = connectTls({ ...tls, ALPNProtocols: [protocol] }, () => resolve(socket));
        socket.once("error", reject);
        socket.on("error", () => undefined);
      }),
    residentKb() {
      try {
        const status = readFileSync(`/proc/${command.process.pid}/status`, "utf8");
        return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
      } catch {
        return undefined;
      }
    },
    async [Symbol.asyncDispose]() {
      await command.stop();
    },
  };
  return target;
}

export interface AuthorizedSession {
  readonly session: ClientHttp2Session;
  /** The header of that name. */
  readonly authorization: string;
}

/** One request on a connection that stays. */
export function send({ session, authorization }: AuthorizedSession, method: string, path: string, sent: Sent = {}): Promise<Answer> {
  const { body, type = "application/json", headers } = sent;
  const all = { ":method": method, ":path": path, authorization, ...(body === undefined ? {} : { "content-type": type }), ...headers };
  return new Promise((resolve, reject) => {
    const stream = session.request(all, { endStream: body === undefined });
    stream.once("error", reject);
    collect(stream).then(resolve, reject);
    if (body !== undefined) stream.end(body);
  });
}

/** The answer, once it is complete. */
export function collect(stream: ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let headers: OutgoingHttpHeaders | undefined;
    stream.on("response", (given) => {
      headers = given;
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => {
      if (headers !== undefined) resolve(answerOf(Number(headers[":status"]), headers as Answer["headers"], Buffer.concat(chunks)));
    });
    stream.on("close", () => reject(new Error(`closed without an answer, code ${stream.rstCode}`)));
  });
}

function answerOf(status: number, headers: Answer["headers"], bytes: Buffer): Answer {
  const text = bytes.toString();
  return { status, headers, text, body: parsed(text) };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Waits for a condition; fails, with what was waited for, when it does not come. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + hangMs;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${hangMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Rejects, with what was waited for, when it does not come. */
export function within<T>(what: string, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what}: not within ${hangMs} ms`)), hangMs);
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export const configMaps = "/api/v1/namespaces/default/configmaps";

export const configMap = (name: string, data: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data });
