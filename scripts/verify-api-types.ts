/**
 * Writes the facts of the built-in types anew and fails where packages/api/src/types differs: those files are never
 * edited by hand. Needs the reference data beside the repository and Go; says so and passes without them.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./checks/tree.ts";

const reference = join(root, "..", "shared", "reference");
const committed = join(root, "packages/api/src/types");

process.exitCode = main();

function main(): number {
  if (!existsSync(reference)) return skip("../shared/reference is not there");
  const facts = spawnSync("go", ["run", "."], { cwd: join(root, "scripts/go-facts"), encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (facts.error !== undefined) return skip("Go is not installed");
  if (facts.status !== 0) return complain(`scripts/go-facts failed:\n${facts.stderr}`);
  const work = mkdtempSync(join(tmpdir(), "api-types-"));
  try {
    return compareWith(work, facts.stdout);
  } finally {
    rmSync(work, { recursive: true });
  }
}

function compareWith(work: string, facts: string): number {
  const factsFile = join(work, "go-facts.json");
  const fresh = join(work, "types");
  writeFileSync(factsFile, facts);
  const generator = spawnSync(process.execPath, [join(root, "scripts/generate-api-types.ts"), reference, factsFile, fresh], {
    encoding: "utf8",
  });
  if (generator.status !== 0) return complain(`scripts/generate-api-types.ts failed:\n${generator.stderr}`);
  const names = new Set([fresh, committed].flatMap((dir) => globSync("**/*.{ts,json}", { cwd: dir })));
  const different = [...names].filter((name) => contents(join(fresh, name)) !== contents(join(committed, name))).sort();
  for (const name of different) complain(`packages/api/src/types/${name} is not what scripts/generate-api-types.ts writes`);
  return different.length === 0 ? 0 : 1;
}

function contents(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

function skip(why: string): number {
  console.error(`not checked: ${why}`);
  return 0;
}

function complain(what: string): number {
  console.error(what);
  return 1;
}
