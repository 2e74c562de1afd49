/** A pattern whose time grows faster than the text that it is tried on lets one request hold up all others. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { isRegularExpressionLiteral } from "typescript/unstable/ast/is";
import { lineOf, openProgram, walk } from "../../../scripts/checks/program.ts";
import { readTree, root } from "../../../scripts/checks/tree.ts";
import { installedFromNpm } from "../../conformance/client-program.ts";

interface Checked {
  readonly status: "safe" | "vulnerable" | "unknown";
  readonly complexity?: { readonly summary: string };
  readonly attack?: { readonly pattern: string };
}

type Check = (
  source: string,
  flags: string,
  options: Readonly<Record<"timeout" | "attackTimeout" | "incubationTimeout", number>>,
) => Checked;

/**
 * By the wall clock, which on a busy machine is no measure of the work: by default it gives up after ten seconds, and takes what tries an
 * attack for 1.5 s for vulnerable. So counted steps alone decide. Milliseconds.
 */
const options = { timeout: 300_000, attackTimeout: 300_000, incubationTimeout: 300_000 };

interface Pattern {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
}

test("every pattern of the packages takes linear time", async (t) => {
  const tools = await installedFromNpm("pattern-tools", join(import.meta.dirname, "recheck"), ["--omit=optional"]);
  if ("missing" in tools) return t.skip(tools.missing);
  process.env.RECHECK_SYNC_BACKEND = "pure";
  const { checkSync: check } = createRequire(join(tools.folder, "package.json"))("recheck") as { checkSync: Check };
  const known = new Map<string, string | undefined>();
  const problemOf = ({ source, flags }: Pattern): string | undefined => {
    const key = `/${source}/${flags}`;
    if (!known.has(key)) known.set(key, problem(check(source, flags, options)));
    return known.get(key);
  };
  await t.test("the check finds those that do not", () => {
    for (const source of ["0+$", "^\\d*\\.?\\d*$", "^(.*)\\['(.*)'\\]$"])
      assert.match(problemOf({ place: "", source, flags: "" }) ?? "", /polynomial/, source);
    assert.match(problemOf({ place: "", source: "^(?:a+)+$", flags: "" }) ?? "", /exponential/);
    assert.equal(problemOf({ place: "", source: "^[a-z]+$", flags: "" }), undefined);
  });
  await t.test("literals", () => assertLinear([...literals()], problemOf, 300));
  await t.test("those that are made of parts when a package is loaded", async () => assertLinear(await constructed(), problemOf, 10));
});

const problem = ({ status, complexity, attack }: Checked): string | undefined =>
  status === "safe" ? undefined : `${complexity?.summary ?? status}, as with ${attack?.pattern}`;

function assertLinear(patterns: readonly Pattern[], problemOf: (pattern: Pattern) => string | undefined, atLeast: number): void {
  assert.ok(patterns.length > atLeast, `${patterns.length} patterns`);
  const found = patterns.flatMap((pattern) => {
    const why = problemOf(pattern);
    return why === undefined ? [] : [`${pattern.place}: /${pattern.source}/${pattern.flags}: ${why}`];
  });
  assert.deepEqual(found, []);
}

function* literals(): Generator<Pattern> {
  using program = openProgram();
  for (const file of readTree().files.keys()) {
    const source = program.sourceFile(file);
    if (source === undefined || !/^packages\/[^/]+\/src\//.test(file) || file.endsWith(".test.ts")) continue;
    const found: Pattern[] = [];
    walk(source, (node) => {
      if (!isRegularExpressionLiteral(node)) return;
      const end = node.text.lastIndexOf("/");
      const place = `${file}:${lineOf(source, node.getStart(source))}`;
      found.push({ place, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    });
    yield* found;
  }
}

/** Literals do not call the constructor. */
async function constructed(): Promise<Pattern[]> {
  const made: Pattern[] = [];
  const Original = globalThis.RegExp;
  class Recorded extends Original {
    constructor(pattern: string | RegExp, flags?: string) {
      super(pattern, flags);
      made.push({ place: "made", source: this.source, flags: this.flags });
    }
  }
  globalThis.RegExp = Recorded as RegExpConstructor;
  try {
    for (const [name, { entryPoints }] of readTree().manifests)
      for (const entry of name === "coxswain" || name === "types" ? [] : entryPoints) await import(join(root, entry));
  } finally {
    globalThis.RegExp = Original;
  }
  return made;
}
