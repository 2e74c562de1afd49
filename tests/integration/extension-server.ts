/** An extension API server for tests, over HTTPS: discovery of one group, and whatever a test lets it answer. */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import type { HttpRequest, Reply } from "@coxswain/apiserver";
import { waitUntil } from "@coxswain/machinery/testing";
import { type Answer, type Api, type Json, type Sent, startApi } from "./api.ts";
import { certificateFor } from "./webhook-server.ts";

export const group = "boats.example.com";
export const root = `/apis/${group}/v1`;
export const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices";
const serviceName = "boats";
const namespace = "default";

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** The common name in the certificate that it came with; undefined without one. */
  readonly client: string | undefined;
  readonly serverName: string | false | undefined;
}

export type Answering = (response: ServerResponse, asked: Asked) => void;
export type Upgrading = (socket: Duplex, asked: Asked) => void;

export interface ExtensionServer extends AsyncDisposable {
  readonly port: number;
  readonly caBundle: string;
  readonly client: { readonly cert: string; readonly key: string };
  /** But for what the server asks on its own behalf. */
  readonly asked: readonly Asked[];
  /** What else than discovery is answered. Default: as JSON what was asked for. */
  answer: Answering;
  upgrade: Upgrading;
  /** Aggregated discovery. Default: there is none. */
  discovery: Answering;
  /** OpenAPI, for which the server asks on its own behalf. Default: there is none. */
  openapi: Answering;
  /** Whether discovery answers. */
  isWell: boolean;
  readonly upgraded: readonly Duplex[];
}

const resource = { name: "boats", singularName: "boat", namespaced: true, kind: "Boat", verbs: ["get", "list"], shortNames: ["bo"] };
const status = { name: "boats/status", singularName: "", namespaced: true, kind: "Boat", verbs: ["get"] };

export async function startExtensionServer(): Promise<ExtensionServer> {
  const { caBundle, client, ...credentials } = certificateFor({ dns: [`${serviceName}.${namespace}.svc`] });
  const asked: Asked[] = [];
  const upgraded: Duplex[] = [];
  const server = createServer({ ...credentials, requestCert: true, rejectUnauthorized: false, ca: Buffer.from(caBundle, "base64") });
  const extension = {
    caBundle,
    client: { cert: client.certificate, key: client.key },
    asked,
    upgraded,
    isWell: true,
    answer: ((response, { method, url }) => response.end(JSON.stringify({ method, url }))) as Answering,
    openapi: ((response) => response.writeHead(404).end()) as Answering,
    discovery: ((response) => response.writeHead(404).end()) as Answering,
    upgrade: ((socket) => socket.end("HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n")) as Upgrading,
  };
  server.on("request", async (request, response) => {
    const one = await read(request);
    const isOwn = request.headers["x-remote-user"] === "system:kube-aggregator" || request.headers["x-remote-user"] === "system:aggregator";
    if (!isOwn) asked.push(one);
    response.setHeader("content-type", "application/json");
    if (!extension.isWell) response.writeHead(500).end();
    else if (isOwn && /^\/apis\/[^/]+\/[^/]+$/.test(one.url))
      response.end(
        JSON.stringify({ kind: "APIResourceList", apiVersion: "v1", groupVersion: `${group}/v1`, resources: [resource, status] }),
      );
    else if (isOwn && one.url === "/apis") extension.discovery(response, one);
    else if (isOwn) extension.openapi(response, one);
    else extension.answer(response, one);
  });
  server.on("upgrade", async (request: IncomingMessage, socket: Duplex) => {
    upgraded.push(socket);
    socket.on("error", () => socket.destroy());
    const one = asking(request, "");
    asked.push(one);
    extension.upgrade(socket, one);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(extension, {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      for (const socket of upgraded) socket.destroy();
      await once(server, "close");
    },
  });
}

async function read(request: IncomingMessage): Promise<Asked> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return asking(request, body);
}

