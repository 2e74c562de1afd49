/** The webhook configurations of gatekeeper, as it is deployed, with a webhook of ours in the place of its Service. They are read from its Go module. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseYaml } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import { allowed, patched, registration, startWithWebhook } from "../integration/admission-webhook.ts";
import type { Json } from "../integration/api.ts";
import { run } from "./client-program.ts";

const downloaded = await run("go", ["mod", "download", "-json", "github.com/open-policy-agent/gatekeeper/v3@v3.20.1"], {
  timeoutMs: hangMs,
});
const skip = downloaded.code === 0 ? false : "the Go module of gatekeeper cannot be fetched here";

async function configurations(): Promise<readonly Json[]> {
  const text = readFileSync(join(JSON.parse(downloaded.stdout).Dir, "deploy/gatekeeper.yaml"), "utf8");
  const found = text.split(/^---$/m).filter((part) => /^kind: (Mutating|Validating)WebhookConfiguration$/m.test(part));
  return Promise.all(found.map((part) => parseYaml(part)));
}

/** As gatekeeper's certificate rotator writes the authority, and with an address instead of the Service. */
const calling = (configuration: Json, { url, caBundle }: { readonly url: string; readonly caBundle: string }): Json => ({
  ...configuration,
  webhooks: configuration.webhooks.map((hook: Json) => ({
    ...hook,
    clientConfig: { url: `${url}${hook.clientConfig.service.path}`, caBundle },
  })),
});

const collection = ({ kind }: Json): string => `${registration}/${kind.toLowerCase()}s`;
const pod = (name: string): Json => ({ metadata: { name }, spec: { containers: [{ name: "c", image: "i" }] } });

test("gatekeeper's configurations are kept as they are", { skip }, async () => {
  await using at = await startWithWebhook();
  const all = await configurations();
  assert.deepEqual(all.map(({ kind }) => kind).sort(), ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]);
  for (const configuration of all) {
    const { status, text, body } = await at.api.send("POST", collection(configuration), { body: configuration });
    assert.equal(status, 201, text);
    for (const [i, hook] of configuration.webhooks.entries()) {
      const rules = hook.rules.map((rule: Json) => ({ ...rule, scope: rule.scope ?? "*" }));
      assert.deepEqual({ ...body.webhooks[i], ...hook, rules, clientConfig: body.webhooks[i].clientConfig }, body.webhooks[i]);
      assert.deepEqual(body.webhooks[i].clientConfig.service, { port: 443, ...hook.clientConfig.service });
    }
  }
});

test("gatekeeper is asked about everything outside its namespace, and its labels are guarded", { skip }, async () => {
  await using at = await startWithWebhook();
  const paths: string[] = [];
  at.decide = (request, path) => {
    paths.push(path);
    if (path === "/v1/mutate") return patched({ op: "add", path: "/metadata/labels", value: { by: "gatekeeper" } });
    const isExempting = path === "/v1/admitlabel" && "admission.gatekeeper.sh/ignore" in (request.object.metadata.labels ?? {});
    const isRefused = isExempting || request.object?.metadata?.name === "bad";
    return isRefused ? { allowed: false, status: { code: 403, message: "[deny] by a constraint" } } : allowed;
  };
  for (const configuration of await configurations())
    assert.equal((await at.api.send("POST", collection(configuration), { body: calling(configuration, at) })).status, 201);
  const asked = async (path: string, body: Json) => {
    const { status, body: answer } = await at.api.send("POST", path, { body });
    return { status, message: answer.message, labels: answer.metadata?.labels, paths: paths.splice(0) };
  };
  const both = ["/v1/mutate", "/v1/admit"];
  const pods = "/api/v1/namespaces/default/pods";
  assert.deepEqual(await asked(pods, pod("good")), { status: 201, message: undefined, labels: { by: "gatekeeper" }, paths: both });
  const denied = 'admission webhook "validation.gatekeeper.sh" denied the request: [deny] by a constraint';
  assert.deepEqual(await asked(pods, pod("bad")), { status: 403, message: denied, labels: undefined, paths: both });
  const own = await asked("/api/v1/namespaces", { metadata: { name: "gatekeeper-system" } });
  assert.deepEqual([own.status, own.paths], [201, []]);
  assert.deepEqual((await asked("/api/v1/namespaces/gatekeeper-system/pods", pod("bad"))).paths, []);
  const exempting = { metadata: { name: "mine", labels: { "admission.gatekeeper.sh/ignore": "yes" } } };
  // What exempts a Namespace exempts it from the other webhooks already while it is made.
  const guarded = await asked("/api/v1/namespaces", exempting);
  const byLabel = 'admission webhook "check-ignore-label.gatekeeper.sh" denied the request: [deny] by a constraint';
  assert.deepEqual([guarded.status, guarded.message, guarded.paths], [403, byLabel, ["/v1/admitlabel"]]);
  assert.deepEqual((await asked(`${pods}/good/eviction`, { metadata: { name: "good" } })).paths, ["/v1/admit"]);
});

test("while gatekeeper is away, only labels of namespaces are refused", { skip }, async () => {
  await using at = await startWithWebhook();
  at.respond = (response) => void response.destroy();
  for (const configuration of await configurations())
    assert.equal((await at.api.send("POST", collection(configuration), { body: calling(configuration, at) })).status, 201);
  assert.equal((await at.api.send("POST", "/api/v1/namespaces/default/pods", { body: pod("good") })).status, 201);
  const { status, body } = await at.api.send("POST", "/api/v1/namespaces", { body: { metadata: { name: "other" } } });
  assert.equal(status, 500);
  assert.match(body.message, /failed calling webhook "check-ignore-label\.gatekeeper\.sh"/);
});
