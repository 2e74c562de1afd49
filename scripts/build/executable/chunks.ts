/** Runs the chunks of the command's bundle, which stand in the executable and in no file system. */
import fs from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { constants, Script } from "node:vm";
import threads from "node:worker_threads";

/** Where the bytes of a chunk, its code cache (`<chunk>.cache`) and other files come from. */
export interface Assets {
  /** Undefined when there is no asset of that name. */
  read(name: string): Uint8Array | undefined;
  /** What a thread runs to have the same chunks, and the arguments that it is given after the name of its entry. */
  readonly thread: { readonly source: string; readonly args: readonly string[] };
}

export interface Chunks {
  /** Evaluates a chunk, once. @throws Error when there is none of that name */
  load(name: string): Record<string, unknown>;
  readonly loaded: ReadonlyMap<string, Script>;
}

type Wrapper = (exports: object, require: (id: string) => unknown, module: Module, filename: string, dirname: string) => void;

interface Module {
  exports: Record<string, unknown>;
}

/** Below the executable, which is a file: no path of the file system can be one of these. */
const folder = process.execPath;

export function chunksOf(assets: Assets): Chunks {
  const builtins = builtinsFor(assets);
  const modules = new Map<string, Module>();
  const loaded = new Map<string, Script>();
  const load = (name: string): Record<string, unknown> => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const module: Module = { exports: {} };
    modules.set(name, module);
    const path = join(folder, name);
    const script = compile(assets, name, path);
    loaded.set(name, script);
    const wrapper = script.runInThisContext() as Wrapper;
    wrapper(module.exports, (id) => (isBuiltin(id) ? builtins(id) : load(basename(id))), module, path, dirname(path));
    return module.exports;
  };
  return { load, loaded };
}

function compile(assets: Assets, name: string, filename: string): Script {
  const bytes = assets.read(name);
  if (bytes === undefined) throw new Error(`the executable has no ${name}`);
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const cache = assets.read(`${name}.cache`);
  return new Script(`(function (exports, require, module, __filename, __dirname) { ${source}\n})`, {
    filename,
    ...(cache === undefined ? {} : { cachedData: Buffer.from(cache.buffer, cache.byteOffset, cache.byteLength) }),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
}

/** Node's own modules, but threads run chunks, and files beside a chunk are assets. */
function builtinsFor(assets: Assets): (id: string) => unknown {
  const require = createRequire(process.execPath);
  const replaced: Readonly<Record<string, () => unknown>> = {
    worker_threads: () => ({ ...threads, Worker: threadOf(assets) }),
    fs: () => ({ ...fs, readFileSync: readerOf(assets) }),
  };
  const made = new Map<string, unknown>();
  return (id) => {
    const name = id.replace(/^node:/, "");
    const make = replaced[name];
    if (make === undefined) return require(id);
    if (!made.has(name)) made.set(name, make());
    return made.get(name);
  };
}

function threadOf({ thread }: Assets): typeof threads.Worker {
  return class Worker extends threads.Worker {
    constructor(script: string | URL, options: threads.WorkerOptions = {}) {
      super(thread.source, { ...options, eval: true, argv: [basename(fileURLToPath(script)), ...thread.args] });
    }
  };
}

function readerOf(assets: Assets): typeof fs.readFileSync {
  const readFileSync = (from: fs.PathOrFileDescriptor, options: fs.ReadFileSyncOptions | BufferEncoding | null = null): string | Buffer => {
    const path = from instanceof URL ? fileURLToPath(from) : from;
    const asset = typeof path === "string" && dirname(path) === folder ? assets.read(basename(path)) : undefined;
    if (asset === undefined) return fs.readFileSync(path, options as fs.ReadFileSyncOptions);
    const encoding = typeof options === "string" ? options : options?.encoding;
    return encoding === undefined || encoding === null ? Buffer.from(asset) : Buffer.from(asset).toString(encoding);
  };
  return readFileSync as typeof fs.readFileSync;
}
