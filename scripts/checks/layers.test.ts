import assert from "node:assert/strict";
import { test } from "node:test";
import { checkLayers, type LayerRules } from "./layers.ts";

const rules: LayerRules = {
  packages: {
    machinery: { platform: "any", imports: {} },
    store: { platform: "node", imports: { machinery: ["Clock", "sleep"] } },
    coxswain: { platform: "node", imports: { machinery: "*", store: "*" } },
  },
  nodeFolders: ["packages/machinery/src/node/"],
  testSupport: ["packages/store/src/contract/", "packages/store/src/killer.ts"],
  timeAndChance: {
    names: ["Date.now", "new Date()", "setTimeout", "console"],
    allowed: { "packages/machinery/src/time/system.ts": ["Date.now"] },
  },
};
const manifests = new Map([
  ["machinery", { dependencies: new Set(["js-yaml"]), exports: new Set(["."]), entryPoints: [] }],
  ["store", { dependencies: new Set<string>(), exports: new Set([".", "./contract"]), entryPoints: [] }],
  ["coxswain", { dependencies: new Set(["@peculiar/x509"]), exports: new Set(["."]), entryPoints: [] }],
]);

const cases: readonly { name: string; files: Record<string, string>; expect: string[] }[] = [
  {
    name: "a package imports what its layer allows",
    files: { "packages/coxswain/src/a.ts": 'import { x } from "@coxswain/store";' },
    expect: [],
  },
  {
    name: "a lower layer imports a higher one",
    files: { "packages/machinery/src/a.ts": '\nimport type { Store } from "@coxswain/store";' },
    expect: ["packages/machinery/src/a.ts:2: layer: machinery may not import store"],
  },
  {
    name: "only some names of a layer",
    files: {
      "packages/store/src/a.ts":
        'import { type Clock, sleep } from "@coxswain/machinery";\nimport { quantity as q } from "@coxswain/machinery";',
    },
    expect: ["packages/store/src/a.ts:2: layer: store may import only Clock, sleep from machinery, not quantity"],
  },
  {
    name: "everything of a layer where only some names are allowed",
    files: { "packages/store/src/a.ts": 'export * from "@coxswain/machinery";' },
    expect: ["packages/store/src/a.ts:1: layer: store may import only Clock, sleep from machinery, not *"],
  },
  {
    name: "deep imports by name",
    files: { "packages/coxswain/src/a.ts": 'import { x } from "@coxswain/store/src/x.ts";\nimport { y } from "@coxswain/store/contract";' },
    expect: ["packages/coxswain/src/a.ts:1: deep import: @coxswain/store/src/x.ts is not exported by the package store"],
  },
  {
    name: "deep imports by path, over several lines, and from tests of the whole",
    files: { "tests/integration/a.ts": 'import {\n  x,\n} from "../../packages/store/src/x.ts";' },
    expect: ["tests/integration/a.ts:3: deep import: ../../packages/store/src/x.ts reaches into the package store; import it by name"],
  },
  {
    name: "node: in a package that runs anywhere, also when loaded late",
    files: {
      "packages/machinery/src/a.ts": 'import "node:fs";\nconst os = await import("node:os");',
      "packages/machinery/src/a.test.ts": 'import "node:test";',
    },
    expect: [
      "packages/machinery/src/a.ts:1: platform: machinery runs anywhere and may not import node:fs",
      "packages/machinery/src/a.ts:2: platform: machinery runs anywhere and may not import node:os",
    ],
  },
  {
    name: "a folder for Node in a package that runs anywhere, and who leads there",
    files: {
      "packages/machinery/src/node/a.ts": 'import "node:fs";\nimport "./b.ts";\nimport "../c.ts";',
      "packages/machinery/src/node/b.ts": "",
      "packages/machinery/src/c.ts": 'import type { b } from "./node/b.ts";\nimport { b2 } from "./node/b.ts";',
    },
    expect: ["packages/machinery/src/c.ts:2: platform: machinery runs anywhere and may not import ./node/b.ts"],
  },
  {
    name: "dependencies that the package does not name",
    files: { "packages/coxswain/src/a.ts": 'import x from "@peculiar/x509";\nimport y from "js-yaml/dist/x.js";' },
    expect: ["packages/coxswain/src/a.ts:2: dependency: js-yaml is not among the dependencies of coxswain"],
  },
  {
    name: "the clock outside the clock",
    files: {
      "packages/store/src/a.ts":
        "const t = Date.now();\nsetTimeout(() => {}, 1);\nconst d = new Date();\nconsole.log(1);\nconst f = () => new Date(t);",
      "packages/machinery/src/time/system.ts": "export const now = () => Date.now();\nsetTimeout(now);",
      "packages/store/src/a.test.ts": "Date.now();",
      "scripts/a.ts": "Date.now();",
    },
    expect: [
      "packages/store/src/a.ts:1: time and chance: Date.now only where layers.json allows it; take a Clock, a RandomSource or a log",
      "packages/store/src/a.ts:2: time and chance: setTimeout only where layers.json allows it; take a Clock, a RandomSource or a log",
      "packages/store/src/a.ts:3: time and chance: new Date() only where layers.json allows it; take a Clock, a RandomSource or a log",
      "packages/store/src/a.ts:4: time and chance: console only where layers.json allows it; take a Clock, a RandomSource or a log",
      "packages/machinery/src/time/system.ts:2: time and chance: setTimeout only where layers.json allows it; take a Clock, a RandomSource or a log",
    ],
  },
  {
    name: "names in comments, strings, properties, keys and types are not uses",
    files: {
      "packages/store/src/a.ts": [
        "// Date.now() and import 'node:x'",
        "/* setTimeout(\n console */",
        'const s = "Date.now()" + `console ${1 + 1}` + \'import "node:fs"\';',
        "session.setTimeout(5);",
        "const o = { setTimeout: 1 };",
        "const r = /[\"'`]console/;",
        'const q = "unbalanced \\" quote"; type T = ReturnType<typeof o.console>;',
      ].join("\n"),
    },
    expect: [],
  },
  {
    name: "what only tests use may use the clock and any dependency, but no higher layer",
    files: {
      "packages/store/src/contract/suite.ts": 'import { x } from "fast-check";\nDate.now();\nimport { y } from "coxswain";',
      "packages/store/src/killer.ts": 'import { systemClock } from "@coxswain/machinery";',
      "packages/store/src/killer2.ts": "Date.now();",
    },
    expect: [
      "packages/store/src/contract/suite.ts:3: layer: store may not import coxswain",
      "packages/store/src/killer2.ts:1: time and chance: Date.now only where layers.json allows it; take a Clock, a RandomSource or a log",
    ],
  },
  {
    name: "code inside a template is code",
    files: { "packages/store/src/a.ts": "const s = `at ${Date.now()}`;" },
    expect: [
      "packages/store/src/a.ts:1: time and chance: Date.now only where layers.json allows it; take a Clock, a RandomSource or a log",
    ],
  },
];
for (const { name, files, expect } of cases) {
  test(`layers: ${name}`, () => {
    const violations = checkLayers(rules, { files: new Map(Object.entries(files)), manifests });
    assert.deepEqual(
      violations.map(({ file, line, rule }) => `${file}:${line}: ${rule}`),
      expect,
    );
  });
}
