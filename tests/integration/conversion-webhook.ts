/**
 * A conversion webhook for rooms, and their definition: v1 has `size: "3x4"`, v2 has `width` and `height`. It answers over
 * real HTTPS with a certificate of an authority of its own.
 */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { waitUntil } from "@coxswain/machinery/testing";
import type { Api, Json } from "./api.ts";
import { certificateFor } from "./webhook-server.ts";

export interface Webhook extends AsyncDisposable {
  readonly port: number;
  /** PEM in base64. */
  readonly caBundle: string;
  /** The requests of the reviews that came, in order. */
  readonly reviews: Json[];
  /** What it does instead of answering as it should. */
  misbehave: ((review: Json, good: Json) => Json) | undefined;
  /** The webhook does not answer from here on. */
  stop(): Promise<void>;
}

export async function startWebhook(): Promise<Webhook> {
  const { caBundle, ...credentials } = certificateFor({ dns: ["rooms.ops.svc"], ip: ["127.0.0.1"] });
  const server = createServer(credentials, async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const review = JSON.parse(body);
    webhook.reviews.push(review.request);
    const good = answerTo(review);
    response.end(JSON.stringify(webhook.misbehave === undefined ? good : await webhook.misbehave(review, good)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const webhook: Webhook = {
    port: (server.address() as AddressInfo).port,
    caBundle,
    reviews: [],
    misbehave: undefined,
    async stop() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
    [Symbol.asyncDispose]: () => webhook.stop(),
  };
  return webhook;
}

function answerTo({ apiVersion, kind, request }: Json): Json {
  const convertedObjects = request.objects.map((object: Json) => converted(object, request.desiredAPIVersion));
  return { apiVersion, kind, response: { uid: request.uid, result: { status: "Success" }, convertedObjects } };
}

function converted({ spec, ...object }: Json, apiVersion: string): Json {
  if (apiVersion.endsWith("/v2")) {
    const [width, height] = (spec?.size ?? "0x0").split("x").map(Number);
    const { size: _, ...rest } = spec ?? {};
    return { ...object, apiVersion, spec: { ...rest, width, height } };
  }
  const { width = 0, height = 0, ...rest } = spec ?? {};
  return { ...object, apiVersion, spec: { ...rest, size: `${width}x${height}` } };
}

const integer = { type: "integer" };
const text = { type: "string" };
const schemaOf = (fields: object) => ({
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: { type: "object", properties: { ...fields, color: { ...text, default: "white" }, floor: text } },
      status: { type: "object", properties: { taken: { type: "boolean" } } },
    },
  },
});
const subresources = { status: {} };

export const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export const roomDefinition = (clientConfig: object, storage: "v1" | "v2") => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "rooms.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "rooms", singular: "room", kind: "Room", listKind: "RoomList" },
    versions: [
      { name: "v1", served: true, storage: storage === "v1", schema: schemaOf({ size: text }), subresources },
      { name: "v2", served: true, storage: storage === "v2", schema: schemaOf({ width: integer, height: integer }), subresources },
    ],
    conversion: { strategy: "Webhook", webhook: { clientConfig, conversionReviewVersions: ["v1", "v1beta1"] } },
  },
});

/** Resolves once rooms are served. */
export async function defineRooms(api: Api, clientConfig: object): Promise<void> {
  await api.send("POST", definitions, { body: roomDefinition(clientConfig, "v1") });
  await until(async () => (await api.send("GET", "/apis/example.com/v1/rooms")).status === 200);
}

/** Makes the other version the stored one. */
export async function storeRoomsAs(api: Api, version: "v1" | "v2"): Promise<void> {
  const { body } = await api.send("GET", `${definitions}/rooms.example.com`);
  for (const one of body.spec.versions) one.storage = one.name === version;
  await api.send("PUT", `${definitions}/rooms.example.com`, { body });
}

/** Lets what is under way go on until something is so. */
export const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  await new Promise((resolve) => setImmediate(resolve));
  await waitUntil(String(isSo), isSo);
};
