/** The layers inside packages: no file imports itself by a circle, and folders import only folders of lower rows. */
import { type Circle, circles, type Edge, type ImportGraph, importGraph, shortestPath } from "./import-graph.ts";

/**
 * Folders of a package's `src` from the lowest row to the highest. A file belongs to the longest prefix that is named, `a/b`
 * before `a`. It may import files of its own folder and of lower rows; folders of one row do not import each other.
 */
export type LayerTable = readonly (readonly string[])[];

export interface PackageLayers {
  /** By package; one without a table is checked for circles alone. */
  readonly tables: ReadonlyMap<string, LayerTable>;
  /** Files that packages export: they may stand outside a folder, above all rows. */
  readonly entryPoints: ReadonlySet<string>;
  /** What tests import is no part of the layers. */
  readonly isTest: (file: string) => boolean;
}

export interface LayerFinding {
  readonly kind: "circle" | "arrow" | "place";
  readonly package: string;
  readonly file: string;
  readonly line: number;
  readonly rule: string;
}

/**
 * A circle gives a finding for each of its imports, since each import that goes is progress; an arrow one for each import
 * that points up or aside.
 */
export function checkPackageLayers({ tables, entryPoints, isTest }: PackageLayers, files: ReadonlyMap<string, string>): LayerFinding[] {
  const graph = importGraph(new Map([...files].filter(([file]) => !isTest(file))));
  const findings = circles(graph).flatMap((circle) => circleFindings(circle));
  for (const [name, table] of tables) findings.push(...tableFindings(name, { table, entryPoints }, graph));
  return findings;
}

const packageOf = (file: string): string => /^packages\/([^/]+)\//.exec(file)?.[1] ?? file.split("/")[0] ?? "";

function circleFindings({ edges }: Circle): LayerFinding[] {
  const graph: ImportGraph = Map.groupBy(edges, ({ from }) => from);
  return edges.map(({ from, to, line }) => {
    const rule = `circle: ${[from, ...shortestPath(graph, to, from)].join(" → ")}`;
    return { kind: "circle", package: packageOf(from), file: from, line, rule };
  });
}

interface PackageTable {
  readonly table: LayerTable;
  readonly entryPoints: ReadonlySet<string>;
}

function* tableFindings(name: string, layers: PackageTable, graph: ImportGraph): Iterable<LayerFinding> {
  const source = `packages/${name}/src/`;
  for (const [file, edges] of graph) {
    if (!file.startsWith(source)) continue;
    const at = placeOf(layers, source, file);
    if (at === undefined) yield { kind: "place", package: name, file, line: 1, rule: `place: ${noPlace(file.slice(source.length))}` };
    for (const edge of at === undefined ? [] : edges) {
      const target = edge.to.startsWith(source) ? placeOf(layers, source, edge.to) : undefined;
      const wrong = target === undefined ? undefined : wrongArrow(at ?? target, target, edge);
      if (wrong !== undefined) yield { kind: "arrow", package: name, file, line: edge.line, rule: wrong };
    }
  }
}

const noPlace = (path: string): string =>
  path.includes("/")
    ? `${path.slice(0, path.lastIndexOf("/"))}/ is in no row of the package's layers in layers.json`
    : "only what the package exports, index.ts for example, stands outside a folder";

interface Place {
  readonly folder: string;
  readonly row: number;
}

/** An entry point outside of folders stands above all rows. */
function placeOf({ table, entryPoints }: PackageTable, source: string, file: string): Place | undefined {
  const path = file.slice(source.length);
  if (!path.includes("/")) return entryPoints.has(file) ? { folder: path, row: table.length } : undefined;
  const places = table.flatMap((folders, row) => folders.map((folder) => ({ folder, row })));
  return places.filter(({ folder }) => path.startsWith(`${folder}/`)).sort((a, b) => b.folder.length - a.folder.length)[0];
}

function wrongArrow(from: Place, to: Place, edge: Edge): string | undefined {
  if (from.folder === to.folder || to.row < from.row) return undefined;
  const why = to.row === from.row ? "stands in the same row" : "stands in a higher row";
  return `arrow: ${from.folder} may not import ${edge.to.slice(edge.to.indexOf("/src/") + 5)}: ${to.folder} ${why}`;
}
