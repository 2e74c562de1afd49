/**
 * Writes packages/client/src/resources/built-in.ts from the facts of the built-in resources: a reference for each, typed.
 * Its name is the plural with the capitals of the kind (`configMaps`, `csiNodes`); where several versions or groups have
 * a resource of the same name, the first in the facts gets it, and the others have their version behind it (`eventsV1`).
 *
 * usage: node scripts/generate-client-resources.ts [OUT_FILE]
 */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./checks/tree.ts";

interface ResourceFacts {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly scope: "Cluster" | "Namespaced";
}

const committed = "packages/client/src/resources/built-in.ts";

const [outFile = join(root, committed)] = process.argv.slice(2);
const resources = JSON.parse(readFileSync(join(root, "packages/api/src/types/resources.json"), "utf8")) as readonly ResourceFacts[];
writeFileSync(outFile, formatted(contents(resources)));

function contents(all: readonly ResourceFacts[]): string {
  const groupVersions = new Map(all.map((facts) => [moduleOf(facts), facts]));
  const names = new Set<string>();
  const refs = all.map((facts) => {
    const plain = pluralOf(facts);
    const name = names.has(plain) ? `${plain}${facts.version.toUpperCase()}` : plain;
    if (names.has(name)) throw new Error(`two resources would be called ${name}`);
    names.add(name);
    const { resource, kind, scope } = facts;
    const module = moduleOf(facts);
    const define = scope === "Namespaced" ? "inNamespaces" : "inCluster";
    const where = scope === "Namespaced" ? "in namespaces" : "of the cluster";
    const doc = `/** Resource \`${resource}\` of ${facts.group === "" ? "" : `${facts.group}/`}${facts.version}, ${where}: objects of kind ${kind}. */\n`;
    return `${doc}export const ${name} = ${define}<api.${module}.${kind}>(in${capital(module)}, "${resource}", "${kind}");\n`;
  });
  return [
    "/** Every resource that Kubernetes itself has, for `client.resource(pods)`. Written by scripts/generate-client-resources.ts. */\n",
    'import type { KubeObject } from "@coxswain/machinery";\n',
    'import type * as api from "@coxswain/types";\n',
    'import type { ResourceRef } from "../contracts/resource-ref.ts";\n\n',
    "type GroupVersion = { readonly group: string; readonly version: string };\n",
    "const define = <T extends KubeObject>(gv: GroupVersion, resource: string, kind: string, namespaced: boolean): ResourceRef<T> =>",
    "({ group: gv.group, version: gv.version, resource, kind, namespaced });\n",
    "const inNamespaces = <T extends KubeObject>(gv: GroupVersion, resource: string, kind: string) => define<T>(gv, resource, kind, true);\n",
    "const inCluster = <T extends KubeObject>(gv: GroupVersion, resource: string, kind: string) => define<T>(gv, resource, kind, false);\n\n",
    ...[...groupVersions].map(([name, { group, version }]) => `const in${capital(name)} = { group: "${group}", version: "${version}" };\n`),
    "\n",
    ...refs,
  ].join("");
}

/** What @coxswain/types calls the types of a group and version: `coreV1`, `rbacV1`. */
function moduleOf({ group, version }: ResourceFacts): string {
  return `${group === "" ? "core" : group.split(".")[0]}${version.toUpperCase()}`;
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** `NetworkPolicy` and `networkpolicies` make `networkPolicies`. */
function pluralOf({ kind, resource }: ResourceFacts): string {
  let same = 0;
  while (same < resource.length && kind[same]?.toLowerCase() === resource[same]) same++;
  const plural = kind.slice(0, same) + resource.slice(same);
  return plural.replace(/^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/, (start) => start.toLowerCase());
}

function formatted(source: string): string {
  const biome = spawnSync(join(root, "node_modules/.bin/biome"), ["format", `--stdin-file-path=${committed}`], {
    cwd: root,
    input: source,
    encoding: "utf8",
  });
  if (biome.status !== 0) throw new Error(`biome failed:\n${biome.stderr}`);
  return biome.stdout;
}
