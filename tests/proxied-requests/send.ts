/** One request, and what came back, without what differs each time. */
import { connect as connectHttp2 } from "node:http2";
import { request as secureRequest } from "node:https";
import type { Duplex } from "node:stream";
import type { ProxiedRequest } from "./requests.ts";

export interface Server {
  readonly host: string;
  readonly port: number;
  readonly token: string;
}

export interface Answer {
  readonly status: number | "none";
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** Parsed where it is JSON; a long one as its length. */
  readonly body: unknown;
  /** What the connection said after it was upgraded. */
  readonly upgraded?: true;
  readonly trailers?: Readonly<Record<string, unknown>>;
  readonly cut?: true;
}

/** Of each answer anew, of the connection, or of the server as such. */
const passing = new Set([
  ...["date", "audit-id", "x-kubernetes-pf-flowschema-uid", "x-kubernetes-pf-prioritylevel-uid", "connection", "keep-alive"],
  ...["transfer-encoding", ":status"],
]);

const longest = 5_000;
const timeoutMs = 20_000;

export const send = (server: Server, request: ProxiedRequest): Promise<Answer> =>
  request.http2 === true ? sendHttp2(server, request) : sendHttp1(server, request);

function sendHttp1({ host, port, token }: Server, { method, path, headers = {}, body, said }: ProxiedRequest): Promise<Answer> {
  return new Promise((resolve) => {
    const own = Object.fromEntries(
      Object.entries({ authorization: `Bearer ${token}`, ...headers }).map(([name, value]) => [name, value as string | string[]]),
    );
    const sent = secureRequest({ host, port, method, path, headers: own, agent: false, rejectUnauthorized: false });
    const timer = setTimeout(() => sent.destroy(new Error("no answer in time")), timeoutMs);
    const done = (answer: Answer): void => {
      clearTimeout(timer);
      resolve(answer);
    };
    sent.on("error", () => done({ status: "none", headers: {}, body: "" }));
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      const finish = (cut: boolean): void =>
        done({
          status: response.statusCode ?? 0,
          headers: kept(response.headers),
          body: readable(Buffer.concat(chunks)),
          ...(Object.keys(response.trailers).length > 0 ? { trailers: response.trailers } : {}),
          ...(cut ? { cut } : {}),
        });
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => finish(false));
      response.on("error", () => finish(true));
    });
    sent.on("upgrade", (response, socket, head) => {
      const { statusCode = 0, headers: answered } = response;
      void echoed(socket, head, said ?? "").then((body) =>
        done({ status: statusCode, headers: { ...kept(answered), connection: answered.connection ?? "" }, body, upgraded: true }),
      );
    });
    sent.end(body);
  });
}

/** What comes until what was said comes back. */
async function echoed(socket: Duplex, head: Buffer, said: string): Promise<unknown> {
  let text = head.toString();
  socket.write(`${said}\n`);
  try {
    while (!text.endsWith(`\n${said}\n`)) {
      const chunk = await new Promise<Buffer | undefined>((resolve) => {
        socket.once("data", resolve);
        socket.once("close", () => resolve(undefined));
      });
      if (chunk === undefined) break;
      text += chunk.toString();
    }
  } finally {
    socket.destroy();
  }
  return text.split("\n").map((line) => readable(Buffer.from(line)));
}

async function sendHttp2({ host, port, token }: Server, { method, path, headers = {}, body }: ProxiedRequest): Promise<Answer> {
  const session = connectHttp2(`https://${host}:${port}`, { rejectUnauthorized: false });
  try {
    return await new Promise<Answer>((resolve) => {
      const fail = (): void => resolve({ status: "none", headers: {}, body: "" });
      session.on("error", fail);
      const stream = session.request({
        ":method": method,
        ":path": path,
        authorization: `Bearer ${token}`,
        ...(headers as Record<string, string>),
      });
      const chunks: Buffer[] = [];
      let answered: Record<string, unknown> = {};
      stream.on("response", (all) => {
        answered = all;
      });
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("error", fail);
      stream.on("end", () =>
        resolve({ status: Number(answered[":status"]), headers: kept(answered), body: readable(Buffer.concat(chunks)) }),
      );
      stream.end(body);
    });
  } finally {
    session.destroy();
  }
}

const kept = (headers: Readonly<Record<string, unknown>>): Answer["headers"] =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !passing.has(name) && !(name === "content-length" && headers["content-type"] === "application/json"))
      .sort(([a], [b]) => (a < b ? -1 : 1)) as [string, string | readonly string[]][],
  );

function readable(bytes: Buffer): unknown {
  if (bytes.length > longest) return { bytes: bytes.length };
  const text = bytes.toString();
  if (text.includes("\u{fffd}")) return { base64: bytes.toString("base64") };
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
