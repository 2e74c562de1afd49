/** The timeline in a browser: its files, and how a browser becomes known, which cannot send a token. */
import { createHmac, timingSafeEqual } from "node:crypto";
import {
  type Authenticator,
  authenticated,
  bytesReply,
  type HttpRequest,
  headerOf,
  type PageSource,
  type Reply,
  unclaimed,
} from "@coxswain/apiserver";
import type { Clock, RandomSource } from "@coxswain/machinery";
import type { InProcessUser } from "../in-process/in-process-callers.ts";

/** Where the page is. */
export const pagePath = "/coxswain/ui/";
const cookieName = "__Host-coxswain";
/** Nothing on the page comes from elsewhere, and no other page shows it. */
const headers = {
  "content-security-policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
};

export interface TimelineAccess {
  /** Knows who comes by a link, and who has come by one. */
  readonly authenticator: Authenticator;
  /** Answers below `/coxswain/ui`. */
  readonly pages: PageSource;
  /** What follows the server's address in a link that opens the page once, as this user. */
  linkFor(user: InProcessUser): string;
}

export interface TimelineAccessOptions {
  /** What links and sessions are signed with: all servers of a process have the same. */
  readonly key: string;
  readonly clock: Pick<Clock, "now">;
  readonly random: Pick<RandomSource, "uuid">;
}

/** What a link or a cookie says, which nobody else can have made. */
interface Pass {
  readonly kind: "link" | "session";
  readonly id: string;
  readonly user: InProcessUser;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** As long as a link waits to be used, and then a browser is known. */
const passMs = 12 * 3_600_000;

export function timelineAccess({ key, clock, random }: TimelineAccessOptions): TimelineAccess {
  const used = new Set<string>();
  const sign = (payload: string): string => createHmac("sha256", key).update(payload).digest("base64url");
  const make = (kind: Pass["kind"], user: InProcessUser): string => {
    const { name, uid = name, groups = [] } = user;
    const pass: Pass = { kind, id: random.uuid(), user: { name, uid, groups }, until: clock.now() + passMs };
    const payload = Buffer.from(JSON.stringify(pass)).toString("base64url");
    return `${payload}.${sign(payload)}`;
  };
  const read = (text: string | null | undefined, kind: Pass["kind"]): Pass | undefined => {
    const [payload = "", signature = ""] = (text ?? "").split(".");
    const expected = Buffer.from(sign(payload));
    const given = Buffer.from(signature);
    if (given.byteLength !== expected.byteLength || !timingSafeEqual(given, expected)) return undefined;
    const pass = JSON.parse(Buffer.from(payload, "base64url").toString()) as Pass;
    return pass.kind === kind && clock.now() < pass.until && !used.has(pass.id) ? pass : undefined;
  };
  return {
    authenticator({ method, path = "", query = "", headers }) {
      if (method !== "GET" ? !isOfPage(method, path, headers) : !path.startsWith("/coxswain/")) return unclaimed;
      const { cookie } = headers;
      const link = method === "GET" && path === pagePath && query !== "" ? read(new URLSearchParams(query).get("code"), "link") : undefined;
      if (link !== undefined) used.add(link.id);
      const pass = link ?? (cookie === undefined ? undefined : read(sessionIn(cookie), "session"));
      if (pass === undefined) return unclaimed;
      const { name, uid = name, groups = [] } = pass.user;
      return authenticated({ name, uid, groups, extra: {} });
    },
    async pages(request, user) {
      if (`${request.path}/` === pagePath) return redirect("ui/");
      if (!request.path.startsWith(pagePath)) return undefined;
      // The code leaves no trace in the browser's history, and is worth nothing any more.
      if (request.path === pagePath && new URLSearchParams(request.query).has("code"))
        return redirect(pagePath, cookieFor(make("session", user)));
      return timelineFile(request.path);
    },
    linkFor: (user) => `${pagePath}?code=${make("link", user)}`,
  };
}

/** Those of the page's own requests that are no GETs: the races', which change nothing of the cluster. A browser says that they come from it. */
function isOfPage(method: string | undefined, path: string, headers: HttpRequest["headers"]): boolean {
  if ((method !== "POST" && method !== "DELETE") || !/^\/coxswain\/v1\/races(?:\/[\w-]+)*$/.test(path)) return false;
  const origin = headerOf({ headers }, "origin");
  const host = headerOf({ headers }, ":authority") ?? headerOf({ headers }, "host");
  return headerOf({ headers }, "sec-fetch-site") === "same-origin" && host !== undefined && origin === `https://${host}`;
}

/** A file of the page by its path; undefined for what is none. */
export async function timelineFile(path: string): Promise<Reply | undefined> {
  const { pageFile } = await import("@coxswain/ui");
  const file = await pageFile(path.slice(pagePath.length) || "index.html");
  return file && { ...bytesReply(200, file.contentType, file.bytes), headers };
}

/** From the page itself alone: a link elsewhere brings no session along. */
const cookieFor = (session: string) => ({ "set-cookie": `${cookieName}=${session}; Path=/; Secure; HttpOnly; SameSite=Strict` });

const sessionIn = (cookie: string | readonly string[]): string | undefined =>
  (typeof cookie === "string" ? cookie : cookie.join(";"))
    .split(";")
    .map((one) => one.trim())
    .find((one) => one.startsWith(`${cookieName}=`))
    ?.slice(cookieName.length + 1);

const redirect = (location: string, more: Readonly<Record<string, string>> = {}): Reply => ({
  ...bytesReply(303, "text/plain; charset=utf-8", new Uint8Array(0)),
  headers: { ...headers, location, ...more },
});
