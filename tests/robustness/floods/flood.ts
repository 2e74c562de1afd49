/**
 * A client that misbehaves, or one that asks for something small again and again, in a process of its own. What it does comes as
 * JSON in its first argument; what came of it is a line of JSON.
 */
import { type ClientHttp2Session, connect } from "node:http2";
import { connect as connectTls, type TLSSocket } from "node:tls";

/** What one client does. */
export interface FloodPlan {
  readonly server: string;
  readonly authorization?: string | undefined;
  readonly path: string;
  readonly method?: string;
  /** Bytes of a ConfigMap that is sent with each request. */
  readonly bodyBytes?: number;
  readonly seconds: number;
  readonly connections: number;
  /** Requests per second, whether or not they are answered; otherwise each connection has `perConnection` under way. */
  readonly rate?: number;
  readonly perConnection?: number;
  /** Milliseconds after an answer. */
  readonly pauseMs?: number;
  /** Whether it speaks HTTP/1.1: connections on HTTP/2 end with a request that proves nobody, as with Kubernetes. Only GET. */
  readonly http1?: boolean;
  /** Whether it comes again only when it was told to, as clients of Kubernetes do. */
  readonly heedsRetryAfter?: boolean;
}

export interface FloodResult {
  readonly statuses: Readonly<Record<string, number>>;
  /** Answers 429 without the header. */
  readonly withoutRetryAfter: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const plan = JSON.parse(process.argv[2] ?? "") as FloodPlan;
const { server, authorization, path, method = "GET", connections, rate, perConnection = 1, pauseMs = 0 } = plan;
const statuses: Record<string, number> = {};
const latencies: number[] = [];
let withoutRetryAfter = 0;
let underWay = 0;
let isOver = false;
let number = 0;
const filler = plan.bodyBytes === undefined ? undefined : "x".repeat(plan.bodyBytes);

const sessions = plan.http1 === true ? [] : await Promise.all(Array.from({ length: connections }, open));
const sockets = plan.http1 === true ? await Promise.all(Array.from({ length: connections }, open1)) : [];
const headers = { ":method": method, ":path": path, ...(authorization === undefined ? {} : { authorization }) };
setTimeout(end, plan.seconds * 1000);
if (rate === undefined) for (const session of sessions) for (let i = 0; i < perConnection; i++) again(session);
else openLoop(rate);

function open(): Promise<ClientHttp2Session> {
  const session = connect(server, {
    rejectUnauthorized: false,
    maxSessionMemory: 1_000,
    settings: { initialWindowSize: 16 * 1024 * 1024 },
  });
  session.on("error", () => count("connection"));
  return new Promise((resolve) => session.once("connect", () => resolve(session)));
}

/** So many are due by now. What would be more than ten seconds of them is given up. */
function openLoop(perSecond: number): void {
  const start = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    if (isOver) return clearInterval(timer);
    const due = Math.floor(((performance.now() - start) / 1000) * perSecond);
    for (; sent < due; sent++) {
      const session = sessions[sent % connections];
      const socket = sockets[sent % connections];
      if (underWay > perSecond * 10) count("given up");
      else if (socket !== undefined) ask1(socket);
      else if (session !== undefined) void ask(session);
    }
  }, 5);
}

function again(session: ClientHttp2Session): void {
  if (isOver) return;
  void ask(session).then((retryAfter) => {
    const pause = Math.max(pauseMs, plan.heedsRetryAfter === true ? retryAfter * 1000 : 0);
    if (pause === 0) again(session);
    else setTimeout(again, pause, session);
  });
}

/** @returns after how many seconds it may come again */
function ask(session: ClientHttp2Session): Promise<number> {
  const start = performance.now();
  underWay++;
  return new Promise((resolve) => {
    let stream: ReturnType<ClientHttp2Session["request"]>;
    try {
      stream = session.request(filler === undefined ? headers : { ...headers, "content-type": "application/json" }, {
        endStream: filler === undefined,
      });
    } catch {
      count("connection");
      underWay--;
      return void setTimeout(resolve, 100, 1);
    }
    let retryAfter = 0;
    stream.on("error", () => count("stream"));
    stream.on("response", (given) => {
      count(String(given[":status"]));
      retryAfter = Number(given["retry-after"] ?? 0);
      if (given[":status"] === 429 && retryAfter === 0) withoutRetryAfter++;
    });
    stream.resume();
    stream.on("close", () => {
      underWay--;
      if (!isOver) latencies.push(performance.now() - start);
      resolve(retryAfter);
    });
    if (filler !== undefined)
      stream.end(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: `flood-${number++}` }, data: { filler } }));
  });
}

/** Requests follow one another without waiting for answers; of these only the first lines are looked at. */
function open1(): Promise<TLSSocket> {
  const socket = connectTls({ host: new URL(server).hostname, port: Number(new URL(server).port), rejectUnauthorized: false });
  socket.on("error", () => count("connection"));
  socket.on("data", (chunk: Buffer) => {
    for (const [, status = ""] of chunk.toString("latin1").matchAll(/HTTP\/1\.1 (\d+) /g)) {
      count(status);
      underWay--;
    }
  });
  return new Promise((resolve) => socket.once("secureConnect", () => resolve(socket)));
}

function ask1(socket: TLSSocket): void {
  underWay++;
  const given = authorization === undefined ? "" : `Authorization: ${authorization}\r\n`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${given}\r\n`);
}

function count(what: string): void {
  if (!isOver) statuses[what] = (statuses[what] ?? 0) + 1;
}

function end(): void {
  isOver = true;
  latencies.sort((a, b) => a - b);
  const at = (part: number): number => Math.round((latencies[Math.floor(latencies.length * part)] ?? 0) * 10) / 10;
  const result: FloodResult = { statuses, withoutRetryAfter, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(0.999_999) };
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}
