/** The timeline in Chromium, on a server that was started as a user starts it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Client, configMaps, deployments, isConflict, pods, secrets } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { hangMs, waitUntil } from "@coxswain/machinery/testing";
import type { Browser, Page } from "playwright-core";
import { home } from "../command/command-program.ts";
import { launchChromium, noChromium } from "./chromium.ts";

const options = { skip: noChromium, timeout: hangMs };

interface Surroundings extends AsyncDisposable {
  readonly link: string;
  readonly client: Client;
  readonly browser: Browser;
  /** A page whose errors, and whose requests to other servers, fail the test. */
  newPage(): Promise<Page>;
}

async function surroundings(t: TestContext): Promise<Surroundings> {
  const user = home(t);
  const dataDir = join(user.path, "data");
  const { stdout } = await user.serve("--data-dir", dataDir, "--port", "0", "--nodes", "2");
  const [, link = ""] = /the link opens it once\): (\S+)/.exec(stdout) ?? [];
  const client = await clientFromKubeconfig({ paths: [join(dataDir, "kubeconfig")], fieldManager: "ann" });
  const browser = await launchChromium();
  const complaints: string[] = [];
  const { host } = new URL(link);
  return {
    link,
    client,
    browser,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await client[Symbol.asyncDispose]();
      assert.deepEqual(complaints, []);
    },
    async newPage() {
      const page = await browser.newPage({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 800 } });
      page.setDefaultTimeout(hangMs / 2);
      page.on("pageerror", (error) => complaints.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error" && !message.text().includes("401") && !message.text().includes("403"))
          complaints.push(message.text());
      });
      page.on("request", (request) => {
        if (!request.url().startsWith("data:") && new URL(request.url()).host !== host) complaints.push(`asked ${request.url()}`);
      });
      return page;
    },
  };
}

const row = (page: Page, label: string) => page.getByRole("treeitem", { name: label });
/** It has something below it. */
const folded = (page: Page, label: string) => page.getByRole("treeitem", { name: label, expanded: false });
const details = (page: Page) => page.getByRole("region", { name: "The chosen object" });

const web = {
  metadata: { name: "web" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web:1" }] } },
  },
};

test(
  "the link of the start opens the page once; writes, their fields and their writers are shown, and go on being so",
  options,
  async (t) => {
    await using place = await surroundings(t);
    const { link, client, newPage } = place;
    const maps = client.resource(configMaps, "default");
    await maps.create({ metadata: { name: "tug" }, data: { side: "none" } });
    const page = await newPage();
    await page.goto(link);
    assert.ok(!page.url().includes("code"), "the address has no code any more");
    await row(page, "ConfigMap default/tug").click();
    await details(page).getByText("create by ann").waitFor();
    await details(page).getByText("+ data:").waitFor();
    for (const side of ["left", "right", "left", "right", "left", "right"])
      await maps.patch({ name: "tug" }, { type: "merge", patch: { data: { side } } }, { fieldManager: side });
    await row(page, "ConfigMap default/tug, fight").waitFor();
    await row(page, "ConfigMap default/tug").click();
    await details(page).getByText("7 of 7").waitFor();
    await details(page).getByText("- side: left").waitFor();
    await details(page).getByText("+ side: right").waitFor();
    await details(page).getByRole("tab", { name: "Versions" }).click();
    assert.equal(await details(page).locator("tbody tr").count(), 7);
    await details(page).getByRole("tab", { name: "Blame" }).click();
    await details(page).getByRole("row", { name: ".data.side right right" }).waitFor();

    const again = await newPage();
    const answer = await again.goto(link);
    assert.ok([401, 403].includes(answer?.status() ?? 0), `the same link again is answered with ${answer?.status()}`);
  },
);

