/** Checks the invariants of a file while a server runs: on every version from the oldest that is known, and across restarts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ApiServer, type InvariantWatch, type LoadedInvariant, loadInvariants, type Report } from "@coxswain/apiserver";
import type { HistoryReader } from "@coxswain/history";
import { AsyncDisposableStack, type InvariantReport, messageOf, sleep } from "@coxswain/machinery";
import type { Store } from "@coxswain/store";
import { StartError, startErrorOf } from "../process/start-error.ts";
import { hashOf, type InvariantState, readInvariantsState, writeInvariantsState } from "./invariants-state.ts";
import { createNotifier, type NotifyOptions } from "./notify.ts";

/** How far checking is, is written so often. Milliseconds. */
const saveMs = 5_000;

export interface InvariantsPlace {
  /** Undefined: nothing is known after a restart. */
  readonly dataDir: string | undefined;
  readonly store: Pick<Store, "revision" | "compacted">;
  /** Undefined: what the store has is all that is known. */
  readonly history: HistoryReader | undefined;
  /** Whether values are stored encrypted: then messages, which may have some, are not kept. */
  readonly isEncrypted: boolean;
}

export interface StartOptions extends Omit<NotifyOptions, "server"> {
  readonly server: Pick<ApiServer, "handle" | "watchInvariants">;
}

export interface Invariants extends AsyncDisposable {
  /** `/coxswain/v1/invariants`. */
  readonly report: Report;
  /** Begins, once the server answers. */
  start(options: StartOptions): void;
}

/** Reads the file once: what is changed in it counts from the next start on. @throws StartError that says what is wrong at which line */
export async function openInvariants(file: string, place: InvariantsPlace): Promise<Invariants> {
  const loaded = await loadFile(file);
  const owned = new AsyncDisposableStack();
  let running: Promise<readonly InvariantWatch[]> | undefined;
  return {
    async report(path, _query, mayGet) {
      const watches = path.length === 0 ? await running : undefined;
      if (watches === undefined) return undefined;
      return merged(await Promise.all(watches.map((watch) => watch.report(mayGet))));
    },
    start(options) {
      running = startWatches(loaded, place, { ...options, owned });
      running.catch((error: unknown) => options.log.error({ error }, "failed to begin checking invariants: none is checked"));
    },
    async [Symbol.asyncDispose]() {
      await running?.catch(() => undefined);
      await owned.disposeAsync();
    },
  };
}

async function loadFile(file: string): Promise<readonly LoadedInvariant[]> {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw startErrorOf("--invariants", error);
  }
  try {
    return await loadInvariants(text);
  } catch (error) {
    throw new StartError(`--invariants: ${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** Those that were checked up to the same version together; each begins where it ended, or as early as anything is known. */
async function startWatches(
  loaded: readonly LoadedInvariant[],
  { dataDir, store, history, isEncrypted }: InvariantsPlace,
  { owned, ...options }: StartOptions & { readonly owned: AsyncDisposableStack },
): Promise<readonly InvariantWatch[]> {
  const { server, clock, log } = options;
  const path = dataDir === undefined ? undefined : join(dataDir, "invariants.json");
  const states = path === undefined ? [] : statesIn(path, log);
  const names = loaded.map(({ invariant }) => invariant.name);
  const notifier = owned.use(await createNotifier(names, options));
  const stop = new AbortController();
  const watches: InvariantWatch[] = [];
  const hashes = new Map(loaded.map((one) => [one.invariant.name, hashOf(one)]));
  const save = (): void => {
    if (path !== undefined)
      writeInvariantsState(
        path,
        watches.flatMap((watch) => statesOf(watch, hashes)),
        !isEncrypted,
      );
  };
  const trySave = (): void => {
    try {
      save();
    } catch (error) {
      log.warn({ error }, "failed to write how far invariants are checked");
    }
  };
  const oldest = await oldestKnown(store, history);
  for (const { members, state } of groupsOf(loaded, states, store.revision)) {
    const watch = await server.watchInvariants({
      invariants: members.map(({ invariant }) => invariant),
      ...(state === undefined ? { from: oldest } : { resume: state }),
      onViolation: (violation) => {
        notifier.notify(violation);
        trySave();
      },
      onError: (error) => log.warn({ error }, "failed to check invariants; it is tried again"),
    });
    watches.push(watch);
    owned.use(watch);
  }
  owned.defer(async () => {
    stop.abort();
    trySave();
  });
  if (path !== undefined) void saveRegularly(trySave, clock, stop.signal);
  return watches;
}

async function saveRegularly(save: () => void, clock: StartOptions["clock"], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(clock, saveMs, signal).catch(() => undefined);
    if (!signal.aborted) save();
  }
}

/** All is checked anew where they cannot be read. */
function statesIn(path: string, log: StartOptions["log"]): readonly InvariantState[] {
  try {
    return readInvariantsState(path);
  } catch (error) {
    log.warn({ error, path }, "failed to read how far invariants were checked: they are checked on all that is known");
    return [];
  }
}

/** Where a new invariant is checked first. */
async function oldestKnown(store: InvariantsPlace["store"], history: HistoryReader | undefined): Promise<number> {
  if (history === undefined) return store.compacted;
  const { oldest = store.compacted, gaps } = await history.status();
  return Math.min(store.compacted, Math.max(oldest, ...gaps.map(({ until }) => until)));
}

interface Group {
  readonly members: readonly LoadedInvariant[];
  /** Undefined: they are new. */
  readonly state: InvariantState | undefined;
}

function groupsOf(loaded: readonly LoadedInvariant[], states: readonly InvariantState[], newest: number): readonly Group[] {
  const groups = new Map<string, { readonly members: LoadedInvariant[]; state: InvariantState | undefined }>();
  for (const one of loaded) {
    const hash = hashOf(one);
    // A state that is older than what was checked is another's, or was brought back.
    const state = states.find(({ name, hash: of, checked }) => name === one.invariant.name && of === hash && checked <= newest);
    const key = state === undefined ? "" : JSON.stringify([state.from, state.checked, state.gaps]);
    const group = groups.get(key) ?? { members: [], state };
    groups.set(key, group);
    if (state !== undefined && group.state !== undefined && group.state !== state)
      group.state = { ...group.state, violations: [...group.state.violations, ...state.violations] };
    group.members.push(one);
  }
  return [...groups.values()];
}

const statesOf = (watch: InvariantWatch, hashes: ReadonlyMap<string, string>): readonly InvariantState[] => {
  const { from, checked, gaps } = watch;
  const all = [...watch.violations.list()];
  return watch.invariants.map((name) => ({
    ...{ name, hash: hashes.get(name) ?? "", from, checked, gaps },
    violations: all.filter(({ violation }) => violation.invariant === name),
  }));
};

function merged(reports: readonly InvariantReport[]): InvariantReport {
  const checked = Math.min(...reports.map(({ metadata }) => Number(metadata.resourceVersion)));
  return {
    kind: "InvariantReport",
    apiVersion: "coxswain/v1",
    metadata: { resourceVersion: String(checked) },
    invariants: reports.flatMap(({ invariants }) => invariants),
    violations: reports.flatMap(({ violations }) => violations),
  };
}
