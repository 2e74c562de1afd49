/** The real command asks a webhook about tokens, by a kubeconfig with a client certificate. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { waitUntil } from "@coxswain/machinery/testing";
import { serversUnderTest } from "../store-options.ts";
import { type CommandUnderTest, startCommand } from "./command-under-test.ts";
import { type ReviewWebhookUnderTest, startReviewWebhook } from "./review-webhook.ts";

describe("a webhook for tokens", { concurrency: 1 }, () => {
  const directory = mkdtempSync(join(tmpdir(), "coxswain-token-webhook-"));
  let status: object = {};
  let webhook: ReviewWebhookUnderTest;
  let command: CommandUnderTest;

  before(async () => {
    webhook = await startReviewWebhook(join(directory, "webhook.kubeconfig"), () => status);
    command = await startCommand(
      "--ephemeral",
      `--authentication-token-webhook-config-file=${join(directory, "webhook.kubeconfig")}`,
      "--authentication-token-webhook-version=v1",
    );
  });
  after(async () => {
    assert.equal(await command.stop(), 0);
    await webhook.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const whoami = (token: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const data = /certificate-authority-data: (\S+)/.exec(readFileSync(command.kubeconfig, "utf8"))?.[1] ?? "";
      const ca = Buffer.from(data.replaceAll('"', ""), "base64").toString();
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const url = `${command.server}/apis/authentication.k8s.io/v1/selfsubjectreviews`;
      const sent = request(url, { ca, method: "POST", headers, agent: false }, async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve(response.statusCode === 201 ? JSON.parse(text).status.userInfo : response.statusCode);
      });
      sent.on("error", reject);
      sent.end("{}");
    });

  const skip = serversUnderTest() > 1 ? "each server keeps answers of its own" : false;
  test("is asked at its path, with the certificate of the kubeconfig, and not again at once", { skip }, async () => {
    status = { authenticated: true, user: { username: "jane", groups: ["a"], extra: { k: ["v"] } } };
    const jane = { username: "jane", groups: ["a", "system:authenticated"], extra: { k: ["v"] } };
    assert.deepEqual(await whoami("t0ken"), jane);
    assert.deepEqual(await whoami("t0ken"), jane);
    const review = { path: "/reviews", client: "CN=coxswain", apiVersion: "authentication.k8s.io/v1" };
    const [{ spec, ...first } = {}, ...others] = webhook.asked;
    assert.deepEqual([first, spec.token, others], [review, "t0ken", []]);
    status = { authenticated: false };
    assert.equal(await whoami("another"), 401);
    assert.deepEqual((await whoami(command.token)) as object, {
      username: "tester",
      uid: "tester",
      groups: ["system:masters", "system:authenticated"],
    });
    assert.equal(webhook.asked.length, 2);
  });

  test("that is gone lets nobody in, and no token into the log", async () => {
    await webhook.close();
    assert.equal(await whoami("s3cret-token"), 401);
    await waitUntil("the failure is logged", () => command.log().includes("failed to ask the webhook for tokens"));
    assert.doesNotMatch(command.log(), /s3cret-token|t0ken/);
  });
});