function asking({ method = "", url = "", headers, rawHeaders, socket }: IncomingMessage, body: string): Asked {
  const { servername, getPeerCertificate } = socket as TLSSocket & { readonly servername?: string | false };
  const shown = getPeerCertificate.call(socket).subject?.CN;
  return { method, url, headers, rawHeaders, body, client: shown === undefined ? undefined : String(shown), serverName: servername };
}

/** A server in front of it, with loopback addresses allowed, and the APIService that leads there. */
export async function startAggregated(extension: ExtensionServer, options: Parameters<typeof startApi>[0] = {}): Promise<Api> {
  const proxyClient = { current: extension.client, subscribe: () => ({ [Symbol.dispose]: () => undefined }) };
  const api = await startApi({ kubelets: { loopback: true }, aggregation: { proxyClient }, ...options });
  await register(api, extension);
  return api;
}

export async function register(
  api: Api,
  { port, caBundle }: Pick<ExtensionServer, "port" | "caBundle">,
  served = { group, version: "v1" },
): Promise<void> {
  const service = { metadata: { name: serviceName }, spec: { type: "ExternalName", externalName: "127.0.0.1" } };
  const made = await api.send("POST", `/api/v1/namespaces/${namespace}/services`, { body: service });
  assert.equal(made.status, 201, made.text);
  const spec = { ...served, groupPriorityMinimum: 1000, versionPriority: 15, caBundle };
  const body = {
    metadata: { name: `${served.version}.${served.group}` },
    spec: { ...spec, service: { namespace, name: serviceName, port } },
  };
  const created = await api.send("POST", apiServices, { body });
  assert.equal(created.status, 201, created.text);
}

/** The condition Available once `isWanted` is true of it. */
export const condition = (api: Api, isWanted: (condition: Json) => boolean): Promise<Json> =>
  waitUntil("the condition Available", async () => {
    const { body } = await api.send("GET", `${apiServices}/v1.${group}`);
    const found = body.status?.conditions?.find(({ type }: Json) => type === "Available");
    return found !== undefined && isWanted(found) ? found : undefined;
  });

export const available = (api: Api): Promise<Json> => condition(api, ({ status }) => status === "True");

/** Lets the time pass after which the APIService is checked again, as soon as its condition is written and the next check is due then. */
export async function untilChecked({ clock }: Api, afterMs: number): Promise<void> {
  await waitUntil("the next check to be due", () => clock.due === clock.now() + afterMs);
  clock.advance(afterMs);
}

/** A request and all of its answer, be it a stream. */
export async function ask(api: Api, method: string, target: string, sent: Sent & { readonly http1?: boolean } = {}): Promise<Answer> {
  const [path = "", query = ""] = target.split("?", 2);
  const headers = { accept: "application/json", ...sent.headers };
  const request: HttpRequest = { method, path, query, headers, remoteAddress: "192.0.2.7", http1: sent.http1 ?? false };
  const reply = await api.server.handle(request, Buffer.from(sent.body === undefined ? "" : JSON.stringify(sent.body)));
  const text = await textOf(reply);
  let body: Json;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return { status: reply.status, headers: reply.headers ?? {}, type: reply.contentType, text, body };
}

function textOf({ body }: Reply): Promise<string> {
  if (body.kind === "bytes") return Promise.resolve(Buffer.from(body.bytes).toString());
  if (body.kind === "chunks") return Promise.resolve(Buffer.concat([...body.chunks]).toString());
  if (body.kind === "tunnel") throw new Error("the answer is a tunnel");
  const chunks: Uint8Array[] = [];
  return new Promise((resolve, reject) => {
    void body.start({
      write: (chunk) => chunks.push(chunk) > 0,
      end: () => resolve(Buffer.concat(chunks).toString()),
      abort: () => reject(new Error("the answer ended too soon")),
      buffered: 0,
      closed: false,
      onClose: () => undefined,
      drained: () => Promise.resolve(),
    });
  });
}
