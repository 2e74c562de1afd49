/** What the benchmarks of the running command share: one HTTP/2 connection with many requests on it, and the server's own cost. */
import { readFileSync } from "node:fs";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";

/** The server to send requests to, and the bearer token of who may do everything there. */
export interface LoadedServer {
  readonly server: string;
  readonly token: string;
}

export interface Answer {
  readonly status: number;
  readonly body: Buffer;
  /** The body, decoded each time. */
  readonly text: string;
}

export type Send = (method: string, path: string, body?: object | string, type?: string) => Promise<Answer>;

export interface Connection extends Disposable {
  readonly send: Send;
  /** Sends a GET, and resolves with the stream of its body once there are headers. @throws Error unless the status is 200 */
  readonly open: (path: string) => Promise<ClientHttp2Stream>;
}

export async function connectTo({ server, token }: LoadedServer): Promise<Connection> {
  const session = await new Promise<ClientHttp2Session>((resolve, reject) => {
    const made = connect(server, { rejectUnauthorized: false, settings: { initialWindowSize: 16 * 1024 * 1024 } });
    made.once("error", reject);
    made.once("connect", () => {
      made.setLocalWindowSize(64 * 1024 * 1024);
      resolve(made);
    });
  });
  return {
    send: (method, path, body, type = "application/json") => request(session, token, { method, path, body, type }),
    open: (path) => open(session, token, path),
    [Symbol.dispose]: () => session.destroy(),
  };
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body: object | string | undefined;
  readonly type: string;
}

function request(session: ClientHttp2Session, token: string, { method, path, body, type }: Request): Promise<Answer> {
  const headers = headersOf(token, method, path);
  const stream = session.request(body === undefined ? headers : { ...headers, "content-type": type });
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let status = 0;
    stream.on("response", (given) => {
      status = Number(given[":status"]);
    });
    stream.on("data", (chunk: Buffer) => chunks.push(chunk));
    stream.on("end", () => resolve(answerOf(status, Buffer.concat(chunks))));
    stream.on("error", reject);
    stream.end(body === undefined || typeof body === "string" ? body : JSON.stringify(body));
  });
}

const headersOf = (token: string, method: string, path: string) => ({
  ":method": method,
  ":path": path,
  authorization: `Bearer ${token}`,
  "user-agent": "bench",
  accept: "application/json",
});

const answerOf = (status: number, body: Buffer): Answer => ({
  status,
  body,
  get text() {
    return body.toString();
  },
});

function open(session: ClientHttp2Session, token: string, path: string): Promise<ClientHttp2Stream> {
  const stream = session.request(headersOf(token, "GET", path), { endStream: true });
  return new Promise((resolve, reject) => {
    stream.once("error", reject);
    stream.once("response", ({ ":status": status }) => {
      if (status === 200) resolve(stream);
      else reject(new Error(`${status} instead of 200 for ${path}`));
    });
  });
}

/** Throws with the answer unless its status is the one expected. */
export function expectStatus({ status, text }: Answer, expected: number): void {
  if (status !== expected) throw new Error(`${status} instead of ${expected}: ${text.slice(0, 500)}`);
}

export interface Cost {
  readonly perSecond: number;
  /** Of the server, user and system. */
  readonly cpuMicros: number;
}

/** Runs `count` operations, `clients` at a time. */
export async function load(pid: number | undefined, count: number, clients: number, run: (i: number) => Promise<void>): Promise<Cost> {
  let next = 0;
  const cpu = cpuMicrosOf(pid);
  const start = performance.now();
  const work = async (): Promise<void> => {
    for (let i = next++; i < count; i = next++) await run(i);
  };
  await Promise.all(Array.from({ length: clients }, work));
  const seconds = (performance.now() - start) / 1000;
  return { perSecond: Math.round(count / seconds), cpuMicros: Math.round((cpuMicrosOf(pid) - cpu) / count) };
}

/** User and system time of a process, in microseconds; NaN where there is no `/proc`. */
export function cpuMicrosOf(pid: number | undefined): number {
  const [user, system] = fields(`/proc/${pid}/stat`, (text) =>
    text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13),
  );
  return (Number(user) + Number(system)) * 10_000;
}

export const secondsOfCpu = (pid: number | undefined): number => cpuMicrosOf(pid) / 1e6;

/** Of 2^20 bytes. */
export const residentMegabytes = (pid: number | undefined): number => Math.round(residentBytes(pid) / 2 ** 20);

/** NaN where there is no `/proc`. */
export function residentBytes(pid: number | undefined): number {
  const [kilobytes] = fields(`/proc/${pid}/status`, (text) => /VmRSS:\s+(\d+)/.exec(text)?.slice(1) ?? []);
  return Number(kilobytes) * 1024;
}

function fields(file: string, read: (text: string) => readonly string[]): readonly string[] {
  try {
    return read(readFileSync(file, "utf8"));
  } catch {
    return [];
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
