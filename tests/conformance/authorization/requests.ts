/** Requests over HTTPS as one user. */
import { Agent, request } from "node:https";

/** A certificate with its key, headers, or both. */
export interface Credentials {
  readonly cert?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  /** Of a Status; empty for anything else. */
  readonly message: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  readonly body: any;
}

export class Requests {
  readonly #server: string;
  readonly #agent: Agent;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(server: string, { headers = {}, ...pair }: Credentials) {
    this.#server = server;
    this.#headers = headers;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 4, rejectUnauthorized: false, ...pair });
  }

  /** The answer; that of a watch as soon as it begins. */
  send(method: string, path: string, body?: object): Promise<Answer> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const headers = { accept: "application/json", ...(body === undefined ? {} : { "content-type": type }), ...this.#headers };
    return new Promise((resolve, reject) => {
      const sent = request(this.#server + path, { method, headers, agent: this.#agent }, async (response) => {
        const status = response.statusCode ?? 0;
        if (status === 200 && path.includes("watch=true")) {
          sent.destroy();
          return resolve({ status, message: "", body: undefined });
        }
        let text = "";
        for await (const chunk of response) text += chunk;
        const parsed = text.startsWith("{") ? JSON.parse(text) : undefined;
        resolve({ status, message: parsed?.kind === "Status" ? (parsed.message ?? "") : "", body: parsed });
      });
      sent.on("error", reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** @throws Error for what is neither made nor there already */
  async create(path: string, object: object): Promise<Answer["body"]> {
    const { status, message, body } = await this.send("POST", path, object);
    if (status !== 201 && status !== 409) throw new Error(`POST ${path}: ${status} ${message}`);
    return body;
  }

  close(): void {
    this.#agent.destroy();
  }
}
