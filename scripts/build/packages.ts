/** What is published: the packages of this repository, and what a build has to know of each beyond its manifest. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../checks/tree.ts";

/** The oldest Node whose `node:sqlite`, module hooks and iterator helpers suffice. */
export const oldestNode = "22.15.0";

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly license: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
}

export interface Package {
  /** The folder in `packages`. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** Modules that nothing imports: what threads run, by the name they are published under, from the package's folder. */
  readonly threads: Readonly<Record<string, string>>;
  /** Files that modules read beside themselves. */
  readonly assets: readonly string[];
  /** Dependencies that become part of the package: those of which little is used. */
  readonly bundled: readonly string[];
  /** What an entry point needs that only some import, by the versions that it takes: whoever imports that has it. */
  readonly optionalPeers: Readonly<Record<string, string>>;
  /** Entry points that do something by being imported. */
  readonly sideEffects: readonly string[];
}

interface Particulars {
  readonly threads?: Readonly<Record<string, string>>;
  readonly assets?: readonly string[];
  readonly bundled?: readonly string[];
  readonly optionalPeers?: Readonly<Record<string, string>>;
  readonly sideEffects?: readonly string[];
}

/** In the order of publishing: each after those that it depends on. */
const particulars: Readonly<Record<string, Particulars>> = {
  machinery: { bundled: ["js-yaml"] },
  types: {},
  pki: {},
  cel: {},
  schema: {},
  apply: {},
  api: {},
  grpc: {},
  store: { threads: { worker: "src/sqlite/worker.ts" } },
  history: { threads: { "history-worker": "src/thread/history-worker.ts" } },
  ui: {},
  apiserver: { threads: { "offload-thread": "src/server/offload-thread.ts" } },
  client: {},
  controllers: {},
  scheduler: {},
  dns: {},
  proxy: {},
  "network-policy": {},
  kubelet: { assets: ["src/cri/cri.proto"] },
  coxswain: {
    threads: {
      "component-thread": "src/threads/component-thread.ts",
      "server-thread": "src/servers/server-thread.ts",
      "race-thread": "src/races/sandbox/race-thread.ts",
    },
    // Not in the package's own manifest: they are not installed here, and would stand in everybody's lockfile.
    optionalPeers: { "@jest/globals": ">=29", vitest: ">=3.2" },
    sideEffects: ["./testing/jest", "./testing/vitest"],
  },
};

export function publishedPackages(): Package[] {
  return Object.entries(particulars).map(([folder, { threads = {}, assets = [], bundled = [], optionalPeers = {}, sideEffects = [] }]) => {
    const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as Manifest;
    return { folder, manifest, threads, assets, bundled, optionalPeers, sideEffects };
  });
}

/** `./node` and its source `src/node/index.ts` are published as `node.js`; `.` as `index.js`. */
export const entryName = (subpath: string): string => (subpath === "." ? "index" : subpath.slice("./".length));

/** The source of each entry point by its path in the package; patterns like `./*` stand for types alone. */
export const entrySources = ({ exports }: Manifest): [subpath: string, source: string][] =>
  Object.entries(exports).map(([subpath, target]) => [subpath, typeof target === "string" ? target : target.types]);
