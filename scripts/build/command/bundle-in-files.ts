/** The bundle of the command as it stands in files: in the published package, and in a clone for `npm start`. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleCommand } from "./bundle-command.ts";

/** What the bundle has of our packages is what modules of users get. A hook makes every load slower, and a start has many: so it waits for them. */
const beforeUsers = join(import.meta.dirname, "provide-own-packages.ts");

/** `target`: what is to understand it. Writes to `outDir`, which it empties first, and returns the ids of all modules that went in. @throws Error for whatever the bundler warns of */
export async function bundleInFiles(outDir: string, target?: string): Promise<string[]> {
  const modules = await bundleCommand(outDir, { beforeUsers, target });
  // The package around it is one of modules.
  writeFileSync(join(outDir, "package.json"), '{ "type": "commonjs" }\n');
  return modules;
}
