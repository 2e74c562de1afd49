import assert from "node:assert/strict";
import { test } from "node:test";
import { compareKnown, countBy } from "./findings.ts";
import { checkPackageLayers, type LayerTable } from "./package-layers.ts";

const table: LayerTable = [["contracts"], ["http", "storage"], ["effects"], ["effects/pods"], ["server"]];

const cases: readonly { name: string; table?: LayerTable; files: Record<string, string>; expect: string[] }[] = [
  {
    name: "a file may import its own folder and lower rows",
    table,
    files: {
      "index.ts": 'export * from "./server/start.ts";',
      "server/start.ts": 'import { a } from "../http/a.ts";\nimport "./stop.ts";',
      "server/stop.ts": "",
      "http/a.ts": 'import type { c } from "../contracts/deep/c.ts";',
      "contracts/deep/c.ts": "",
    },
    expect: [],
  },
  {
    name: "an import of a type from a higher row is an arrow up",
    table,
    files: { "contracts/c.ts": '\nimport type { A } from "../http/a.ts";', "http/a.ts": "" },
    expect: ["contracts/c.ts:2: arrow: contracts may not import http/a.ts: http stands in a higher row"],
  },
  {
    name: "a type named by import() is an import, too",
    table,
    files: { "contracts/c.ts": 'export type A = import("../http/a.ts").A;', "http/a.ts": "" },
    expect: ["contracts/c.ts:1: arrow: contracts may not import http/a.ts: http stands in a higher row"],
  },
  {
    name: "folders of one row do not import each other",
    table,
    files: { "storage/s.ts": 'import { a } from "../http/a.ts";', "http/a.ts": "" },
    expect: ["storage/s.ts:1: arrow: storage may not import http/a.ts: http stands in the same row"],
  },
  {
    name: "the longest prefix that is named decides",
    table,
    files: {
      "effects/pods/bind.ts": 'import { e } from "../effect.ts";',
      "effects/effect.ts": 'import { b } from "./pods/bind2.ts";',
      "effects/pods/bind2.ts": "",
      "effects/nodes/n.ts": 'import { e } from "../effect.ts";',
    },
    expect: ["effects/effect.ts:1: arrow: effects may not import effects/pods/bind2.ts: effects/pods stands in a higher row"],
  },
  {
    name: "nothing imports index.ts",
    table,
    files: { "server/start.ts": 'import { x } from "../index.ts";', "index.ts": "" },
    expect: ["server/start.ts:1: arrow: server may not import index.ts: index.ts stands in a higher row"],
  },
  {
    name: "a folder without a row, and a file beside index.ts",
    table,
    files: { "watch/hub.ts": "", "context.ts": "", "context.test.ts": "" },
    expect: [
      "watch/hub.ts:1: place: watch/ is in no row of the package's layers in layers.json",
      "context.ts:1: place: only what the package exports, index.ts for example, stands outside a folder",
    ],
  },
  {
    name: "another file that the package exports",
    table,
    files: { "dynamic.ts": 'export * from "./server/start.ts";', "server/start.ts": "" },
    expect: [],
  },
  {
    name: "tests may import what they like",
    table,
    files: { "contracts/c.test.ts": 'import { a } from "../http/a.ts";', "http/a.ts": "" },
    expect: [],
  },
  {
    name: "each import of a circle, of types as well, with the shortest way back",
    files: {
      "a.ts": 'import { b } from "./b.ts";\nimport { d } from "./d.ts";',
      "b.ts": 'import type { c } from "./c.ts";',
      "c.ts": 'export type { a } from "./a.ts";',
      "d.ts": "",
    },
    expect: [
      "a.ts:1: circle: a.ts → b.ts → c.ts → a.ts",
      "b.ts:1: circle: b.ts → c.ts → a.ts → b.ts",
      "c.ts:1: circle: c.ts → a.ts → b.ts → c.ts",
    ],
  },
  {
    name: "a file that imports itself",
    files: { "a.ts": 'import type { b } from "./a.ts";' },
    expect: ["a.ts:1: circle: a.ts → a.ts"],
  },
];
for (const { name, table: layers, files, expect } of cases) {
  test(`layers of a package: ${name}`, () => {
    const source = "packages/shop/src/";
    const tree = new Map(Object.entries(files).map(([path, text]) => [`${source}${path}`, text]));
    const tables = new Map(layers === undefined ? [] : [["shop", layers]]);
    const entryPoints = new Set([`${source}index.ts`, `${source}dynamic.ts`]);
    const findings = checkPackageLayers({ tables, entryPoints, isTest: (file) => file.endsWith(".test.ts") }, tree);
    assert.deepEqual(findings.map(({ file, line, rule }) => `${file}:${line}: ${rule}`.replaceAll(source, "")).sort(), expect.toSorted());
    assert.ok(findings.every((finding) => finding.package === "shop"));
  });
}

test("known findings: more than known fail, fewer ask for a lower number", () => {
  const found = countBy(["api", "api", "kubelet"], (place) => place);
  assert.deepEqual(compareKnown({ api: 1, store: 3 }, found), {
    more: [
      { place: "api", known: 1, found: 2 },
      { place: "kubelet", known: 0, found: 1 },
    ],
    fewer: [{ place: "store", known: 3, found: 0 }],
  });
});
