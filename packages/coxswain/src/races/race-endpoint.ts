/**
 * `/coxswain/v1/races`: GET lists what can be raced, POST begins a race; `/coxswain/v1/races/ID`: GET shows it, DELETE ends it;
 * `/coxswain/v1/races/ID/steps`: POST does one of its actions.
 */
import { bytesReply, type Endpoint, type EndpointRequest, headerOf, type Reply } from "@coxswain/apiserver";
import {
  badRequest,
  failure,
  getOwn,
  isObject,
  methodNotAllowed,
  type RaceRequest,
  unknownPath,
  unsupportedMediaType,
} from "@coxswain/machinery";
import { definitionOf, raceDefinitions } from "./definitions.ts";
import type { Races } from "./races.ts";

/** Of the objects that visitors bring, in characters: what is bigger is no show. */
const maxYaml = 16 * 1024;
const maxText = 1_024;
/** Of a body, in bytes: a YAML of characters that JSON escapes, and what stands around it. */
const maxBodyBytes = 128 * 1024;

/** @throws StatusError */
export const raceEndpoint =
  (races: Races): Endpoint =>
  async (request) => {
    const { method, path, query, user } = request;
    const [id, steps] = path;
    checkOrigin(request);
    if (id === undefined) {
      if (isRead(method)) return json(200, { kind: "RaceList", apiVersion: "coxswain/v1", items: raceDefinitions });
      if (method === "POST") return json(201, await races.begin(user.name, raceRequestIn(bodyOf(request))));
      throw methodNotAllowed();
    }
    if (path.length === 1) {
      if (isRead(method)) return json(200, await races.report(user.name, id));
      if (method !== "DELETE") throw methodNotAllowed();
      await races.end(user.name, id);
      return json(200, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" });
    }
    if (path.length !== 2 || steps !== "steps") throw unknownPath();
    if (method !== "POST") throw methodNotAllowed();
    const action = textIn(bodyOf(request), "action", maxText) ?? "";
    return json(200, await races.act(user.name, id, action, numberIn(query)));
  };

const isRead = (method: string): boolean => method === "GET" || method === "HEAD";

/** No other page makes a browser do this: neither by the session of this one, nor by a `kubectl proxy`. @throws forbidden() */
function checkOrigin({ method, headers }: EndpointRequest): void {
  const site = headerOf({ headers }, "sec-fetch-site");
  if (!isRead(method) && site !== undefined && site !== "same-origin" && site !== "none")
    throw failure(403, "Forbidden", "races are begun and driven by their own page, or by a client that is no browser");
}

/** @throws StatusError */
function bodyOf({ headers, body }: EndpointRequest): object {
  const contentType = headerOf({ headers }, "content-type")?.split(";")[0]?.trim().toLowerCase();
  if (contentType !== "application/json") throw unsupportedMediaType(["application/json"]);
  if (body.byteLength > maxBodyBytes) throw failure(413, "RequestEntityTooLarge", `a race's request has ${maxBodyBytes} bytes at most`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw badRequest("the body is no JSON");
  }
  if (!isObject(value)) throw badRequest("the body is no object");
  return value;
}

/** @throws badRequest() */
function raceRequestIn(body: object): RaceRequest {
  const race = textIn(body, "race", maxText) ?? "";
  const found = definitionOf(race);
  if (found === undefined)
    throw badRequest(`there is no race ${JSON.stringify(race)}: ${raceDefinitions.map(({ name }) => name).join(", ")}`);
  const yaml = textIn(body, "yaml", maxYaml);
  const field = textIn(body, "field", maxText);
  const values = getOwn(body as Record<string, unknown>, "values");
  const [one, other, ...more] = Array.isArray(values) ? (values as unknown[]) : [];
  if (values !== undefined && !(isText(one) && isText(other) && more.length === 0)) throw badRequest("values are two texts");
  return {
    race: found.name,
    ...(yaml === undefined ? {} : { yaml }),
    ...(field === undefined ? {} : { field }),
    ...(isText(one) && isText(other) ? { values: [one, other] } : {}),
  };
}

const isText = (value: unknown): value is string => typeof value === "string" && value.length <= maxText;

/** @throws badRequest() */
function textIn(body: object, name: string, maxLength: number): string | undefined {
  const value = getOwn(body as Record<string, unknown>, name);
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw badRequest(`${name} is no text`);
  if (value.length > maxLength) throw badRequest(`${name} has ${maxLength} characters at most`);
  return value;
}

/** The last step that who asks has. @throws badRequest() */
function numberIn(query: URLSearchParams): number {
  const text = query.get("after") ?? "0";
  if (!/^\d{1,6}$/.test(text)) throw badRequest("after must be a number");
  return Number(text);
}

const json = (status: number, value: object): Reply => ({
  ...bytesReply(status, "application/json", Buffer.from(`${JSON.stringify(value)}\n`)),
  headers: { "cache-control": "no-store" },
});
