/** A webhook that answers reviews, over TLS, to a client with a certificate, and a kubeconfig that names it. */
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { systemClock } from "@coxswain/machinery";
import { nameWith } from "@coxswain/pki";
import { issuePair } from "@coxswain/pki/node";

export interface AskedReview {
  readonly path: string | undefined;
  /** The subject of the client's certificate. */
  readonly client: string | undefined;
  readonly apiVersion: string;
  // biome-ignore lint/suspicious/noExplicitAny: of whatever kind of review.
  readonly spec: any;
}

export interface ReviewWebhookUnderTest {
  readonly asked: AskedReview[];
  close(): Promise<void>;
}

/** @param answer the status to a review */
export async function startReviewWebhook(kubeconfig: string, answer: (asked: AskedReview) => object): Promise<ReviewWebhookUnderTest> {
  const now = systemClock.now();
  const served = issuePair("self", { subject: nameWith("webhook"), usage: "server auth", names: { dns: [], ip: ["127.0.0.1"] } }, now);
  const own = issuePair("self", { subject: nameWith("coxswain"), usage: "client auth" }, now);
  const asked: AskedReview[] = [];
  const server = createServer({ ...served, requestCert: true, rejectUnauthorized: false }, async (incoming, response) => {
    let text = "";
    for await (const chunk of incoming) text += chunk;
    const { kind, apiVersion, spec } = JSON.parse(text);
    const review = { path: incoming.url, client: (incoming.socket as TLSSocket).getPeerX509Certificate()?.subject, apiVersion, spec };
    asked.push(review);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ kind, apiVersion, status: answer(review) }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base64 = (pem: string): string => Buffer.from(pem).toString("base64");
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/reviews`;
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "webhook", cluster: { server: url, "certificate-authority-data": base64(served.cert) } }],
    users: [{ name: "own", user: { "client-certificate-data": base64(own.cert), "client-key-data": base64(own.key) } }],
    contexts: [{ name: "x", context: { cluster: "webhook", user: "own" } }],
    "current-context": "x",
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  return {
    asked,
    async close() {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
