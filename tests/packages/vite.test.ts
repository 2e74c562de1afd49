/** A page that Vite has built of the installed client, in Chromium. */
import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { configMaps } from "@coxswain/client";
import { clientFromKubeconfig } from "@coxswain/client/node";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import { launchChromium, noChromium } from "../browser/chromium.ts";
import { installedFromNpm } from "../conformance/client-program.ts";
import { emptyFolder } from "./empty-folder.ts";
import { startInstalled } from "./installed-command.ts";
import { thisNode } from "./installed-node.ts";

/** What of Vite is used here. */
interface Vite {
  build(options: object): Promise<unknown>;
  preview(options: object): Promise<{ readonly httpServer: Server; close(): Promise<void> }>;
}

const html = `<!doctype html><title>Paint</title><ul id="listed"></ul><ol id="watched"></ol><p id="read"></p>
<script type="module" src="./main.ts"></script>`;

const main = `
import { configMaps, createClient, fetchTransport, isNotFound, systemClock, systemRandom } from "@coxswain/client";
import { canonicalQuantity } from "@coxswain/machinery";

const client = createClient({ transport: fetchTransport({ server: "" }), clock: systemClock, random: systemRandom, fieldManager: "page" });
const maps = client.resource(configMaps, "default");
const show = (id: string, tag: string, text: string) =>
  document.getElementById(id)!.append(Object.assign(document.createElement(tag), { textContent: text }));

const { items } = await maps.list({ labelSelector: "part=paint" });
for (const { metadata, data } of items) show("listed", "li", metadata?.name + " " + data?.colour);
const missing = await maps.get("nothing").catch(isNotFound);
const wall = await maps.get("wall");
show("read", "b", "read " + wall.data?.colour + ", nothing is missing: " + missing + ", " + canonicalQuantity("1024Ki"));
for await (const event of maps.watch({ labelSelector: "part=paint" }))
  if (event.type !== "BOOKMARK") show("watched", "li", event.type === "LISTED" ? "LISTED" : event.type + " " + event.object.metadata?.name);
`;

test("a page built by Vite gets, lists and watches", { timeout: hangMs, skip: noChromium }, async (t) => {
  const tool = await installedFromNpm("vite", join(import.meta.dirname, "vite"));
  if ("missing" in tool) return t.skip(tool.missing);
  const vite = (await import(pathToFileURL(join(tool.folder, "node_modules/vite/dist/node/index.js")).href)) as Vite;
  await using stack = new AsyncDisposableStack();
  const folder = await emptyFolder(t, { packages: ["coxswain"] });
  folder.write("index.html", html);
  folder.write("main.ts", main);
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const customLogger = { info() {}, warn, warnOnce: warn, error: warn, clearScreen() {}, hasErrorLogged: () => false, hasWarned: false };
  // What awaits at its top level needs a browser of these years.
  await vite.build({ root: folder.path, configFile: false, customLogger, build: { target: "es2022" } });
  assert.deepEqual(warnings, []);
  for (const file of globSync("dist/assets/*.js", { cwd: folder.path }))
    assert.doesNotMatch(readFileSync(join(folder.path, file), "utf8"), /["'`]node:|browser-external/, file);

  writeFileSync(join(folder.path, "tokens.csv"), 'page,page,page,"system:masters"\n');
  const command = stack.use(
    await startInstalled(folder, ["--apiserver-only", `--token-auth-file=${join(folder.path, "tokens.csv")}`], thisNode()),
  );
  const client = stack.use(await clientFromKubeconfig({ paths: [command.kubeconfig] }));
  const maps = client.resource(configMaps, "default");
  const paint = (name: string) => maps.create({ metadata: { name, labels: { part: "paint" } }, data: { colour: "white" } });
  await paint("wall");
  // The site in front of the server has the token; the page has none.
  const proxy = { "/api": { target: command.server, secure: false, headers: { authorization: "Bearer page" } } };
  const preview = { host: "127.0.0.1", port: 0, proxy };
  const site = await vite.preview({ root: folder.path, configFile: false, customLogger, preview });
  stack.defer(() => site.close());
  const browser = await launchChromium();
  stack.defer(() => browser.close());
  const page = await browser.newPage();
  const failures: string[] = [];
  page.on("pageerror", (error) => failures.push(String(error)));
  await page.goto(`http://127.0.0.1:${(site.httpServer.address() as AddressInfo).port}/`);
  const shows = (id: string, text: string): Promise<void> => page.locator(`#${id}`, { hasText: text }).waitFor();
  await shows("listed", "wall white");
  await shows("read", "read white, nothing is missing: true, 1Mi");
  await shows("watched", "LISTED");
  await paint("door");
  await shows("watched", "ADDED door");
  assert.deepEqual(failures, []);
});
