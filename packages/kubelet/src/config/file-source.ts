/** The Pods that stand in files of a directory on the node: such files say what runs, with an API server or without. */
import { type FSWatcher, watch } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, sleep, wireTime } from "@coxswain/machinery";
import type { Pod } from "../pod/pod.ts";
import { readStaticPod } from "./read-static-pod.ts";

/** Where static Pods stand, and for which node they are. */
export interface FileSourceOptions {
  /** Absolute; of a directory whose files each hold a Pod, or of one file. */
  readonly path: string;
  readonly nodeName: string;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
}

/** A source of static Pods: the files of a folder, or one file. */
export interface FileSource {
  /** Reads what is there now. */
  read(): Promise<readonly Pod[]>;
  /** Reports all static Pods each time that something may have changed. Until the signal is aborted. */
  watch(changed: (pods: readonly Pod[]) => void, signal: AbortSignal): Promise<void>;
}

/** So often files are read, whether or not the system reports changes. */
const sweepMs = 20_000;
/** Files are written in pieces. */
const settleMs = 100;

/**
 * Makes a source of the static Pods that stand in files.
 * @see https://kubernetes.io/docs/tasks/configure-pod-container/static-pod/
 */
export const createFileSource = (options: FileSourceOptions): FileSource => new Directory(options);

interface Known {
  readonly text: string;
  /** Undefined: it is none. */
  readonly pod: Pod | undefined;
}

class Directory implements FileSource {
  readonly #options: FileSourceOptions;
  #known = new Map<string, Known>();
  #last: readonly Pod[] = [];

  constructor(options: FileSourceOptions) {
    this.#options = options;
  }

  /** What cannot be read at all is as it was before: only a file that is not there is a Pod that is to end. */
  async read(): Promise<readonly Pod[]> {
    const { log, path } = this.#options;
    try {
      const known = new Map<string, Known>();
      for (const file of await filesIn(path)) known.set(file, await this.#readFile(file));
      this.#known = known;
      this.#last = withoutTwins([...known.values()].map(({ pod }) => pod).filter((pod) => pod !== undefined));
    } catch (error) {
      log.warn({ error, path }, "failed to read static Pods");
    }
    return this.#last;
  }

  async watch(changed: (pods: readonly Pod[]) => void, signal: AbortSignal): Promise<void> {
    const { clock, path } = this.#options;
    while (!signal.aborted) {
      const woken = new AbortController();
      using _ = watching(path, () => woken.abort());
      await sleep(clock, sweepMs, AbortSignal.any([signal, woken.signal])).catch(() => undefined);
      if (woken.signal.aborted) await sleep(clock, settleMs, signal).catch(() => undefined);
      if (!signal.aborted) changed(await this.read());
    }
  }

  async #readFile(path: string): Promise<Known> {
    const { nodeName, clock, log } = this.#options;
    const text = await readFile(path, "utf8");
    const before = this.#known.get(path);
    if (before?.text === text) return before;
    try {
      return { text, pod: await readStaticPod({ text, path, nodeName, now: wireTime(clock.now()) }) };
    } catch (error) {
      log.warn({ error, path }, "failed to read a Pod from a file");
      return { text, pod: undefined };
    }
  }
}

async function filesIn(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isFile() && !entry.name.startsWith(".") ? [join(path, entry.name)] : [])).sort();
}

/** Of two files with one name the first counts. */
function withoutTwins(pods: readonly Pod[]): Pod[] {
  const seen = new Set<string>();
  return pods.filter(({ metadata }) => {
    const key = `${metadata?.namespace}/${metadata?.name}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** A system that cannot watch is swept. */
function watching(path: string, changed: () => void): Disposable {
  let watcher: FSWatcher | undefined;
  try {
    watcher = watch(path, { persistent: false }, changed);
    watcher.on("error", () => undefined);
  } catch {
    watcher = undefined;
  }
  return { [Symbol.dispose]: () => watcher?.close() };
}