test("owners stand above what they control; folded, filtered, and deleted objects are found by keyboard alone", options, async (t) => {
  await using place = await surroundings(t);
  const { link, client, newPage } = place;
  await client.resource(deployments, "default").create(web);
  const page = await newPage();
  await page.goto(link);
  const tree = page.getByRole("tree");
  await folded(page, "Deployment default/web").waitFor();
  assert.equal(await row(page, "ReplicaSet default/web").count(), 0);
  await tree.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await folded(page, "ReplicaSet default/web").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await page.locator('[role="treeitem"][aria-level="3"]').nth(2).waitFor();
  await page.keyboard.press("Enter");
  await details(page)
    .getByRole("heading", { name: /ReplicaSet default\/web/ })
    .waitFor();
  await page.keyboard.press("Escape");
  await details(page).waitFor({ state: "hidden" });

  const [pod] = (await client.resource(pods, "default").list()).items;
  const name = pod?.metadata?.name ?? "";
  await client.resource(deployments, "default").delete({ name: "web" });
  await page.getByRole("searchbox").fill(name);
  await page.locator(".name.gone", { hasText: name }).waitFor();
  await row(page, `Pod default/${name}`).click();
  await details(page).getByText("delete by").waitFor();
  await page.keyboard.press("[");
  await details(page)
    .getByText(/(patch|delete|update).* by /)
    .waitFor();
  await details(page).getByRole("tab", { name: "Object" }).click();
  await details(page).getByText("phase: ").waitFor();
});

test("why a Pod is not scheduled, and its Events, stand at it", options, async (t) => {
  await using place = await surroundings(t);
  const { link, client, newPage } = place;
  const big = { name: "big", image: "big:1", resources: { requests: { cpu: "9000" } } };
  const own = client.resource(pods, "default");
  await own.create({ metadata: { name: "big" }, spec: { containers: [big] } });
  await waitUntil("the scheduler has looked at it", async () => (await own.get({ name: "big" })).status?.conditions !== undefined);
  const page = await newPage();
  await page.goto(link);
  await row(page, "Pod default/big").click();
  await details(page).getByRole("tab", { name: "Scheduling" }).click();
  await details(page).getByText("Insufficient cpu").first().waitFor();
  await details(page).getByRole("tab", { name: "Events" }).click();
  await details(page).getByText("FailedScheduling").first().waitFor();
});

test("a refused write says what it was based on, who was faster, and which field both wrote", options, async (t) => {
  await using place = await surroundings(t);
  const { link, client, newPage } = place;
  const maps = client.resource(configMaps, "default");
  const seat = await maps.create({ metadata: { name: "seat" }, data: { booked: "" } });
  const booked = await maps.update({ ...seat, data: { booked: "ann" } }, { fieldManager: "ann" });
  await assert.rejects(maps.update({ ...seat, data: { booked: "ben" } }, { fieldManager: "ben" }), isConflict);
  const page = await newPage();
  await page.goto(link);
  await row(page, "ConfigMap default/seat").click();
  await details(page).getByRole("tab", { name: "Conflicts" }).click();
  const story = details(page).getByRole("article");
  await story.getByRole("heading", { name: /^ben: update refused at / }).waitFor();
  await story.getByText(`It was based on version ${seat.metadata?.resourceVersion}.`).waitFor();
  await story.getByText(`By then there was ${booked.metadata?.resourceVersion}: update by ann at `).waitFor();
  await story.getByRole("listitem").getByText(".data.booked", { exact: true }).waitFor();
});

test("values of a Secret are shown to who may see them when they ask for it", options, async (t) => {
  await using place = await surroundings(t);
  const { link, client, newPage } = place;
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const [before, after] = [base64("first-hidden"), base64("second-hidden")];
  const own = client.resource(secrets, "default");
  const manifest = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { key: before } };
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(manifest) };
  await own.create({ metadata: { name: "s", annotations }, data: { key: before, same: before } });
  await own.patch("s", { type: "merge", patch: { data: { key: after } } });
  const page = await newPage();
  await page.goto(link);
  await row(page, "Secret default/s").click();
  const shown = async (): Promise<readonly string[]> => {
    const text = await page.content();
    return [before, after, "first-hidden", "second-hidden"].filter((value) => text.includes(value));
  };
  await details(page).getByText("*** (after)").waitFor();
  assert.deepEqual(await shown(), []);
  for (const [tab, text] of [
    ["Object", "same: "],
    ["Versions", ".data.key"],
    ["Blame", ".data.same"],
  ] as const) {
    await details(page).getByRole("tab", { name: tab }).click();
    await details(page).getByText(text).first().waitFor();
    assert.deepEqual(await shown(), [], tab);
  }
  await details(page).getByRole("button", { name: "Show values" }).click();
  await details(page).getByRole("cell", { name: after }).waitFor();
  await details(page).getByRole("tab", { name: "Changes" }).click();
  await details(page).getByText(after).first().waitFor();
  await page.keyboard.press("Escape");
  await row(page, "Secret default/s").click();
  await details(page).getByText("*** (after)").waitFor();
  assert.deepEqual(await shown(), []);
});
