/** How extenders are reached that want certificates. */
import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import type { ExtenderConfiguration, ExtenderTls, Post } from "@coxswain/scheduler";
import { startErrorOf } from "../process/start-error.ts";

/** Undefined where `fetch` will do. @throws StartError for files that cannot be read */
export function postTo({ urlPrefix, enableHTTPS = false, tlsConfig }: ExtenderConfiguration): Post | undefined {
  if (!urlPrefix.startsWith("https:") || (tlsConfig === undefined && !enableHTTPS)) return undefined;
  const agent = new Agent({ keepAlive: true, ...tlsOptions(tlsConfig ?? {}, enableHTTPS) });
  return (url, body, signal) =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
      const sending = request(url, { method: "POST", agent, headers, signal }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }));
      });
      sending.on("error", reject);
      sending.end(body);
    });
}

/** With HTTPS and without an authority every certificate is trusted, as by kube-scheduler. */
function tlsOptions({ insecure = false, serverName, ...tls }: ExtenderTls, enableHTTPS: boolean) {
  const ca = material(tls.caData, tls.caFile);
  const cert = material(tls.certData, tls.certFile);
  const key = material(tls.keyData, tls.keyFile);
  return {
    rejectUnauthorized: !(insecure || (enableHTTPS && ca === undefined)),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

function material(data: string | undefined, file: string | undefined): Buffer | undefined {
  if (data !== undefined) return Buffer.from(data, "base64");
  if (file === undefined || file === "") return undefined;
  try {
    return readFileSync(file);
  } catch (error) {
    throw startErrorOf("cannot read what an extender's connection needs", error);
  }
}
