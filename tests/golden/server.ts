/** Sends the requests of scenarios, over HTTP/1.1 and with exactly the headers that a step names. */
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Step } from "./scenario.ts";

export interface ServerAccess {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  readonly token?: string | undefined;
  /** PEM; for users that certificates name. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

export interface RawAnswer {
  /** 0 when no answer came. */
  readonly status: number;
  readonly type: string;
  readonly warnings: readonly string[];
  readonly text: string;
}

/** Disposing of it closes its connections. */
export interface Server extends Disposable {
  send(step: Omit<Step, "name">): Promise<RawAnswer>;
}

const maxAnswerMs = 30_000;

/** Whether the server's certificate is trusted does not matter: what is sent is public, and clusters for recording are thrown away. */
export function connect({ url, token, certificate }: ServerAccess): Server {
  const secure = url.startsWith("https:");
  const agent = secure
    ? new HttpsAgent({ keepAlive: true, rejectUnauthorized: false, ...certificate })
    : new HttpAgent({ keepAlive: true });
  const request = secure ? httpsRequest : httpRequest;
  const attempt = (step: Omit<Step, "name">) =>
    new Promise<RawAnswer>((resolve, reject) => {
      const body = step.body === undefined || typeof step.body === "string" ? step.body : JSON.stringify(step.body);
      const headers = headersOf(step, body, token);
      const sent = request(url + step.path, { method: step.method ?? "GET", headers, agent }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            type: response.headers["content-type"] ?? "",
            // Several headers of one name count as one, joined with a comma, as proxies may do.
            warnings: [response.headers.warning ?? []].flat(),
            text: Buffer.concat(chunks).toString(),
          }),
        );
      });
      sent.setTimeout(maxAnswerMs, () => sent.destroy(new Error(`no answer in ${maxAnswerMs / 1000} s`)));
      sent.on("error", reject);
      sent.end(body);
    });
  return {
    send: (step) => attempt(step).catch((error: Error) => ({ status: 0, type: "", warnings: [], text: error.message })),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

function headersOf(step: Omit<Step, "name">, body: string | undefined, token: string | undefined): Record<string, string> {
  const headers: Record<string, string> = { "user-agent": "golden/1.0", accept: step.accept ?? "application/json" };
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  Object.assign(headers, step.headers);
  if (headers.authorization === "") delete headers.authorization;
  if (body !== undefined) {
    headers["content-type"] = step.type ?? "application/json";
    headers["content-length"] = String(Buffer.byteLength(body));
  }
  return headers;
}
