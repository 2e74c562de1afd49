/**
 * Fails where packages/api/src/types and packages/types are not what follows from packages/api/reference. With `--go`, also where the reference
 * is not what the Go clients say, for which it needs Go.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./checks/tree.ts";

const committed = ["packages/api/src/types", "packages/types/src"];
const goFacts = "packages/api/reference/go-facts.json";
const work = mkdtempSync(join(tmpdir(), "api-types-"));
const failures: string[] = [];
try {
  if (generate("generate-api-types", work)) {
    const patterns = committed.map((folder) => join(folder, "*.{ts,json}"));
    const names = new Set([work, root].flatMap((cwd) => globSync(patterns, { cwd })));
    for (const name of [...names].sort()) compare(name, join(work, name), "generate-api-types");
  }
  if (process.argv.includes("--go") && generate("generate-go-facts", join(work, "go-facts.json"))) {
    compare(goFacts, join(work, "go-facts.json"), "generate-go-facts");
  }
} finally {
  rmSync(work, { recursive: true });
}
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

function generate(script: string, out: string): boolean {
  const { status, stderr } = spawnSync(process.execPath, [join(root, `scripts/${script}.ts`), out], { encoding: "utf8" });
  if (status !== 0) failures.push(`scripts/${script}.ts failed:\n${stderr}`);
  return status === 0;
}

function compare(path: string, fresh: string, script: string): void {
  if (contents(join(root, path)) !== contents(fresh)) failures.push(`${path} is not what scripts/${script}.ts writes`);
}

function contents(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
