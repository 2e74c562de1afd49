/** Which package or folder may import which, and which files may read the clock: the rules of layers.json on the text of the sources. */
import { resolveImport } from "./import-graph.ts";
import type { LayerTable } from "./package-layers.ts";
import { type Import, readSource } from "./source.ts";

export interface LayerRules {
  readonly packages: Readonly<Record<string, PackageRule>>;
  /** Folders of packages that otherwise run anywhere: an entry point of its own leads there, and nothing beside it may. */
  readonly nodeFolders: readonly string[];
  /** Files and folders (with a slash at the end) that only tests use, beside the `x.test.ts`: they keep to the table alone. */
  readonly testSupport: readonly string[];
  readonly timeAndChance: {
    readonly names: readonly string[];
    /** By file: which of the names it may use. */
    readonly allowed: Readonly<Record<string, readonly string[]>>;
  };
}

export interface PackageRule {
  readonly platform: "any" | "node";
  /** By package: which names may be imported from it, "*" for all. */
  readonly imports: Readonly<Record<string, "*" | readonly string[]>>;
  /** What it imports besides its dependencies, where whoever imports that part has it; scripts/build/packages.ts says in which versions. */
  readonly optionalPeers?: readonly string[];
  /** Its folders from the lowest row to the highest; see `checkPackageLayers`. */
  readonly layers?: LayerTable;
}

export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
}

/** What a package's own package.json says. */
export interface Manifest {
  readonly dependencies: ReadonlySet<string>;
  readonly exports: ReadonlySet<string>;
  /** The files behind its exports, by path from the root. */
  readonly entryPoints: readonly string[];
}

export interface Tree {
  /** By path from the root, with slashes: `packages/store/src/storage/store.ts`. */
  readonly files: ReadonlyMap<string, string>;
  /** By the name of the package's folder. */
  readonly manifests: ReadonlyMap<string, Manifest>;
}

export function checkLayers(rules: LayerRules, tree: Tree): Violation[] {
  const violations: Violation[] = [];
  for (const [file, text] of tree.files) {
    const { imports, code } = readSource(text);
    for (const one of imports) {
      for (const rule of importViolations(rules, tree, file, one)) violations.push({ file, line: one.line, rule });
    }
    if (!isTest(rules, file)) violations.push(...timeAndChance(rules.timeAndChance, file, code));
  }
  return violations;
}

const packageOf = (path: string): string | undefined => /^packages\/([^/]+)\//.exec(path)?.[1];

export function isTest({ testSupport }: LayerRules, file: string): boolean {
  return /\.(test|bench|fuzz)\.ts$/.test(file) || testSupport.some((path) => (path.endsWith("/") ? file.startsWith(path) : file === path));
}

const isInNodeFolder = ({ nodeFolders }: LayerRules, file: string): boolean => nodeFolders.some((folder) => file.startsWith(folder));

const isDependency = ({ optionalPeers = [] }: PackageRule, manifest: Manifest | undefined, name: string): boolean =>
  manifest?.dependencies.has(name) === true || optionalPeers.includes(name);

function* importViolations(rules: LayerRules, tree: Tree, file: string, { specifier, names, typeOnly }: Import): Iterable<string> {
  const from = packageOf(file);
  const rule = from === undefined ? undefined : rules.packages[from];
  const runsAnywhere = rule?.platform === "any" && !isInNodeFolder(rules, file) && !isTest(rules, file);
  if (specifier.startsWith(".")) {
    const target = packageOf(resolveImport(file, specifier));
    if (target !== undefined && target !== from) yield `deep import: ${specifier} reaches into the package ${target}; import it by name`;
    if (runsAnywhere && !typeOnly && isInNodeFolder(rules, resolveImport(file, specifier))) {
      yield `platform: ${from} runs anywhere and may not import ${specifier}`;
    }
    return;
  }
  const [, target, subpath] = /^(?:@coxswain\/)?((?<=\/)[^/]+|coxswain(?![^/]))(\/.*)?$/.exec(specifier) ?? [];
  if (target !== undefined) {
    if (subpath !== undefined && !isExported(tree.manifests.get(target), subpath)) {
      yield `deep import: ${specifier} is not exported by the package ${target}`;
    }
    if (rule !== undefined && target !== from) yield* layerViolations(rule, from ?? "", target, isTest(rules, file) ? [] : names);
    return;
  }
  if (from === undefined || rule === undefined) return;
  if (specifier.startsWith("node:")) {
    if (runsAnywhere) yield `platform: ${from} runs anywhere and may not import ${specifier}`;
    return;
  }
  const dependency = /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[0] ?? specifier;
  if (!isTest(rules, file) && !isDependency(rule, tree.manifests.get(from), dependency)) {
    yield `dependency: ${dependency} is not among the dependencies of ${from}`;
  }
}

/** Whether a package exports the path, itself or with a pattern like `./*`, which matches one segment here. */
const isExported = (manifest: Manifest | undefined, subpath: string): boolean =>
  manifest !== undefined && (manifest.exports.has(`.${subpath}`) || (manifest.exports.has("./*") && !subpath.slice(1).includes("/")));

function* layerViolations(rule: PackageRule, from: string, target: string, names: readonly string[]): Iterable<string> {
  const allowed = rule.imports[target];
  if (allowed === undefined) yield `layer: ${from} may not import ${target}`;
  else if (allowed !== "*") {
    const wrong = names.filter((name) => !allowed.includes(name));
    if (wrong.length > 0) yield `layer: ${from} may import only ${allowed.join(", ")} from ${target}, not ${wrong.join(", ")}`;
  }
}

function* timeAndChance({ names, allowed }: LayerRules["timeAndChance"], file: string, code: string): Iterable<Violation> {
  if (packageOf(file) === undefined) return;
  const forbidden = names.filter((name) => !allowed[file]?.includes(name));
  for (const [index, line] of code.split("\n").entries()) {
    for (const name of forbidden) {
      if (!usesOf(name).test(line)) continue;
      yield {
        file,
        line: index + 1,
        rule: `time and chance: ${name} only where layers.json allows it; take a Clock, a RandomSource or a log`,
      };
    }
  }
}

/** The name as a free identifier: not a property of something else, not a key, not a declaration's name. */
function usesOf(name: string): RegExp {
  const escaped = name.replace(/[.()]/g, "\\$&").replace(" ", "\\s+");
  return new RegExp(`(?<![\\w$.#"'])${escaped}${name.endsWith(")") ? "" : "(?![\\w$])(?!\\??:)"}`);
}
