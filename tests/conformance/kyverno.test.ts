/**
 * The webhook configurations that kyverno writes, as its own tests expect them of a cluster, with a webhook of ours in the place of
 * its Service. They are read from its Go module.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseYaml } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import { allowed, registration, startWithWebhook } from "../integration/admission-webhook.ts";
import type { Json } from "../integration/api.ts";
import { run } from "./client-program.ts";

const { code, stdout } = await run("go", ["mod", "download", "-json", "github.com/kyverno/kyverno@v1.15.2"], { timeoutMs: hangMs });
const skip = code === 0 ? false : "the Go module of kyverno cannot be fetched here";

interface Found {
  readonly file: string;
  readonly configuration: Json;
}

/** Those that are whole: others only say what has to be in them. */
async function configurations(): Promise<readonly Found[]> {
  const folder = join(JSON.parse(stdout).Dir, "test/conformance/chainsaw");
  const found: Found[] = [];
  for (const file of globSync("**/*webhook*.yaml", { cwd: folder }).sort()) {
    for (const text of readFileSync(join(folder, file), "utf8").split(/^---$/m)) {
      const configuration: Json = text.includes("(") && /^\s*\(/m.test(text) ? undefined : await parseYaml(text);
      if (/^(Mutating|Validating)WebhookConfiguration$/.test(configuration?.kind) && isWhole(configuration))
        found.push({ file, configuration });
    }
  }
  return found;
}

const isWhole = ({ metadata, webhooks = [] }: Json): boolean =>
  metadata?.name !== undefined &&
  webhooks.length > 0 &&
  webhooks.every(
    ({ name, clientConfig, sideEffects, admissionReviewVersions }: Json) =>
      name && clientConfig?.service && sideEffects && admissionReviewVersions,
  );

/** As test environments do it. */
const calling = (configuration: Json, { url, caBundle }: { readonly url: string; readonly caBundle: string }): Json => ({
  ...configuration,
  webhooks: configuration.webhooks.map((hook: Json) => ({
    ...hook,
    clientConfig: { url: `${url}${hook.clientConfig.service.path}`, caBundle },
  })),
});

const collection = ({ kind }: Json): string => `${registration}/${kind.toLowerCase()}s`;

test("each configuration of kyverno is kept as it is", { skip }, async (t) => {
  const all = await configurations();
  t.diagnostic(`${all.length} configurations`);
  assert.ok(all.length >= 10);
  await using at = await startWithWebhook();
  for (const { file, configuration } of all) {
    const { status, text, body } = await at.api.send("POST", collection(configuration), { body: configuration });
    assert.equal(status, 201, `${file}: ${text}`);
    for (const [i, hook] of configuration.webhooks.entries()) assert.deepEqual({ ...body.webhooks[i], ...hook }, body.webhooks[i], file);
    await at.api.send("DELETE", `${collection(configuration)}/${configuration.metadata.name}`);
  }
});

const image = { name: "c", image: "i" };
const pod = (labels: Json): Json => ({ metadata: { generateName: "p-", labels }, spec: { containers: [image] } });
const cronJob = (labels: Json): Json => ({
  metadata: { generateName: "c-" },
  spec: {
    schedule: "* * * * *",
    jobTemplate: { spec: { template: { metadata: { labels }, spec: { containers: [image], restartPolicy: "Never" } } } },
  },
});

test("kyverno's conditions choose Pods, and what makes Pods, by their labels", { skip }, async () => {
  const all = await configurations();
  const chosen = all.filter(({ file }) => file.includes("fine-grained/match-conditions"));
  assert.equal(chosen.length, 2);
  await using at = await startWithWebhook();
  const paths: string[] = [];
  at.decide = (_, path) => {
    paths.push(path);
    return allowed;
  };
  for (const { configuration } of chosen) await at.api.send("POST", collection(configuration), { body: calling(configuration, at) });
  const asked = async (path: string, body: Json): Promise<readonly string[]> => {
    const { status, text } = await at.api.send("POST", path, { body });
    assert.equal(status, 201, text);
    return paths.splice(0);
  };
  const both = ["/ivpol/mutate/check-signed-images", "/ivpol/validate/check-signed-images"];
  const pods = "/api/v1/namespaces/default/pods";
  const cronJobs = "/apis/batch/v1/namespaces/default/cronjobs";
  assert.deepEqual(await asked(pods, pod({ prod: "true" })), both);
  assert.deepEqual(await asked(pods, pod({ prod: "false" })), []);
  assert.deepEqual(await asked(pods, pod({})), []);
  assert.deepEqual(await asked(cronJobs, cronJob({ prod: "true" })), both);
  assert.deepEqual(await asked("/api/v1/namespaces/default/configmaps", { metadata: { name: "a" } }), []);
});
