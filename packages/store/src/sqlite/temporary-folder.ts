import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

/** Paths in a folder that is removed after the tests of the calling file. */
export function temporaryFolder(): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), "coxswain-store-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return (name) => join(folder, name);
}
