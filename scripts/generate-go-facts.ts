/**
 * Writes packages/api/reference/go-facts.json by asking the Go clients (scripts/go-facts), for which it needs Go: how the
 * types of types.json treat their zero values.
 *
 * usage: node scripts/generate-go-facts.ts [OUT_FILE]
 */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./checks/tree.ts";

const reference = join(root, "packages/api/reference");
const [outFile = join(reference, "go-facts.json")] = process.argv.slice(2);
const types = JSON.parse(readFileSync(join(reference, "types.json"), "utf8")) as Record<string, { readonly fields?: object }>;
const options = { cwd: join(root, "scripts/go-facts"), encoding: "utf8", maxBuffer: 64 * 1024 * 1024 } as const;
const known = JSON.parse(execFileSync("go", ["run", "."], options)) as Record<string, Record<string, string>>;

const lines: string[] = [];
for (const name of Object.keys(types).sort()) {
  const facts: Record<string, string> = {};
  for (const field of Object.keys(types[name]?.fields ?? {})) {
    const go = known[name]?.[field];
    if (go === "pointer" || go === "omit") facts[field] = go;
  }
  if (Object.keys(facts).length > 0) lines.push(`${JSON.stringify(name)}:${JSON.stringify(facts)}`);
}
writeFileSync(outFile, `{\n${lines.join(",\n")}\n}\n`);
