/** A WebSocket client that does nothing by itself: frames as they are, and the end of the connection. */
import { once } from "node:events";
import { request } from "node:https";
import type { Duplex } from "node:stream";
import type { NodeUnderTest } from "./start-node.ts";

export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

export interface RawWebSocket extends Disposable {
  readonly protocol: string | undefined;
  /** The next frame; undefined at the end of the connection. */
  next(): Promise<Frame | undefined>;
  send(opcode: number, payload?: Uint8Array): void;
}

export const opcodes = { text: 1, binary: 2, close: 8 } as const;

export interface Refused {
  readonly status: number;
  readonly text: string;
}

export async function openWebSocket(node: NodeUnderTest, path: string, protocols: string | undefined): Promise<RawWebSocket | Refused> {
  const headers = {
    authorization: `Bearer ${node.token}`,
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-key": Buffer.alloc(16, 1).toString("base64"),
    "sec-websocket-version": "13",
    origin: "http://localhost",
    ...(protocols === undefined ? {} : { "sec-websocket-protocol": protocols }),
  };
  const asked = request(`${node.server}${path}`, { ca: node.authority.cert, headers, agent: false });
  asked.end();
  return await new Promise((resolve, reject) => {
    asked.on("error", reject);
    asked.on("response", async (response) => {
      let text = "";
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode ?? 0, text });
    });
    asked.on("upgrade", (response, socket, head) => resolve(framesOf(socket, head, response.headers["sec-websocket-protocol"])));
  });
}

/** @throws for one that was refused */
export async function openedWebSocket(node: NodeUnderTest, path: string, protocols: string | undefined): Promise<RawWebSocket> {
  const opened = await openWebSocket(node, path, protocols);
  if ("status" in opened) throw new Error(`refused: ${opened.status} ${opened.text}`);
  return opened;
}

function framesOf(socket: Duplex, head: Buffer, protocol: string | undefined): RawWebSocket {
  let rest = head;
  let ended = false;
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
  });
  const end = (): void => {
    ended = true;
  };
  socket.on("end", end).on("close", end);
  const frame = (): Frame | undefined => {
    const [first = 0, second = 0] = rest;
    const start = second === 127 ? 10 : second === 126 ? 4 : 2;
    if (rest.length < start) return undefined;
    const length = second === 127 ? Number(rest.readBigUInt64BE(2)) : second === 126 ? rest.readUInt16BE(2) : second;
    if (rest.length < start + length) return undefined;
    const payload = rest.subarray(start, start + length);
    rest = rest.subarray(start + length);
    return { opcode: first & 0x0f, payload };
  };
  return {
    protocol,
    async next() {
      for (;;) {
        const found = frame();
        if (found !== undefined || ended) return found;
        const over = new AbortController();
        const { signal } = over;
        await Promise.race(["data", "end", "close"].map((name) => once(socket, name, { signal }))).finally(() => over.abort());
      }
    },
    /** With a mask of zeros, short enough for the shortest header. */
    send(opcode, payload = new Uint8Array(0)) {
      socket.write(Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0]), payload]));
    },
    [Symbol.dispose]: () => void socket.destroy(),
  };
}
