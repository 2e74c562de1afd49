/** The documentation site builds, and its pages can be read on a desktop and on a phone. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { test } from "node:test";
import { AsyncDisposableStack } from "@coxswain/machinery";
import { hangMs } from "@coxswain/machinery/testing";
import type { Browser, Page as Tab } from "playwright-core";
import { root } from "../../scripts/checks/tree.ts";
import { readPages } from "../../scripts/site/pages.ts";
import { launchChromium, noChromium } from "../browser/chromium.ts";

const widths = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } };

const paths = readPages().map(({ path }) => `/${path.replace(/\.md$/, ".html")}`);

test("each page of the site can be read", { skip: noChromium, timeout: hangMs }, async (t) => {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "coxswain-site-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  await build(folder);
  const site = stack.use(await serve(folder));
  const browser = await launchChromium();
  stack.defer(() => browser.close());

  for (const [device, viewport] of Object.entries(widths))
    await t.test(`on a ${device}`, async () => {
      const problems = await problemsOf(browser, viewport, site.url);
      assert.deepEqual(problems, []);
    });

  await t.test("its search finds a page", async () => {
    const page = await browser.newPage({ viewport: widths.desktop });
    await page.goto(site.url);
    await page.locator(".VPNavBarSearch button").first().click();
    await page.locator("#localsearch-input").fill("fieldManager");
    await page.locator("#localsearch-list a").first().waitFor();
    await page.close();
  });

  await t.test("what stands beside a page and above it leads to pages", async () => {
    const page = await browser.newPage({ viewport: widths.desktop });
    const links = new Set<string>();
    for (const path of ["/", "/howto/install.html"]) {
      await page.goto(site.url + path);
      const found = await page.locator("a[href^='/']").evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
      for (const link of found) links.add(link.replace(/#.*/, ""));
    }
    await page.close();
    const dead = [...links].filter((link) => !link.startsWith("/api/") && fileOf(folder, link) === undefined);
    assert.deepEqual(dead, []);
    assert.ok(links.size > paths.length / 2);
  });
});

/** Of all pages, several at a time. */
async function problemsOf(browser: Browser, viewport: { width: number; height: number }, url: string): Promise<string[]> {
  const context = await browser.newContext({ viewport });
  const problems: string[] = [];
  const waiting = [...paths];
  const readOn = async (): Promise<void> => {
    const tab = await context.newPage();
    let path = "";
    const complain = (problem: string): void => void problems.push(`${path}: ${problem}`);
    tab.on("pageerror", (error) => complain(String(error)));
    tab.on("console", (message) => message.type() === "error" && complain(message.text()));
    tab.on("response", (response) => response.status() >= 400 && complain(`${response.status()} for ${response.url()}`));
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      path = next;
      await tab.goto(url + path, { waitUntil: "load" });
      for (const problem of await layoutProblems(tab)) complain(problem);
    }
  };
  await Promise.all([readOn(), readOn(), readOn()]);
  await context.close();
  return problems;
}

interface Layout {
  readonly width: number;
  readonly wanted: number;
  /** The beginning of what does not fit. */
  readonly widest: string | undefined;
}

const layoutScript = `(() => {
  const { clientWidth: width, scrollWidth: wanted } = document.documentElement;
  const scrolls = (element) =>
    element !== null && element !== document.body && (getComputedStyle(element).overflowX !== "visible" || scrolls(element.parentElement));
  const isOutside = (element) => element.getBoundingClientRect().right > width + 1 && !scrolls(element.parentElement);
  const widest = [...document.querySelectorAll(".VPContent *")].find(isOutside);
  return { width, wanted, widest: widest?.outerHTML.slice(0, 120) };
})()`;

async function layoutProblems(tab: Tab): Promise<string[]> {
  await tab.locator("h1").first().waitFor();
  const { width, wanted, widest } = await tab.evaluate<Layout>(layoutScript);
  return wanted > width ? [`${wanted} pixels wide, of ${width}: ${widest}`] : [];
}

async function build(folder: string): Promise<void> {
  // Of the reference of the packages there is a test of its own.
  const args = [join(root, "scripts", "site.ts"), "--no-api", "--out", folder];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (printed += chunk.toString()));
  const [code] = await once(child, "close");
  assert.equal(code, 0, printed);
}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".woff2": "font/woff2",
};

/** The file that a path of the site means, as servers of static files have it. */
function fileOf(folder: string, path: string): string | undefined {
  const file = join(folder, normalize(path));
  return [file.endsWith("/") ? `${file}index.html` : file, `${file}.html`].find((each) => extname(each) !== "" && existsSync(each));
}

async function serve(folder: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((req, res) => {
    const { pathname } = new URL(req.url ?? "/", "http://localhost");
    const file = fileOf(folder, pathname);
    if (pathname === "/favicon.ico") res.writeHead(204).end();
    else if (file === undefined) res.writeHead(404).end();
    else res.writeHead(200, { "content-type": types[extname(file)] ?? "application/octet-stream" }).end(readFileSync(file));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
