/** The webhook beside a scenario: it answers by a script, and keeps what it was asked. */
import { startWebhookServer } from "../integration/webhook-server.ts";
import { type Json, parseJson, valueAt } from "./json.ts";
import type { ScriptedAnswer } from "./scenario.ts";
import type { RawAnswer } from "./server.ts";

/** The path of the steps that ask for it. */
export const askedPath = "webhook.asked";

export interface ScriptedWebhook extends AsyncDisposable {
  readonly url: string;
  readonly caBundle: string;
  /** The requests since the last time, as a list. */
  takeAsked(): RawAnswer;
}

export async function startScriptedWebhook(answers: Readonly<Record<string, ScriptedAnswer>>): Promise<ScriptedWebhook> {
  let taken = 0;
  const webhook = await startWebhookServer((response, { url = "", body }) => {
    const answer = answers[new URL(url, "https://webhook").pathname.slice(1)] ?? { status: 404 };
    if (answer.hangs === true) return;
    response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
    response.end(bodyOf(answer, parseJson(body)));
  });
  return {
    url: `https://127.0.0.1:${webhook.port}`,
    caBundle: webhook.caBundle,
    takeAsked() {
      const asked = webhook.asked.slice(taken).map(({ url, body }) => ({ url: url ?? "", review: parseJson(withoutUser(body)) ?? null }));
      taken = webhook.asked.length;
      return { status: 200, type: "application/json", warnings: [], text: JSON.stringify(asked) };
    },
    [Symbol.asyncDispose]: () => webhook[Symbol.asyncDispose](),
  };
}

/** Who asks is another one with each server. */
const withoutUser = (body: string): string => body.replace(/"userInfo":\{"username":"[^"]*","uid":"[^"]*",/, '"userInfo":{');

function bodyOf({ response, body = "" }: ScriptedAnswer, asked: Json | undefined): string {
  const uid = String(valueAt(asked, "request.uid") ?? "");
  if (response === undefined) return (typeof body === "string" ? body : JSON.stringify(body)).replaceAll("${uid}", uid);
  const { patch, ...rest } = response;
  const encoded = patch === undefined ? {} : { patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
  return JSON.stringify({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", response: { uid, ...encoded, ...rest } });
}
