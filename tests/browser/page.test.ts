/** The same client in a page: what it is made of loads there, and does there what it does elsewhere. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type api, type Client, configMaps } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import type { Page } from "playwright-core";
import { startCommand } from "../conformance/command-under-test.ts";
import { launchChromium, noChromium } from "./chromium.ts";
import { type Site, startSite } from "./site.ts";

const colour = (name: string, value: string): api.coreV1.ConfigMap => ({
  metadata: { name, labels: { part: "paint" } },
  data: { colour: value },
});

interface Surroundings {
  readonly page: Page;
  readonly site: Site;
  /** Another client, outside of the page. */
  readonly ann: Client;
}

async function inPage(fn: (surroundings: Surroundings) => Promise<void>): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const command = await startCommand("--ephemeral");
  stack.defer(async () => void (await command.stop()));
  const ann = stack.use(await clientFromKubeconfig({ paths: [command.kubeconfig], fieldManager: "ann" }));
  for (const name of ["door", "wall"]) await ann.resource(configMaps, "default").create(colour(name, "white"));
  const html = readFileSync(join(import.meta.dirname, "page.html"), "utf8");
  const site = stack.use(await startSite({ page: html, server: command.server, token: command.token }));
  const browser = await launchChromium();
  stack.defer(() => browser.close());
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(site.url);
  await fn({ page, site, ann });
  assert.deepEqual(complaints, []);
}

const shows = (page: Page, id: string, text: string): Promise<void> => page.locator(`#${id}`, { hasText: text }).waitFor();

test("in a page: list, watch, a local copy, a conflict and its explanation, and an end", {
  skip: noChromium,
  timeout: hangMs,
}, async () => {
  await inPage(async ({ page, site, ann }) => {
    const walls = ann.resource(configMaps, "default");
    await page.click("#list");
    await shows(page, "listed", "door whitewall white");
    await shows(page, "watched", "LISTED 2");
    await shows(page, "copy", "door whitewall white");

    await walls.create(colour("fence", "green"));
    await shows(page, "watched", "LISTED 2ADDED fence");
    await shows(page, "copy", "door whitefence greenwall white");

    await page.click("#read");
    await shows(page, "outcome", "read: white");
    await walls.patch("wall", { type: "merge", patch: { data: { colour: "blue", frame: "oak" } } });
    await shows(page, "copy", "door whitefence greenwall blue");
    await page.fill("#colour", "red");
    await page.click("#save");
    await shows(page, "outcome", "conflict: OverlappingChange .data.colour, OtherChange .data.frame");
    const [message, first, second] = ((await page.locator("#explanation").textContent()) ?? "").split("\n");
    assert.equal(
      message,
      'Operation cannot be fulfilled on configmaps "wall": the object has been modified; please apply your changes to the latest version and try again',
    );
    assert.match(first!, /^ {2}\.data\.colour: changed by manager "ann" .*; this write changes it too$/);
    assert.match(second!, /^ {2}\.data\.frame: added by manager "ann" .*; this write would remove it again$/);

    await page.click("#modify");
    await shows(page, "outcome", 'saved: {"colour":"red","frame":"oak"}');
    const { data, metadata } = await walls.get("wall");
    assert.deepEqual(data, { colour: "red", frame: "oak" });
    assert.ok(metadata?.managedFields?.some(({ manager }) => manager === "page"));

    await page.click("#stop");
    await shows(page, "outcome", "stopped, the copy is stale");
    assert.ok([...site.loaded].includes("packages/client/src/informer/create-informer.ts"));
    assert.deepEqual(
      [...site.loaded].filter((path) => path.startsWith("packages/api/") || path.startsWith("packages/client/src/node/")),
      [],
    );
    await site.idle();
  });
});
