/** The timeline page over a recording, on a port of this machine, for one browser that comes by a link. */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import type { ConflictList } from "@coxswain/machinery";
import { isObject, messageOf } from "@coxswain/machinery";
import { pagePath, timelineFile } from "../access/timeline-page.ts";
import type { LoadedRecording } from "./load-recording.ts";
import type { RecordedServer } from "./recorded-server.ts";

export interface ServedRecording extends AsyncDisposable {
  /** Opens the page, in one browser. */
  readonly link: string;
}

const address = "127.0.0.1";

export async function serveRecording(recording: LoadedRecording, { transport }: RecordedServer): Promise<ServedRecording> {
  const code = randomBytes(24).toString("base64url");
  const session = randomBytes(24).toString("base64url");
  let isUsed = false;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { port } = server.address() as AddressInfo;
    const cookieName = `coxswain-replay-${port}`;
    // A name that leads here is no reason to answer the page that knows it.
    if (request.headers.host !== `${address}:${port}`) return refuse(response, 421, `this is http://${address}:${port}`);
    if (request.method !== "GET" && request.method !== "HEAD") return refuse(response, 405, "a recording cannot be changed");
    const { pathname, searchParams } = new URL(request.url ?? "/", `http://${address}`);
    const given = searchParams.get("code");
    if (pathname === pagePath && given !== null && !isUsed && isEqual(given, code)) {
      isUsed = true;
      response.writeHead(303, { location: pagePath, "set-cookie": `${cookieName}=${session}; Path=/; HttpOnly; SameSite=Strict` });
      return void response.end();
    }
    if (!isEqual(cookieIn(request.headers.cookie ?? "", cookieName), session))
      return refuse(response, 401, "open the link that coxswain replay has printed; it opens the page in one browser");
    if (pathname === "/coxswain/v1/conflicts") return sendJson(response, conflictsOf(recording));
    if (`${pathname}/`.startsWith(pagePath)) return sendFile(response, pathname, recording.until);
    await passOn(request, response);
  };
  const passOn = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    response.once("close", () => gone.abort(new Error("the browser is gone")));
    const accept = request.headers.accept ?? "application/json";
    const found = await transport.send({ method: "GET", path: request.url ?? "/", headers: { accept }, signal: gone.signal });
    response.writeHead(found.status, { "content-type": found.headers["content-type"], "cache-control": "no-store" });
    await pipeline(found.chunks(), response);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else sendJson(response, isObject(error) && isObject(error.status) ? error.status : { message: messageOf(error) }, 500);
    });
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, address, resolve));
  return {
    link: `http://${address}:${(server.address() as AddressInfo).port}${pagePath}?code=${code}`,
    [Symbol.asyncDispose]: () => close(server),
  };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

const conflictsOf = ({ conflicts }: LoadedRecording): ConflictList => ({
  kind: "ConflictList",
  apiVersion: "coxswain/v1",
  items: conflicts,
});

/** The page is told that what it shows has an end. */
async function sendFile(response: ServerResponse, pathname: string, until: number): Promise<void> {
  const reply = await timelineFile(pathname);
  if (reply === undefined || reply.body.kind !== "bytes") return refuse(response, 404, "there is no such file");
  const { bytes } = reply.body;
  const isPage = reply.contentType.startsWith("text/html");
  const meta = `<head>\n<meta name="coxswain-recorded-until" content="${until}">`;
  response.writeHead(200, { ...reply.headers, "content-type": reply.contentType });
  response.end(isPage ? Buffer.from(bytes).toString().replace("<head>", meta) : bytes);
}

function sendJson(response: ServerResponse, value: object, code = 200): void {
  response.writeHead(code, { "content-type": "application/json", "cache-control": "no-store" });
  response.end(JSON.stringify(value));
}

const refuse = (response: ServerResponse, code: number, message: string): void => sendJson(response, { code, message }, code);

function isEqual(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}

const cookieIn = (header: string, name: string): string =>
  header
    .split(";")
    .map((one) => one.trim())
    .find((one) => one.startsWith(`${name}=`))
    ?.slice(name.length + 1) ?? "";
