/** A server with one webhook beside it, which answers whatever a test wants. */
import { type Api, type Json, startApi } from "./api.ts";
import { startWebhookServer, type WebhookResponder } from "./webhook-server.ts";

/** The response of a review, without its uid; undefined for no answer at all. */
export type Decide = (request: Json, path: string) => Json | Promise<Json>;

export interface WithWebhook extends AsyncDisposable {
  readonly api: Api;
  readonly url: string;
  readonly caBundle: string;
  /** The requests of the reviews that came, in order. */
  readonly asked: readonly Json[];
  decide: Decide;
  /** Instead of a review. */
  respond: WebhookResponder | undefined;
  /** A configuration with these webhooks, each with what it leaves out. */
  configure(kind: "Mutating" | "Validating", ...hooks: readonly Json[]): Promise<void>;
}

export const registration = "/apis/admissionregistration.k8s.io/v1";
export const configMaps = "/api/v1/namespaces/default/configmaps";
export const mergePatch = "application/merge-patch+json";

export const configMap = (name: string, more: Json = {}): Json => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ...more.metadata },
  data: more.data ?? { a: "1" },
});

export const allowed = { allowed: true };

/** An answer that changes the object. */
export const patched = (...operations: readonly object[]): Json => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});

/** All operations on ConfigMaps. */
const rules = [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];

export async function startWithWebhook(decide: Decide = () => allowed, api?: Api): Promise<WithWebhook> {
  const asked: Json[] = [];
  const webhook = await startWebhookServer(async (response, one) => {
    if (at.respond !== undefined) return at.respond(response, one);
    const { kind, apiVersion, request } = JSON.parse(one.body);
    asked.push(request);
    const decided = await at.decide(request, new URL(one.url ?? "", "https://webhook").pathname);
    if (decided !== undefined) response.end(JSON.stringify({ kind, apiVersion, response: { uid: request.uid, ...decided } }));
  });
  const url = `https://127.0.0.1:${webhook.port}`;
  const { caBundle } = webhook;
  const own = api ?? (await startApi());
  const at: WithWebhook = {
    api: own,
    url,
    caBundle,
    asked,
    decide,
    respond: undefined,
    async configure(kind, ...hooks) {
      const plural = `${kind.toLowerCase()}webhookconfigurations`;
      const body = {
        kind: `${kind}WebhookConfiguration`,
        metadata: { name: kind.toLowerCase() },
        webhooks: hooks.map((hook, i) => ({
          name: `hook-${i}.example.com`,
          clientConfig: { url: `${url}/${hook.name ?? i}`, caBundle },
          rules,
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
          ...hook,
        })),
      };
      const { status, text } = await own.send("POST", `${registration}/${plural}`, { body });
      if (status !== 201) throw new Error(`failed to configure webhooks: ${text}`);
    },
    async [Symbol.asyncDispose]() {
      await own.server.close();
      await webhook[Symbol.asyncDispose]();
    },
  };
  return at;
}
