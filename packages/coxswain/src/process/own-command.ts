/** How this coxswain is started again, by itself or by others. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isSea } from "node:sea";
import { fileURLToPath } from "node:url";

/** The words before the arguments. */
export const ownCommand = (): string[] => (isSea() ? [process.execPath] : [process.execPath, ownFile()]);

/** What belongs to this package, whichever program has started the cluster. What is bundled is run by the command alone. */
function ownFile(): string {
  const path = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "../../bin/coxswain.mjs" : "../bin/coxswain.mjs", import.meta.url));
  return existsSync(path) ? path : resolve(process.argv[1] ?? "");
}
