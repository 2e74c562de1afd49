/** Tables by names that clients choose: `constructor` and the like, which every object has, must not be found in them. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { root } from "../../scripts/checks/tree.ts";
import { startTarget } from "../robustness/target.ts";

/** What the names of a table are is known to the compiler, unless they are any text. */
const tableOfAnyName = /^(?:export )?const \w+: (?:Readonly<|Partial<)*Record<string,[^\n]* = \{(?!\s*__proto__: null)/gm;

const isOfTests = (file: string): boolean => /\.(?:test|fuzz)\.ts$|-under-test\.ts$|\/src\/types\/|^packages\/types\//.test(file);

const inheriting = (text: string): readonly string[] => text.match(tableOfAnyName) ?? [];

test("tables of the packages inherit nothing", () => {
  const files = globSync("packages/*/src/**/*.ts", { cwd: root }).filter((file) => !isOfTests(file));
  const texts = files.map((file) => ({ file, text: readFileSync(`${root}/${file}`, "utf8") }));
  assert.ok(texts.filter(({ text }) => text.includes("__proto__: null")).length > 40, "the check finds no tables");
  assert.deepEqual(
    texts.flatMap(({ file, text }) => inheriting(text).map((table) => `${file}: ${table}`)),
    [],
  );
});

test("the check finds tables that do", () => {
  assert.equal(
    inheriting("const a: Record<string, number> = { b: 1 };\nexport const c: Readonly<Record<string, number>> = {\n  d: 2,\n};").length,
    2,
  );
  assert.deepEqual(
    inheriting('const a: Record<string, number> = { __proto__: null as never, b: 1 };\nconst c: Record<"d", number> = { d: 1 };'),
    [],
  );
});

test("a client that names what every object has breaks nothing for others", async () => {
  await using target = await startTarget("--apiserver-only");
  for (const method of ["CONSTRUCTOR", "TOSTRING", "__PROTO__"])
    for (const path of [
      "/livez",
      "/api/v1/namespaces",
      "/apis/constructor/v1/constructor",
      "/api/v1/namespaces/default/pods/constructor/constructor",
    ])
      assert.ok((await target.fresh(method, path)).status < 500, `${method} ${path}`);
  for (const path of [
    "/api/v1/componentstatuses/constructor",
    "/apis/constructor",
    "/apis/constructor/v1",
    "/openapi/v3/apis/constructor/v1",
    "/api/v1/constructor",
    "/api/v1/namespaces/constructor/pods/constructor",
    "/api/v1/namespaces/default/pods?labelSelector=constructor",
    "/api/v1/events?fieldSelector=constructor%3Da",
    "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/constructor",
    "/apis/scheduling.k8s.io/v1/priorityclasses/constructor",
  ]) {
    const { status, text } = await target.fresh("GET", path);
    assert.ok(status < 500, `${path}: ${text}`);
  }
  const { status, text } = await target.fresh("GET", "/metrics");
  assert.equal(status, 200, text);
  assert.match(text, /verb="other"/);
});
