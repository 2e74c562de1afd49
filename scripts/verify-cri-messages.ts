/** Fails where packages/kubelet/src/cri/messages/ is not what scripts/generate-cri-messages.ts writes from cri.proto. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./checks/tree.ts";

const fresh = mkdtempSync(join(tmpdir(), "cri-messages-"));
const committed = join(root, "packages/kubelet/src/cri/messages");
try {
  const generator = spawnSync(process.execPath, [join(root, "scripts/generate-cri-messages.ts"), fresh], { encoding: "utf8" });
  if (generator.status !== 0) complain(`scripts/generate-cri-messages.ts failed:\n${generator.stderr}`);
  else if (textOf(fresh) !== textOf(committed))
    complain("packages/kubelet/src/cri/messages is out of date: run scripts/generate-cri-messages.ts");
} finally {
  rmSync(fresh, { recursive: true });
}

function textOf(folder: string): string {
  const names = readdirSync(folder).toSorted();
  return names.map((name) => `${name}\n${readFileSync(join(folder, name), "utf8")}`).join("");
}

function complain(what: string): void {
  console.error(what);
  process.exitCode = 1;
}
