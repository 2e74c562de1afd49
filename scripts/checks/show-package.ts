/** What the division of a package into layers is based on: circles, arrows, and how its folders import each other now. */
import { circles, importGraph } from "./import-graph.ts";
import type { LayerFinding } from "./package-layers.ts";

/** `files` are those of the package that are no tests. */
export function showPackage(name: string, files: ReadonlyMap<string, string>, findings: readonly LayerFinding[]): string {
  const source = `packages/${name}/src/`;
  const short = (path: string): string => path.replaceAll(source, "");
  const own = findings.filter((finding) => finding.package === name);
  const lines: string[] = [];
  for (const circle of circles(importGraph(files))) {
    lines.push(`Circle of ${circle.files.length} files with ${circle.edges.length} imports:`);
    for (const [from, edges] of Map.groupBy(circle.edges, (edge) => edge.from)) {
      lines.push(`  ${short(from)} → ${edges.map(({ to }) => short(to)).join(", ")}`);
    }
  }
  for (const kind of ["arrow", "place"] as const) {
    for (const { file, line, rule } of own.filter((finding) => finding.kind === kind)) lines.push(`${short(file)}:${line}: ${rule}`);
  }
  lines.push("", "Folders in the order with few arrows up, lowest first, with what each imports; * marks arrows up:");
  lines.push(...folderLines(source, files));
  return lines.join("\n");
}

type Weights = ReadonlyMap<string, ReadonlyMap<string, number>>;

function folderLines(source: string, files: ReadonlyMap<string, string>): string[] {
  const weights = folderWeights(source, files);
  const order = lowestFirst(weights);
  return order.map((folder, index) => {
    const imports = [...(weights.get(folder) ?? [])].map(([to, count]) => `${order.indexOf(to) > index ? "*" : ""}${to} (${count})`);
    return `  ${folder}: ${imports.join(", ")}`;
  });
}

/** How many files of a folder directly in `src` import another folder. */
function folderWeights(source: string, files: ReadonlyMap<string, string>): Weights {
  const folderOf = (path: string): string => path.slice(source.length).replace(/\/.*/, "/");
  const weights = new Map<string, Map<string, number>>();
  for (const [file, edges] of importGraph(files)) {
    const from = folderOf(file);
    const row = weights.get(from) ?? new Map<string, number>();
    weights.set(from, row);
    for (const to of new Set(edges.map((edge) => folderOf(edge.to)))) if (to !== from) row.set(to, (row.get(to) ?? 0) + 1);
  }
  return weights;
}

/** Takes in each step the folder that imports least of those that are left, compared with how much they import it. */
function lowestFirst(weights: Weights): string[] {
  const left = new Set(weights.keys());
  const order: string[] = [];
  const weight = (from: string, to: string): number => weights.get(from)?.get(to) ?? 0;
  while (left.size > 0) {
    const rank = (folder: string): readonly [number, number] => {
      const others = [...left].filter((other) => other !== folder);
      const up = others.reduce((sum, other) => sum + weight(folder, other), 0);
      return [up, -others.reduce((sum, other) => sum + weight(other, folder), 0)];
    };
    const ranked = [...left].map((folder) => ({ folder, rank: rank(folder) }));
    ranked.sort((a, b) => (a.rank[0] === 0 || b.rank[0] === 0 ? a.rank[0] - b.rank[0] : a.rank[0] + a.rank[1] - b.rank[0] - b.rank[1]));
    const next = ranked[0]?.folder ?? "";
    left.delete(next);
    order.push(next);
  }
  return order;
}
