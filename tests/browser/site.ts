/**
 * A site in front of a cluster: it gives out one page with its modules, and passes everything
 * else on to the server with a token that the page never sees. Packages go to the page as they are, with no more than
 * their types taken out: what they import from Node would not load there.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { request } from "node:https";
import { stripTypeScriptTypes } from "node:module";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream";
import { root } from "../conformance/command-under-test.ts";

export interface Site extends AsyncDisposable {
  readonly url: string;
  /** The paths of the modules that the page has loaded. */
  readonly loaded: ReadonlySet<string>;
  /** Resolves once no request of the page is under way. */
  idle(): Promise<void>;
}

export interface SiteOptions {
  readonly page: string;
  readonly server: string;
  readonly token: string;
}

/** What bare names mean in a page. */
const imports: Readonly<Record<string, string>> = {
  "@coxswain/client": "/modules/packages/client/src/index.ts",
  "@coxswain/machinery": "/modules/packages/machinery/src/index.ts",
  "js-yaml": "/modules/node_modules/js-yaml/dist/js-yaml.mjs",
};
const modules = "/modules/";

export async function startSite({ page, server, token }: SiteOptions): Promise<Site> {
  const loaded = new Set<string>();
  const open = new Set<Promise<unknown>>();
  const site = createServer((req, res) => {
    const path = req.url ?? "/";
    if (path === "/") send(res, "text/html; charset=utf-8", withImportMap(page));
    else if (path === "/favicon.ico") res.writeHead(204).end();
    else if (path.startsWith(modules)) sendModule(path.slice(modules.length), res, loaded);
    else {
      const closed: Promise<unknown> = once(res, "close").finally(() => open.delete(closed));
      open.add(closed);
      passOn(req, res, { server, token });
    }
  });
  site.listen(0, "127.0.0.1");
  await once(site, "listening");
  return {
    url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/`,
    loaded,
    idle: async () => void (await Promise.all(open)),
    async [Symbol.asyncDispose]() {
      site.closeAllConnections();
      site.close();
      await once(site, "close");
    },
  };
}

const withImportMap = (page: string): string =>
  page.replace("<head>", () => `<head><script type="importmap">${JSON.stringify({ imports })}</script>`);

function sendModule(path: string, res: ServerResponse, loaded: Set<string>): void {
  if (path.includes("..") || !/^(packages|node_modules)\/.*\.(ts|m?js)$/.test(path)) return void res.writeHead(404).end();
  loaded.add(path);
  const source = readFileSync(join(root, path), "utf8");
  send(res, "text/javascript; charset=utf-8", path.endsWith(".ts") ? stripTypeScriptTypes(source) : source);
}

function send(res: ServerResponse, type: string, text: string): void {
  res.writeHead(200, { "content-type": type }).end(text);
}

function passOn(req: IncomingMessage, res: ServerResponse, { server, token }: Pick<SiteOptions, "server" | "token">): void {
  const { host: _, connection: __, ...headers } = req.headers;
  const target = new URL(req.url ?? "/", server);
  // The server is the test's own: its certificate is not verified here.
  const options = { method: req.method, headers: { ...headers, authorization: `Bearer ${token}` }, rejectUnauthorized: false };
  const forward = request(target, options, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    res.flushHeaders();
    pipeline(answer, res, () => undefined);
  });
  forward.on("error", () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
  res.once("close", () => forward.destroy());
  pipeline(req, forward, () => undefined);
}
