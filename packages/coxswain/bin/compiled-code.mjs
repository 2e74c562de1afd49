// What V8 has compiled is kept for the next start, by Node's cache, which knows it by the path and content of the source, by
// version of Node, processor and user, and writes a file as a whole or not at all.
import { mkdirSync, statSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/** A start has called what the next one calls; what was loaded in its first second is not loaded later. */
const flushAfterMs = 1_000;

/**
 * For what `args` are going to run, and for its threads. NODE_DISABLE_COMPILE_CACHE=1 keeps it off, and NODE_COMPILE_CACHE says where.
 * @param args of the command
 * @param folder by default in the cache of this user
 */
export function keepCompiledCode(args, folder = ownFolder()) {
  // Node never adds to what it has kept of a file: what only prints a text would leave nothing of what a start calls.
  if (folder === undefined || args.some((word) => /^(?:help|-h|--help|-V|--version)$/.test(word))) return;
  // Nor are a server's functions those that `coxswain status` calls of the same file.
  const name = /^[a-z][a-z-]*$/.test(args[0] ?? "") ? args[0] : "server";
  // Bun and Deno have no such cache.
  module.enableCompileCache?.(join(folder, name));
  const used = module.getCompileCacheDir?.();
  if (used === undefined) return;
  process.env.NODE_COMPILE_CACHE ??= join(folder, name); // for worker threads
  // A server that is killed could not do it at its end.
  setTimeout(() => module.flushCompileCache?.(), flushAfterMs).unref();
}

/**
 * Has V8's quick compiler take what was called 150 times instead of 400: the first thousands of writes cost a server some percent less, later ones
 * as much as before. Once the server has started, which that would not help.
 */
export function compileSooner() {
  if (process.versions.bun !== undefined || process.versions.deno !== undefined) return;
  const set = async () => (await import("node:v8")).setFlagsFromString("--invocation-count-for-maglev=150");
  setTimeout(() => void set(), flushAfterMs).unref();
}

/** Compiled code is run unread, so it is kept where nobody else writes, as they do where Node would put it. Undefined where there is no such place. */
function ownFolder() {
  const { XDG_CACHE_HOME: cache = "" } = process.env;
  try {
    const folder = join(isAbsolute(cache) ? cache : join(homedir(), ".cache"), "coxswain", "compiled");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { uid, mode } = statSync(folder);
    return uid === process.getuid?.() && (mode & 0o022) === 0 ? folder : undefined;
  } catch {
    return undefined; // No home, or one that takes no files, as in many containers.
  }
}
