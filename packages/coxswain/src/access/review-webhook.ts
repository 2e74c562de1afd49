/** The webhook that a kubeconfig names: its server is asked, at exactly its path, with the credentials of its user. */
import type { ReviewWebhook } from "@coxswain/apiserver";
import { type ClusterAccess, chooseAccess } from "@coxswain/client";
import { loadKubeconfig, transportOf } from "@coxswain/client/node";
import { type Clock, messageOf } from "@coxswain/machinery";
import { StartError } from "../process/start-error.ts";

/** An answer of more bytes is none: reviews are small. */
const maxBytes = 1024 * 1024;

/** @param what how errors call the file @throws StartError */
export async function reviewWebhookOf(path: string, what: string, clock: Clock): Promise<ReviewWebhook & AsyncDisposable> {
  const access = await accessIn(path, what);
  // A path is the whole of it: nothing is put behind it.
  const at = new URL(access.cluster.server).pathname === "/" ? "/" : "";
  const transport = transportOf(access, { clock, terminal: false });
  return {
    async post(body, signal) {
      const headers = { "content-type": "application/json", accept: "application/json" };
      const response = await transport.send({ method: "POST", path: at, headers, body, signal });
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of response.chunks()) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw new Error(`the webhook's answer is larger than ${maxBytes} bytes`);
        chunks.push(chunk);
      }
      return { status: response.status, body: Buffer.concat(chunks), retryAfter: response.headers["retry-after"] };
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

async function accessIn(path: string, what: string): Promise<ClusterAccess> {
  try {
    return chooseAccess(await loadKubeconfig({ paths: [path] }));
  } catch (error) {
    throw new StartError(`cannot use ${what}: ${messageOf(error)}`, { cause: error });
  }
}
