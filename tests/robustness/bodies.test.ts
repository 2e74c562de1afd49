/** Bodies made to exhaust the stack, the memory or the processor: refused without much work, while others are served. */
import assert from "node:assert/strict";
import type { ClientHttp2Session } from "node:http2";
import { after, before, test } from "node:test";
import { startMeasured, workOf } from "./latency.ts";
import { type Answer, configMap, configMaps, send, type Target } from "./target.ts";

/** Of all threads, beside the work of reading and printing 100 kB of JSON: the largest body is thirty times that. */
const maxWork = 3_000;
let target: Target;
let attacker: ClientHttp2Session;
before(async () => {
  target = await startMeasured();
  attacker = await target.http2();
  assert.equal((await target.fresh("POST", configMaps, { body: configMap("victim", { a: "1" }) })).status, 201);
});
after(async () => {
  attacker.destroy();
  await target[Symbol.asyncDispose]();
});

async function attack(method: string, path: string, type: string, body: string | Uint8Array): Promise<Answer> {
  const answer = await send({ session: attacker, authorization: target.authorization }, method, path, { type, body });
  const { total } = await workOf(target);
  assert.ok(total < maxWork, `as much work as ${total} times 100 kB of JSON`);
  assert.ok(answer.text.length < 20_000_000, `an answer of ${answer.text.length} characters`);
  assert.doesNotMatch(answer.text.slice(0, 1000), /the server has an error/);
  assert.equal((await target.fresh("GET", `${configMaps}/victim`)).status, 200);
  return answer;
}

const json = "application/json";
const yaml = "application/yaml";
const patches = {
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  json: "application/json-patch+json",
};
const revisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
const pods = "/api/v1/namespaces/default/pods";
const arrays = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const named = (name: string, rest: string): string => `{"metadata":{"name":"${name}"},${rest}}`;
const each = (count: number, one: (i: number) => string): string => Array.from({ length: count }, (_, i) => one(i)).join(",");
const withCpu = (cpu: string): string =>
  named("cpu", `"spec":{"containers":[{"name":"a","image":"a","resources":{"limits":{"cpu":${cpu}}}}]}`);

interface Case {
  readonly name: string;
  readonly body: string;
  readonly type?: string;
  readonly path?: string;
  readonly method?: string;
  readonly expect: number;
  readonly says?: RegExp;
}

const tooDeep = /exceeded max depth/;
const patch = (name: string, type: string, body: string, expected: Pick<Case, "expect" | "says">): Case => ({
  name: `${name} in ${type}`,
  method: "PATCH",
  path: `${configMaps}/victim`,
  type,
  body,
  ...expected,
});

const deep: readonly Case[] = [
  { name: "arrays, 100,000 deep", body: arrays(100_000), expect: 400, says: tooDeep },
  { name: "objects, 100,000 deep", body: objects(100_000), expect: 400, says: tooDeep },
  { name: "arrays that never close", body: "[".repeat(3_000_000), expect: 400, says: tooDeep },
  { name: "objects that never close", body: '{"a":'.repeat(600_000), expect: 400, says: tooDeep },
  { name: "an unknown field, 9,000 deep", body: named("d", `"x":${arrays(9_000)}`), expect: 400, says: tooDeep },
  { name: "untyped data, 9,000 deep", path: revisions, body: named("d", `"revision":1,"data":{"x":${objects(9_000)}}`), expect: 400 },
  { name: "untyped data, 990 deep", path: revisions, body: named("deep", `"revision":1,"data":{"x":${arrays(990)}}`), expect: 201 },
  ...Object.values(patches).flatMap((type) =>
    [900, 3_000, 100_000].flatMap((depth) =>
      [arrays(depth), objects(depth)].map((value) =>
        patch(
          `a value ${depth} deep`,
          type,
          type === patches.json ? `[{"op":"add","path":"/data/x","value":${value}}]` : `{"data":{"x":${value}}}`,
          { expect: depth > 1000 ? 400 : 422 },
        ),
      ),
    ),
  ),
  {
    name: "patches that nest what is deep already",
    method: "PATCH",
    path: `${revisions}/deep`,
    type: patches.json,
    body: `[{"op":"add","path":"/data${"/x".padEnd(2)}${"/0".repeat(980)}/-","value":${arrays(900)}}]`,
    expect: 400,
    says: tooDeep,
  },
];

