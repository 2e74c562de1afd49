/**
 * Fails where the TypeScript in packages/api/src/types is not what follows from the facts beside it. With the folder of the
 * reference data as an argument, also where the facts are not what follows from that and from the Go clients, for which it
 * needs Go.
 */
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readFacts, typescriptFiles } from "./api-types.ts";
import { root } from "./checks/tree.ts";

const committed = join(root, "packages/api/src/types");
const [reference] = process.argv.slice(2);

const failures = reference === undefined ? differences(typescriptFiles(readFacts(committed)), "*.ts") : generatedFrom(reference);
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

function differences(fresh: ReadonlyMap<string, string>, pattern: string): string[] {
  const names = new Set([...fresh.keys(), ...globSync(pattern, { cwd: committed })]);
  return [...names]
    .filter((name) => fresh.get(name) !== contents(join(committed, name)))
    .sort()
    .map((name) => `packages/api/src/types/${name} is not what scripts/generate-api-types.ts writes`);
}

function generatedFrom(folder: string): string[] {
  const facts = spawnSync("go", ["run", "."], { cwd: join(root, "scripts/go-facts"), encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  if (facts.error !== undefined) return [`Go did not start: ${facts.error.message}`];
  if (facts.status !== 0) return [`scripts/go-facts failed:\n${facts.stderr}`];
  const work = mkdtempSync(join(tmpdir(), "api-types-"));
  try {
    const factsFile = join(work, "go-facts.json");
    const fresh = join(work, "types");
    writeFileSync(factsFile, facts.stdout);
    const args = [join(root, "scripts/generate-api-types.ts"), folder, factsFile, fresh];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    if (status !== 0) return [`scripts/generate-api-types.ts failed:\n${stderr}`];
    const written = globSync("*.{ts,json}", { cwd: fresh }).map((name) => [name, readFileSync(join(fresh, name), "utf8")] as const);
    return differences(new Map(written), "*.{ts,json}");
  } finally {
    rmSync(work, { recursive: true });
  }
}

function contents(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}
