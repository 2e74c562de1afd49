/**
 * Runs the command as the executable does, until it serves, and keeps what V8 has compiled by then, so that a start of the
 * executable compiles none of it. usage: node record.cjs FOLDER SCRATCH; in a thread: ENTRY FOLDER
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { chunksOf } from "./chunks.ts";

const [first = "", second = ""] = process.argv.slice(2);
if (isMainThread) void record(first, second);
else chunksIn(second).load(first);

async function record(folder: string, scratch: string): Promise<void> {
  const { load, loaded } = chunksIn(folder);
  const { runCommand } = load("command.js") as { runCommand(args: readonly string[]): Promise<void> };
  await runCommand(["--port=0", `--data-dir=${join(scratch, "data")}`, `--kubeconfig=${join(scratch, "kubeconfig")}`, "--log-level=warn"]);
  if (process.exitCode !== undefined) return;
  // The rest is compiled where it begins, without what runs only when it is called.
  for (const name of globSync("*.js", { cwd: folder })) if (!isForBrowsers(name)) load(name);
  for (const [name, script] of loaded) writeFileSync(join(folder, `${name}.cache`), script.createCachedData());
  process.kill(process.pid, "SIGTERM");
}

/** The scripts of pages, as `bundlePage` names them. */
const isForBrowsers = (name: string): boolean => name.endsWith("-page.js");

function chunksIn(folder: string): ReturnType<typeof chunksOf> {
  const path = (name: string): string => join(folder, name);
  return chunksOf({
    read: (name) => (existsSync(path(name)) ? readFileSync(path(name)) : undefined),
    get thread() {
      return { source: readFileSync(path("record.cjs"), "utf8"), args: [folder] };
    },
  });
}
