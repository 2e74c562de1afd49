/** A recording in Chromium: the page shows what happened then, and nothing of now. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { configMaps, deployments, sleep } from "@coxswain/client";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import { startCluster, virtualClock } from "coxswain/testing";
import { home } from "../command/command-program.ts";
import { launchChromium, noChromium } from "./chromium.ts";

/** Two writers who do not want the same, an hour of virtual time long ago. */
async function record(path: string): Promise<void> {
  await using cluster = await startCluster({ clock: virtualClock({ now: Date.UTC(2020, 0, 1), autoAdvance: true }) });
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web:1" }] } };
  await cluster.client
    .resource(deployments)
    .create({ metadata: { name: "web" }, spec: { selector: { matchLabels: { app: "web" } }, template } });
  const [scaler, deployer] = ["scaler", "deployer"].map((name) =>
    cluster.clientFor({ name }, { fieldManager: name }).resource(deployments),
  );
  const read = await cluster.client.resource(deployments).get("web");
  for (let round = 0; round < 6; round++) {
    await sleep(cluster.clock, 300_000);
    await scaler?.patch("web", { type: "merge", patch: { spec: { replicas: 5 } } });
    await sleep(cluster.clock, 300_000);
    await deployer?.patch("web", { type: "merge", patch: { spec: { replicas: 3 } } });
  }
  await deployer?.update({ ...read, metadata: { ...read.metadata, labels: { team: "late" } } }).catch(() => undefined);
  await cluster.client.resource(configMaps).create({ metadata: { name: "last" }, data: { a: "b" } });
  await cluster.record(path, { reason: "two writers of one field" });
}

test("the page shows a recording: its fight, its versions, its conflict, and its time", {
  skip: noChromium,
  timeout: hangMs,
}, async (t) => {
  const user = home(t);
  const file = join(user.path, "fight.cox");
  await record(file);
  const replay = user.begin(["replay", file]);
  const [, link = ""] = await waitUntil("the link", () => /until Ctrl-C\): (\S+)/.exec(replay.printed().stdout) ?? undefined);
  assert.match(
    replay.printed().stdout,
    /^two writers of one field\n2020-01-01T00:00:00\.000Z to 2020-01-01T01:00:00\.000Z: \d+ changes, 1 conflicts, 0 faults\n/,
  );
  await using browser = { page: await launchChromium(), [Symbol.asyncDispose]: () => browser.page.close() };
  const complaints: string[] = [];
  const page = await browser.page.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(hangMs / 2);
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // Why a Pod is where it is, is not in a recording.
    if (message.type() === "error" && !message.text().includes("404")) complaints.push(message.text());
  });
  await page.goto(link);
  assert.ok(!page.url().includes("code"), "the address has no code any more");
  assert.match((await page.getByRole("heading", { level: 1 }).textContent()) ?? "", /^Recording until .*2020/);
  assert.equal(await page.getByRole("button", { name: "live" }).count(), 0);
  const row = page.getByRole("treeitem", { name: "Deployment default/web" });
  await row.getByText("fight").waitFor();
  if (process.env.SCREENSHOT !== undefined) await page.screenshot({ path: `${process.env.SCREENSHOT}-lanes.png` });
  await row.click();
  const details = page.getByRole("region", { name: "The chosen object" });
  await details.getByText("patch by deployer").first().waitFor();
  await details
    .getByText(/replicas/)
    .first()
    .waitFor();
  if (process.env.SCREENSHOT !== undefined) await page.screenshot({ path: `${process.env.SCREENSHOT}-details.png` });
  const again = await browser.page.newPage();
  assert.equal((await again.goto(link))?.status(), 401, "the link opens it once");
  assert.deepEqual(complaints, []);
  replay.child.kill("SIGTERM");
  assert.equal((await replay.ended).code, 0);
});
