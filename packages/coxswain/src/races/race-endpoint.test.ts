/** What is refused before a race sees it. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { EndpointRequest } from "@coxswain/apiserver";
import { StatusError, systemClock, systemRandom } from "@coxswain/machinery";
import { raceEndpoint } from "./race-endpoint.ts";
import { Races } from "./races.ts";

const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const races = new Races({ clock: systemClock, random: systemRandom, log });
after(() => races[Symbol.asyncDispose]());
const endpoint = raceEndpoint(races);

interface Asked {
  readonly method?: string;
  readonly path?: readonly string[];
  readonly body?: string | Uint8Array;
  readonly headers?: EndpointRequest["headers"];
  readonly query?: string;
}

async function codeOf({ method = "POST", path = [], body = "", headers = {}, query = "" }: Asked): Promise<number> {
  try {
    const { status } = await endpoint({
      ...{ method, path, body: typeof body === "string" ? Buffer.from(body) : body, query: new URLSearchParams(query) },
      headers: { "content-type": "application/json", ...headers },
      user: { name: "ann", uid: "", groups: [], extra: {} },
    });
    return status;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

const seat = JSON.stringify({ race: "seat" });
const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
const refused: readonly (Asked & { readonly name: string; readonly code: number })[] = [
  { name: "another content type", body: seat, headers: { "content-type": "text/plain" }, code: 415 },
  { name: "no content type", body: seat, headers: { "content-type": undefined }, code: 415 },
  { name: "a form", body: "race=seat", headers: { "content-type": "application/x-www-form-urlencoded" }, code: 415 },
  { name: "a page of another site", body: seat, headers: { "sec-fetch-site": "cross-site" }, code: 403 },
  { name: "a page of another port", body: seat, headers: { "sec-fetch-site": "same-site" }, code: 403 },
  { name: "a deletion by another site", method: "DELETE", path: ["a"], headers: { "sec-fetch-site": "cross-site" }, code: 403 },
  { name: "no JSON", body: "{", code: 400 },
  { name: "no text", body: new Uint8Array([0x22, 0xff, 0x22]), code: 400 },
  { name: "no object", body: "[]", code: 400 },
  { name: "lists in lists", body: `{"race":"seat","values":${deep}}`, code: 400 },
  { name: "no race", body: "{}", code: 400 },
  { name: "an unknown race", body: '{"race":"constructor"}', code: 400 },
  { name: "a race of a prototype", body: '{"__proto__":{"race":"seat"}}', code: 400 },
  { name: "a race that is no text", body: '{"race":{}}', code: 400 },
  { name: "a YAML that is too long", body: JSON.stringify({ race: "seat", yaml: "a".repeat(16 * 1024 + 1) }), code: 400 },
  { name: "a field that is too long", body: JSON.stringify({ race: "seat", field: ".a".repeat(1_024) }), code: 400 },
  { name: "one value", body: JSON.stringify({ race: "seat", values: ["a"] }), code: 400 },
  { name: "three values", body: JSON.stringify({ race: "seat", values: ["a", "b", "c"] }), code: 400 },
  { name: "values that are no texts", body: JSON.stringify({ race: "seat", values: [1, {}] }), code: 400 },
  { name: "a body that is too large", body: " ".repeat(129 * 1024), code: 413 },
  { name: "a race that is not there", method: "GET", path: ["a"], code: 404 },
  { name: "a step of a race that is not there", path: ["a", "steps"], body: '{"action":"ann-reads"}', code: 404 },
  { name: "a step that is no text", path: ["a", "steps"], body: '{"action":1}', code: 400 },
  { name: "a number that is none", path: ["a", "steps"], body: '{"action":"x"}', query: "after=-1", code: 400 },
  { name: "reading steps", method: "GET", path: ["a", "steps"], code: 405 },
  { name: "another method", method: "PUT", body: seat, code: 405 },
  { name: "deleting all", method: "DELETE", code: 405 },
  { name: "another path", path: ["a", "b"], code: 404 },
  { name: "a longer path", path: ["a", "steps", "b"], code: 404 },
];
for (const { name, code, ...asked } of refused)
  test(`${name} is answered with ${code}`, async () => assert.equal(await codeOf(asked), code));

/** Nested aliases: each line doubles what the one before stands for. */
const bomb = ["a0: &a0 [x, x]", ...Array.from({ length: 40 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]`)].join("\n");
const yamls = [
  { name: "a bomb of aliases", yaml: bomb },
  { name: "lists in lists", yaml: "[".repeat(8_000) },
  { name: "mappings in mappings", yaml: `${"{a: ".repeat(3_000)}` },
  { name: "a tag", yaml: "!!js/function 'function () {}'" },
  { name: "control characters", yaml: "a: \u0000" },
];
for (const { name, yaml } of yamls)
  test(`${name} as YAML is a bad request, and races go on`, async () => {
    assert.equal(await codeOf({ body: JSON.stringify({ race: "seat", yaml }) }), 400);
    assert.equal(await codeOf({ body: seat, headers: { "sec-fetch-site": "same-origin" } }), 201);
  });

test("the races are listed for whoever asks", async () => assert.equal(await codeOf({ method: "GET" }), 200));
