/** An HTTPS server for webhooks of tests, with a certificate of an authority of its own. */
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { ipBytes, nameWith } from "@coxswain/pki";
import { issueCertificate } from "@coxswain/pki/node";

export interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly serverName: string | false | null | undefined;
  /** The common name in the certificate that it came with; undefined without one. */
  readonly client: string | undefined;
}

export interface WebhookServer extends AsyncDisposable {
  readonly port: number;
  /** PEM in base64. */
  readonly caBundle: string;
  /** What a client may show it: PEM of the same authority. */
  readonly client: { readonly certificate: string; readonly key: string };
  readonly asked: readonly Asked[];
  readonly connections: ReadonlySet<Socket>;
}

export type WebhookResponder = (response: ServerResponse, asked: Asked) => void;

export interface WebhookNames {
  readonly dns?: readonly string[];
  readonly ip?: readonly string[];
  /** Whether clients have to show a certificate of its authority. */
  readonly requiresClient?: boolean;
}

export async function startWebhookServer(behave: WebhookResponder, names: WebhookNames = { ip: ["127.0.0.1"] }): Promise<WebhookServer> {
  const { caBundle, client, ...credentials } = certificateFor(names);
  const required = names.requiresClient === true ? { requestCert: true, ca: Buffer.from(caBundle, "base64") } : {};
  const asked: Asked[] = [];
  const connections = new Set<Socket>();
  const server = createServer({ ...credentials, ...required }, async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method, url, headers, socket } = request;
    const { servername, getPeerCertificate } = socket as Partial<TLSSocket> & { readonly servername?: string | false };
    const shown = getPeerCertificate?.call(socket).subject?.CN;
    const one = { method, url, headers, body, serverName: servername, client: shown === undefined ? undefined : String(shown) };
    asked.push(one);
    behave(response, one);
  });
  server.on("secureConnection", (socket) => connections.add(socket));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    caBundle,
    client,
    asked,
    connections,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

export function certificateFor({ dns = [], ip = [] }: WebhookNames) {
  const authority = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = { subject: nameWith("webhook-authority"), ...authority };
  const lasting = { issuer, notBefore: Date.UTC(2020), notAfter: Date.UTC(2049), names: { dns: [], email: [], uri: [], ip: [] } };
  const ca = issueCertificate({
    ...lasting,
    subject: issuer.subject,
    publicKey: authority.publicKey,
    serial: Uint8Array.of(1),
    authority: true,
    usages: ["cert sign"],
  });
  const cert = issueCertificate({
    ...lasting,
    subject: nameWith("webhook"),
    publicKey: own.publicKey,
    serial: Uint8Array.of(2),
    authority: false,
    usages: ["digital signature", "server auth"],
    names: { ...lasting.names, dns, ip: ip.map(ipBytes) },
  });
  const visitor = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const certificate = issueCertificate({
    ...lasting,
    subject: nameWith("api-server"),
    publicKey: visitor.publicKey,
    serial: Uint8Array.of(3),
    authority: false,
    usages: ["digital signature", "client auth"],
  });
  const key = pemOf(own.privateKey);
  return { cert, key, caBundle: Buffer.from(ca).toString("base64"), client: { certificate, key: pemOf(visitor.privateKey) } };
}

const pemOf = (key: KeyObject): string => key.export({ format: "pem", type: "pkcs8" }).toString();
