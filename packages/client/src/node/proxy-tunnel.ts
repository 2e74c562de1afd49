/** A way through a proxy: HTTP's CONNECT, or SOCKS5. */
import { isIPv4, isIPv6, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { connected, type Endpoint } from "./endpoint.ts";

/** @throws Error when the proxy refuses */
export async function tunnelThrough(proxy: URL, socket: Socket, to: Endpoint, signal: AbortSignal): Promise<Socket> {
  switch (proxy.protocol) {
    case "http:":
      return connectRequest(proxy, socket, to, signal);
    case "https:": {
      const servername = isIPv4(proxy.hostname) || proxy.hostname.startsWith("[") ? "" : proxy.hostname;
      return connectRequest(proxy, await connected(connectTls({ socket, servername }), "secureConnect", signal), to, signal);
    }
    case "socks5:":
    case "socks5h:":
      return socks(proxy, socket, to, signal);
    default:
      throw new Error(`unsupported scheme ${JSON.stringify(proxy.protocol.slice(0, -1))}, must be http, https, or socks5`);
  }
}

const maxAnswerBytes = 16_384;

async function connectRequest(proxy: URL, socket: Socket, { host, port }: Endpoint, signal: AbortSignal): Promise<Socket> {
  const authority = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`];
  if (proxy.username !== "") lines.push(`Proxy-Authorization: Basic ${Buffer.from(userOf(proxy).join(":")).toString("base64")}`);
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const head = await readUntil(socket, signal, (bytes) => {
    const end = bytes.indexOf("\r\n\r\n");
    return end < 0 ? undefined : end + 4;
  });
  const status = /^HTTP\/1\.[01] (\d{3})[^\r]*/.exec(head.toString("latin1"));
  if (status?.[1]?.startsWith("2") !== true) throw new Error(`the proxy answers ${status?.[0] ?? "no HTTP"}`);
  return socket;
}

const userOf = ({ username, password }: URL): [string, string] => [decodeURIComponent(username), decodeURIComponent(password)];

/** @see https://www.rfc-editor.org/rfc/rfc1928 */
async function socks(proxy: URL, socket: Socket, { host, port }: Endpoint, signal: AbortSignal): Promise<Socket> {
  const hasUser = proxy.username !== "";
  socket.write(Uint8Array.of(5, 1, hasUser ? 2 : 0));
  const method = (await readUntil(socket, signal, exactly(2)))[1];
  if (method === 2 && hasUser) {
    const [user, password] = userOf(proxy).map((text) => Buffer.from(text)) as [Buffer, Buffer];
    socket.write(Buffer.concat([Uint8Array.of(1, user.length), user, Uint8Array.of(password.length), password]));
    if ((await readUntil(socket, signal, exactly(2)))[1] !== 0) throw new Error("the proxy does not accept the user");
  } else if (method !== 0) throw new Error("the proxy asks for another way to sign in");
  const name = Buffer.from(host);
  socket.write(Buffer.concat([Uint8Array.of(5, 1, 0, 3, name.length), name, Uint8Array.of(port >> 8, port & 255)]));
  const answer = await readUntil(socket, signal, (bytes) => (bytes.length < 5 ? undefined : lengthOfAnswer(bytes)));
  if (answer[1] !== 0) throw new Error(`the proxy answers ${socksProblems[answer[1] ?? 0] ?? `error ${answer[1]}`}`);
  return socket;
}

const exactly = (length: number) => (): number => length;

/** It ends with an address: a name with its length before it, or four or sixteen bytes. */
const lengthOfAnswer = (bytes: Buffer): number => 6 + (bytes[3] === 3 ? 1 + (bytes[4] ?? 0) : bytes[3] === 4 ? 16 : 4);

const socksProblems: readonly string[] = [
  "",
  "general failure",
  "not allowed",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "time to live expired",
];

/** Reads as much as `lengthOf` says and puts the rest back. */
function readUntil(socket: Socket, signal: AbortSignal, lengthOf: (bytes: Buffer) => number | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const settle = (error: unknown): void => {
      socket.off("readable", onReadable).off("error", settle).off("end", onEnd).off("close", onEnd);
      signal.removeEventListener("abort", onAbort);
      if (error !== undefined) reject(error);
    };
    const onReadable = (): void => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) bytes = Buffer.concat([bytes, chunk]);
      const length = lengthOf(bytes);
      if (length === undefined || bytes.length < length) {
        if (bytes.length > maxAnswerBytes) settle(new Error("the proxy's answer does not end"));
        return;
      }
      settle(undefined);
      if (bytes.length > length) socket.unshift(bytes.subarray(length));
      resolve(bytes.subarray(0, length));
    };
    const onEnd = (): void => settle(new Error("the proxy closed the connection"));
    const onAbort = (): void => settle(signal.reason);
    socket.on("readable", onReadable).once("error", settle).once("end", onEnd).once("close", onEnd);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
