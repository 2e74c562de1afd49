/** Files of the repository and which of them import which, by relative paths; an import of a type counts like any other. */
import { posix } from "node:path";
import { readSource } from "./source.ts";

export interface Edge {
  readonly from: string;
  readonly to: string;
  /** Of the import in `from`. */
  readonly line: number;
}

export type ImportGraph = ReadonlyMap<string, readonly Edge[]>;

/** Each file once, with at most one edge to each other file. */
export function importGraph(files: ReadonlyMap<string, string>): ImportGraph {
  return new Map([...files].map(([file, text]) => [file, edgesOf(file, text, files)]));
}

export const resolveImport = (file: string, specifier: string): string => posix.join(posix.dirname(file), specifier);

function edgesOf(from: string, text: string, files: ReadonlyMap<string, string>): Edge[] {
  const edges = new Map<string, Edge>();
  for (const { specifier, line } of readSource(text).imports) {
    if (!specifier.startsWith(".")) continue;
    const to = resolveImport(from, specifier);
    if (files.has(to) && !edges.has(to)) edges.set(to, { from, to, line });
  }
  return [...edges.values()];
}

/** A set of files in which each reaches each other, and the imports among them. */
export interface Circle {
  readonly files: readonly string[];
  readonly edges: readonly Edge[];
}

/** The strongly connected components with more than one file, or with a file that imports itself; the largest first. */
export function circles(graph: ImportGraph): Circle[] {
  return components(graph)
    .map((files) => {
      const members = new Set(files);
      return { files: files.toSorted(), edges: files.flatMap((file) => (graph.get(file) ?? []).filter(({ to }) => members.has(to))) };
    })
    .filter(({ edges }) => edges.length > 0)
    .sort((a, b) => b.files.length - a.files.length || ((a.files[0] ?? "") < (b.files[0] ?? "") ? -1 : 1));
}

/** The shortest way along imports, both ends included; empty when there is none. */
export function shortestPath(graph: ImportGraph, start: string, end: string): string[] {
  const cameFrom = new Map<string, string | undefined>([[start, undefined]]);
  for (const file of cameFrom.keys()) {
    if (file === end) break;
    for (const { to } of graph.get(file) ?? []) if (!cameFrom.has(to)) cameFrom.set(to, file);
  }
  const path: string[] = [];
  if (cameFrom.has(end)) for (let at: string | undefined = end; at !== undefined; at = cameFrom.get(at)) path.unshift(at);
  return path;
}

/** Tarjan's algorithm. */
function components(graph: ImportGraph): string[][] {
  const index = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const found: string[][] = [];
  const visit = (file: string): number => {
    const own = index.size;
    index.set(file, own);
    let lowest = own;
    stack.push(file);
    onStack.add(file);
    for (const { to } of graph.get(file) ?? []) {
      if (!index.has(to)) lowest = Math.min(lowest, visit(to));
      else if (onStack.has(to)) lowest = Math.min(lowest, index.get(to) ?? own);
    }
    if (lowest === own) {
      const members = stack.splice(stack.lastIndexOf(file));
      for (const member of members) onStack.delete(member);
      found.push(members);
    }
    return lowest;
  };
  for (const file of graph.keys()) if (!index.has(file)) visit(file);
  return found;
}
