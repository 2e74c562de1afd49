/** One HTTP/2 connection to the command, for many requests in JSON. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type ClientHttp2Session, connect } from "node:http2";
import type { CommandUnderTest } from "../command-under-test.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape are looked into.
export type Json = any;

export interface Reply {
  readonly status: number;
  readonly body: Json;
}

export interface Sent {
  readonly type?: string;
  readonly accept?: string;
  /** A text is sent as it is. */
  readonly body?: unknown;
}

export class Connection implements Disposable {
  readonly #session: ClientHttp2Session;
  readonly #token: string;

  constructor({ server, kubeconfig, token }: CommandUnderTest) {
    const authority = /certificate-authority-data: (\S+)/.exec(readFileSync(kubeconfig, "utf8"))?.[1] ?? "";
    this.#session = connect(server, { ca: Buffer.from(authority, "base64") });
    this.#token = token;
  }

  async send(method: string, path: string, { type = "application/json", accept = "application/json", body }: Sent = {}): Promise<Reply> {
    const headers = { ":method": method, ":path": path, "content-type": type, accept, authorization: `Bearer ${this.#token}` };
    const stream = this.#session.request(headers);
    stream.end(typeof body === "string" || body === undefined ? body : JSON.stringify(body));
    const [answered] = await once(stream, "response");
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const json = String(answered["content-type"]).startsWith("application/json");
    return { status: Number(answered[":status"]), body: json ? JSON.parse(text) : text };
  }

  [Symbol.dispose](): void {
    this.#session.close();
  }
}
