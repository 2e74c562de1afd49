/** What a package's entry points export has a doc comment with a sentence. */
import type { Node, SourceFile } from "typescript/unstable/ast";
import type { Checker, NodeHandle, Symbol as TypeScriptSymbol } from "typescript/unstable/sync";
import { SymbolFlags } from "typescript/unstable/sync";
import type { Finding } from "./findings.ts";
import { lineOf } from "./program.ts";

/** One export, with whether a sentence says what it is. */
export interface Documented {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly documented: boolean;
}

export interface DocsOptions {
  readonly checker: Checker;
  /** The path from the root of a file that a declaration stands in; `undefined` for one that is not checked. */
  readonly pathOf: (fileName: string) => string | undefined;
}

/** Each export of the entry point whose declaration `pathOf` knows, under the name it is exported by. */
export function documentedExports(entry: SourceFile, { checker, pathOf }: DocsOptions): Documented[] {
  const module = checker.getSymbolAtLocation(entry);
  if (module === undefined) return [];
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = (exported.flags & SymbolFlags.Alias) === 0 ? exported : checker.getAliasedSymbol(exported);
    const place = placeOf(symbol.declarations[0], pathOf);
    if (place === undefined) return [];
    return [{ name: exported.name, ...place, documented: isDocumented(symbol, checker) || hasHeading(symbol.declarations[0]) }];
  });
}

function placeOf(
  handle: NodeHandle | undefined,
  pathOf: DocsOptions["pathOf"],
): { readonly file: string; readonly line: number } | undefined {
  const file = handle === undefined ? undefined : pathOf(handle.path);
  const node = file === undefined ? undefined : handle?.resolve();
  if (node === undefined || file === undefined) return undefined;
  const source = sourceOf(node);
  return { file, line: lineOf(source, node.getStart(source)) };
}

function sourceOf(node: Node): SourceFile {
  let at = node;
  while (at.parent !== undefined) at = at.parent;
  return at as SourceFile;
}

/** Whether this is a module that is exported as a whole, and begins with a comment. */
function hasHeading(handle: NodeHandle | undefined): boolean {
  const node = handle?.resolve();
  return node !== undefined && node.parent === undefined && (node as SourceFile).text.startsWith("/**");
}

/** A sentence has three words at least. */
const isDocumented = (symbol: TypeScriptSymbol, checker: Checker): boolean =>
  symbol.getDocumentationComment(checker).trim().split(/\s+/).length >= 3;

export function checkDocs(exported: readonly Documented[]): Finding[] {
  const wanting = exported.filter(({ documented }) => !documented);
  return wanting.map(({ name, file, line }) => ({ rule: "export", file, line, message: `${name} has no doc comment with a sentence` }));
}
