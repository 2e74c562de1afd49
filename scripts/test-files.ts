/** Which files are tests, which of them need more than npm, and which may share a process. */
import { globSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./checks/tree.ts";

const everyFile = ["scripts/**/*.test.ts", "packages/*/src/**/*.test.ts", "examples/*.test.ts", "tests/**/*.test.ts"];

/** Programs of other languages and what their registries have, containers, etcd, a browser: only with `--all`. */
const needMore = [
  "tests/browser/*.test.ts",
  "tests/conformance/{aggregation,cel,cert-manager,client-go,client-go-streams,controller-runtime,gatekeeper,helm,java,javascript,kyverno,protobuf,python,rust}.test.ts",
  "tests/controllers/foreign.test.ts",
  "tests/dns/resolvers/*.test.ts",
  "tests/etcd/*.test.ts",
  "tests/docs/{api-docs,commands,s3-stand-in,site}.test.ts",
  "tests/kubelet/cri-runtime.test.ts",
  "tests/kubelet/real-containers/*.test.ts",
  "tests/kubelet/streams/{client-go,python}.test.ts",
  "tests/network-policy/*.test.ts",
  "tests/packages/*.test.ts",
  "tests/proxied-requests/*.test.ts",
  "tests/proxy/*.test.ts",
  "tests/robustness/cluster/porcupine.test.ts",
  "tests/robustness/cluster/recording/real-processes.test.ts",
  "tests/scheduler/foreign.test.ts",
  "tests/servers/*.test.ts",
  "tests/security/patterns/*.test.ts",
];

/** Share a process with others of their folder, which saves loading the same modules for each: no servers but in process. */
const share = [
  "packages/*/src/**/*.test.ts",
  "scripts/**/*.test.ts",
  "tests/{client,controllers,integration,scheduler,testing}/**/*.test.ts",
];

/** Start or end processes, measure their own, or change what is one for the whole process. */
const alone = [
  "packages/client/src/node/credentials.test.ts",
  "packages/coxswain/src/cluster/certificate-lifetime.test.ts",
  "packages/kubelet/src/process/*.test.ts",
  "packages/store/src/{etcd,sqlite,transfer}/*.test.ts",
  "tests/client/{contention,controller-lifetime,leaks}.test.ts",
  "tests/testing/{failure-recordings,loading,simulated-network,use-cluster-process}.test.ts",
  "tests/**/second-process.test.ts",
  "tests/**/*-faults.test.ts",
  "tests/**/*kubectl.test.ts",
];

/** Modules of tests whose servers and stores are for all files of a process, and the folders of these: their hooks belong to no single file. */
const shared = [
  { module: "tests/client/each-server.ts", folder: "tests/client" },
  { module: "tests/store-under-test.ts", folder: "tests" },
];

const filesPerProcess = 50;

interface TestFilesOptions {
  readonly all: boolean;
  /** A folder for the files that start the shared processes. */
  readonly entries: string;
  readonly isWanted?: (file: string) => boolean;
}

/** What `node --test` is given for a whole run. */
export function testFiles({ all, entries, isWanted = () => true }: TestFilesOptions): string[] {
  const more = new Set(matching(needMore));
  const own = new Set(matching(alone));
  const chosen = matching(everyFile).filter((file) => isWanted(file) && (all || !more.has(file)));
  const together = new Set(matching(share).filter((file) => !own.has(file) && !more.has(file)));
  rmSync(entries, { recursive: true, force: true });
  mkdirSync(entries, { recursive: true });
  const grouped = groups(
    chosen.filter((file) => together.has(file)),
    entries,
  );
  return [...grouped, ...chosen.filter((file) => !together.has(file))];
}

/** The same for files, folders, patterns and options that somebody names: the files of a folder are those of a whole run. */
export function chosenFiles(chosen: readonly string[], options: Parameters<typeof testFiles>[0]): string[] {
  const isFolder = (name: string): boolean => statSync(join(root, name), { throwIfNoEntry: false })?.isDirectory() ?? false;
  const folders = chosen.filter(isFolder).map((name) => `${relative(root, join(root, name))}/`);
  const others = chosen.filter((name) => !isFolder(name));
  const isInside = (file: string): boolean => folders.some((folder) => file.startsWith(folder));
  return folders.length === 0 ? others : [...testFiles({ ...options, isWanted: isInside }), ...others];
}

const matching = (patterns: readonly string[]): string[] => globSync([...patterns], { cwd: root }).sort();

/** One file for each process, which imports the tests of a package or of a folder of `tests`. */
function* groups(files: readonly string[], entries: string): Iterable<string> {
  for (const [name, members] of Map.groupBy(files, (file) => file.split("/", file.startsWith("scripts/") ? 1 : 2).join("-")))
    for (let part = 0; part * filesPerProcess < members.length; part++) {
      const entry = join(entries, `${name}-${part + 1}.mjs`);
      writeFileSync(entry, entryFor(members.slice(part * filesPerProcess, (part + 1) * filesPerProcess)));
      yield entry;
    }
}

/** What a user imports waits while it loads, for its hooks; `require` takes no module that waits. */
const testing = pathToFileURL(join(root, "packages/coxswain/src/testing/index.ts")).href;

/**
 * A suite for each file, so that hooks concern the tests of their own file only. Loaded with
 * `require`, which returns when all tests are defined: with `import` it is unknown to which suite they belong.
 */
function entryFor(files: readonly string[]): string {
  const path = (file: string): string => JSON.stringify(join(root, file));
  const needed = shared.filter(({ folder }) => files.some((file) => file.startsWith(`${folder}/`)));
  return [
    'import { createRequire, registerHooks } from "node:module";',
    'import { describe } from "node:test";',
    `const testing = { url: ${JSON.stringify(testing)}, format: "module-typescript", shortCircuit: true };`,
    'registerHooks({ resolve: (name, context, next) => (name === "coxswain/testing" ? testing : next(name, context)) });',
    "const require = createRequire(import.meta.url);",
    ...needed.map(({ module }) => `require(${path(module)});`),
    ...files.map((file) => `describe(${JSON.stringify(file)}, () => void require(${path(file)}));`),
    "",
  ].join("\n");
}
