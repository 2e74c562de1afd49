/** Fails where packages/client/src/resources/built-in.ts is not what scripts/generate-client-resources.ts writes. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./checks/tree.ts";

const work = mkdtempSync(join(tmpdir(), "client-resources-"));
try {
  const fresh = join(work, "built-in.ts");
  const generator = spawnSync(process.execPath, [join(root, "scripts/generate-client-resources.ts"), fresh], { encoding: "utf8" });
  const committed = join(root, "packages/client/src/resources/built-in.ts");
  if (generator.status !== 0) complain(`scripts/generate-client-resources.ts failed:\n${generator.stderr}`);
  else if (readFileSync(fresh, "utf8") !== readFileSync(committed, "utf8"))
    complain("packages/client/src/resources/built-in.ts is out of date: run scripts/generate-client-resources.ts");
} finally {
  rmSync(work, { recursive: true });
}

function complain(what: string): void {
  console.error(what);
  process.exitCode = 1;
}