const large: readonly Case[] = [
  { name: "a key of 2.9 MB", body: named("k", `"data":{"${"k".repeat(2_900_000)}":"v"}`), expect: 422 },
  { name: "an unknown key of 2.9 MB", body: named("k", `"${"k".repeat(2_900_000)}":1`), expect: 201 },
  { name: "200,000 keys", body: named("keys", `"data":{${each(200_000, (i) => `"k${i}":""`)}}`), expect: 201 },
  {
    name: "200,000 unknown keys",
    body: named(
      "unknown",
      each(200_000, (i) => `"k${i}":""`),
    ),
    expect: 201,
  },
  { name: "200,000 wrong keys", body: named("w", `"data":{${each(200_000, (i) => `"k !${i}":""`)}}`), expect: 422 },
  { name: "200,000 wrong labels", body: `{"metadata":{"name":"w","labels":{${each(200_000, (i) => `"k !${i}":""`)}}}}`, expect: 422 },
  { name: "one key 300,000 times", body: named("twice", `"data":{${each(300_000, () => '"k":""')}}`), expect: 201 },
  {
    name: "repeated keys below a path of a megabyte",
    body: `${`{"${"p".repeat(1_500)}":`.repeat(900)}{${each(200_000, () => '"k":1')}}${"}".repeat(900)}`,
    expect: 422,
  },
  {
    name: "a megabyte of space on both sides",
    body: `${" \t\r\n".repeat(250_000)}${configMap("space")}${" ".repeat(1_000_000)}`,
    expect: 201,
  },
  { name: "a megabyte of space before a mistake", body: `${" ".repeat(1_000_000)}x`, expect: 400, says: /invalid character 'x'/ },
  { name: "a million backslashes", body: `{"metadata":{"name":"b","annotations":{"a":"${"\\\\".repeat(1_000_000)}"}}}`, expect: 422 },
  { name: "a name of 2 MB", body: `{"metadata":{"name":"${"a.".repeat(1_000_000)}-"}}`, expect: 422 },
];

const digits = "1".repeat(2_900_000);
const numbers: readonly Case[] = [
  { name: "an unknown field", body: named("digits", `"x":${digits}`), expect: 201 },
  { name: "a string field", body: named("d", `"data":{"a":${digits}}`), expect: 400 },
  { name: "an integer field", path: revisions, body: named("d", `"revision":-${digits}`), expect: 400 },
  { name: "a fraction", path: revisions, body: named("d", `"revision":0.${digits}`), expect: 400 },
  { name: "an exponent", path: revisions, body: named("d", `"revision":1e${digits}`), expect: 400 },
  { name: "a quantity", path: pods, body: withCpu(`"${digits}"`), expect: 400 },
  { name: "a quantity with a fraction", path: pods, body: withCpu(`"0.${digits}Ki"`), expect: 400 },
  { name: "a quantity's exponent", path: pods, body: withCpu('"1e999999999"'), expect: 400 },
  { name: "a time", body: `{"metadata":{"name":"d","creationTimestamp":"${digits}"}}`, expect: 400 },
  { name: "a number in YAML", type: yaml, body: `metadata: {name: digits-yaml}\nx: ${digits}\n`, expect: 201 },
  patch("a number", patches.merge, `{"data":{"a":${digits}}}`, { expect: 400 }),
];

for (const [title, cases] of Object.entries({ depth: deep, size: large, digits: numbers }))
  for (const { name, method = "POST", path = configMaps, type = json, body, expect, says } of cases)
    test(`${title}: ${name}`, async () => {
      const { status, text } = await attack(method, path, type, body);
      assert.equal(status, expect, text.slice(0, 300));
      if (says !== undefined) assert.match(text, says);
    });

test("others are answered while a hundred bad bodies are read", async () => {
  const others = await target.http2();
  const attacks = Promise.all(
    Array.from({ length: 100 }, () =>
      send({ session: attacker, authorization: target.authorization }, "POST", configMaps, { body: arrays(100_000) }),
    ),
  );
  let served = 0;
  const state = { done: false };
  const finished = attacks.then((answers) => {
    state.done = true;
    return answers;
  });
  while (!state.done) {
    assert.equal((await send({ session: others, authorization: target.authorization }, "GET", `${configMaps}/victim`)).status, 200);
    served++;
  }
  for (const { status } of await finished) assert.equal(status, 400);
  assert.ok(served >= 5, `only ${served} answers`);
  others.destroy();
  // What a hundred took is not counted for the next one.
  await workOf(target);
});

function aliases(levels: number, of: (last: string) => string): string {
  let text = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (let i = 1; i < levels; i++) text += `a${i}: &a${i} ${of(`*a${i - 1}`)}\n`;
  return text;
}
const excessive = /excessive aliasing/;
const bombs: readonly Case[] = [
  { name: "billion laughs in lists", body: aliases(12, (last) => `[${each(10, () => last)}]`), expect: 400, says: excessive },
  { name: "billion laughs in maps", body: aliases(40, (last) => `{x: ${last}, y: ${last}}`), expect: 400, says: excessive },
  {
    name: "billion laughs in merges",
    body: `a0: &a0 {k: v}\n${each(40, (i) => `a${i + 1}: &a${i + 1} {<<: [*a${i}, *a${i}]}\n`).replaceAll("\n,", "\n")}`,
    expect: 400,
    says: excessive,
  },
  {
    name: "one long string 50,000 times",
    body: `a: &a "${"x".repeat(100_000)}"\nb: [${each(50_000, () => "*a")}]\n`,
    expect: 400,
    says: excessive,
  },
  { name: "an anchor that holds itself", body: "a: &a [*a]\n", expect: 400, says: /contains itself/ },
  { name: "an anchor that does not exist", body: "a: *b\n", expect: 400, says: /unknown anchor/ },
  { name: "lists, 100,000 deep", body: arrays(100_000), expect: 400, says: /max ?depth/i },
  { name: "dashes, 100,000 deep", body: `${"- ".repeat(100_000)}a`, expect: 400, says: /max ?depth/i },
  { name: "keys that are keys that are keys", body: `${"? ".repeat(100_000)}a`, expect: 400, says: /max ?depth/i },
  {
    name: "indentation, 1,700 deep",
    body: Array.from({ length: 1700 }, (_, i) => `${" ".repeat(i)}a:\n`).join(""),
    expect: 400,
    says: /max ?depth/i,
  },
  { name: "a megabyte of tabs", body: "\t".repeat(1_000_000), expect: 400 },
  { name: "a megabyte of comments", body: "# a\n".repeat(250_000), expect: 422 },
  { name: "a string that never ends", body: `a: "${"x\n".repeat(500_000)}`, expect: 400 },
  {
    name: "100,000 anchors",
    body: `metadata: {name: anchors}\n${Array.from({ length: 100_000 }, (_, i) => `k${i}: &a${i} v`).join("\n")}`,
    expect: 201,
  },
  {
    name: "a function",
    body: "metadata: {name: tag}\ndata: {x: !!js/function 'function () { throw 1 }'}\n",
    expect: 201,
    says: /"x":"function \(\) \{ throw 1 \}"/,
  },
  { name: "another version of YAML", body: "%YAML 9.9\n---\nmetadata: {name: nine}\n", expect: 400 },
  { name: "an undeclared tag", body: "metadata: {name: t}\nx: !e!x y\n", expect: 400, says: /undeclared tag/ },
];
for (const { name, body, expect, says } of bombs)
  test(`YAML: ${name}`, async () => {
    const { status, text } = await attack("POST", configMaps, yaml, body);
    assert.equal(status, expect, text.slice(0, 300));
    if (says !== undefined) assert.match(text, says);
  });

test("YAML: only the first document counts", async () => {
  assert.equal((await attack("POST", configMaps, yaml, "metadata: {name: one}\n---\nmetadata: {name: two}\n")).status, 201);
  assert.equal((await target.fresh("GET", `${configMaps}/two`)).status, 404);
});

test("memory after all of this is bounded", (t) => {
  const kb = target.residentKb();
  if (kb === undefined) return t.skip("the system does not tell how much memory a process has");
  assert.ok(kb < 1_200_000, `${kb} kB`);
});
