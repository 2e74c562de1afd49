/** One document of OpenAPI 2.0 of several: names that mean something else in another document are made different. */
import { deepEqual, isObject } from "@coxswain/machinery";
import type { Swagger } from "./v2.ts";

type Section = Record<string, unknown>;

/** What is the same for everything that speaks Kubernetes' API: one wording is enough. */
const shared = "io.k8s.apimachinery.";

/** Of the others, only what their paths refer to. */
export function mergeSwaggers(own: Swagger, others: readonly Swagger[]): Swagger {
  if (others.length === 0) return own;
  const paths: Section = { ...sectionOf(own, "paths") };
  const definitions: Section = { ...sectionOf(own, "definitions") };
  const parameters: Section = { ...sectionOf(own, "parameters") };
  for (const other of others) {
    const used = { definitions: usedOf(other, "definitions"), parameters: usedOf(other, "parameters") };
    const renamed = new Map([
      ...namesFor("definitions", used.definitions, definitions),
      ...namesFor("parameters", used.parameters, parameters),
    ]);
    for (const [path, item] of Object.entries(sectionOf(other, "paths"))) if (!(path in paths)) paths[path] = withRefs(item, renamed);
    for (const [section, target] of [
      ["definitions", definitions],
      ["parameters", parameters],
    ] as const)
      for (const [name, value] of used[section]) {
        const newName = renamed.get(refTo(section, name));
        if (newName !== undefined) target[newName.slice(newName.lastIndexOf("/") + 1)] = withRefs(value, renamed);
      }
  }
  return { ...own, paths, definitions, parameters };
}

type SectionName = "definitions" | "parameters";

const refTo = (section: SectionName, name: string): string => `#/${section}/${name}`;

const sectionOf = (swagger: Swagger, name: "paths" | SectionName): Section => {
  const section = swagger[name];
  return isObject(section) ? (section as Section) : {};
};

/** What the paths refer to, also by way of other definitions. */
function usedOf(swagger: Swagger, name: SectionName): ReadonlyMap<string, unknown> {
  const sections = { definitions: sectionOf(swagger, "definitions"), parameters: sectionOf(swagger, "parameters") };
  const found = new Map<string, unknown>();
  const seen = new Set<string>();
  const todo: unknown[] = [sectionOf(swagger, "paths")];
  for (let value = todo.pop(); value !== undefined; value = todo.pop()) {
    if (Array.isArray(value)) todo.push(...value.filter((one) => typeof one === "object" && one !== null));
    if (!isObject(value)) continue;
    for (const inner of Object.values(value)) if (typeof inner === "object" && inner !== null) todo.push(inner);
    const { $ref } = value as { readonly $ref?: unknown };
    if (typeof $ref !== "string" || seen.has($ref)) continue;
    seen.add($ref);
    const [, section, referred = ""] = /^#\/(definitions|parameters)\/(.+)$/.exec($ref) ?? [];
    const target = section === "definitions" || section === "parameters" ? sections[section][referred] : undefined;
    if (target === undefined) continue;
    if (section === name) found.set(referred, target);
    todo.push(target);
  }
  return found;
}

/** New references by old ones; none where what is there already serves. */
function namesFor(section: SectionName, used: ReadonlyMap<string, unknown>, there: Section): [string, string][] {
  const names: [string, string][] = [];
  const taken = new Set(Object.keys(there));
  for (const [name, value] of used) {
    if (name in there && (name.startsWith(shared) || deepEqual(there[name], value))) continue;
    let newName = name;
    for (let n = 2; taken.has(newName); n++) newName = `${name}_v${n}`;
    taken.add(newName);
    names.push([refTo(section, name), refTo(section, newName)]);
  }
  return names;
}

function withRefs(value: unknown, renamed: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(value)) return value.map((one) => withRefs(one, renamed));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === "$ref" && typeof inner === "string" ? (renamed.get(inner) ?? inner) : withRefs(inner, renamed),
    ]),
  );
}
