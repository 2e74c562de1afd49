/** Names that a Kubernetes engineer would not search for, predicates that are none, and names of two meanings. */
import { type Identifier, type Node, type PrivateIdentifier, type SourceFile, SyntaxKind } from "typescript/unstable/ast";
import { isIdentifier, isPrivateIdentifier } from "typescript/unstable/ast/is";
import { type Checker, SignatureKind } from "typescript/unstable/sync";
import { ambiguousNames, deniedNames, deniedPrefixes, deniedWords, namedByKubernetes } from "./denied-names.ts";
import type { Finding } from "./findings.ts";
import { lineOf, walk } from "./program.ts";

/** A name where it is declared. */
export interface Declared {
  readonly name: Identifier | PrivateIdentifier;
  readonly declaration: Node;
  readonly file: string;
  readonly line: number;
}

const declarations: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.VariableDeclaration,
  SyntaxKind.Parameter,
  SyntaxKind.BindingElement,
  SyntaxKind.FunctionDeclaration,
  SyntaxKind.FunctionExpression,
  SyntaxKind.ClassDeclaration,
  SyntaxKind.ClassExpression,
  SyntaxKind.InterfaceDeclaration,
  SyntaxKind.TypeAliasDeclaration,
  SyntaxKind.TypeParameter,
  SyntaxKind.PropertyDeclaration,
  SyntaxKind.PropertySignature,
  SyntaxKind.MethodDeclaration,
  SyntaxKind.MethodSignature,
  SyntaxKind.GetAccessor,
  SyntaxKind.SetAccessor,
  SyntaxKind.NamespaceImport,
]);

export function declaredNames(file: string, source: SourceFile): Declared[] {
  const found: Declared[] = [];
  walk(source, (node) => {
    if (!declarations.has(node.kind)) return;
    const { name } = node as Node & { readonly name?: Node };
    if (name === undefined || !(isIdentifier(name) || isPrivateIdentifier(name))) return;
    found.push({ name, declaration: node, file, line: lineOf(source, name.getStart(source)) });
  });
  return found;
}

/** Of a file or of what it declares: `undefined`, or what to write instead. */
export function deniedName(name: string): string | undefined {
  const plain = name.replace(/^[#_]+/, "");
  if (Object.hasOwn(deniedNames, plain)) return deniedNames[plain];
  const words = plain.split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase());
  for (const word of words) if (Object.hasOwn(deniedWords, word)) return `${word} → ${deniedWords[word]}`;
  const [first = "", second = ""] = words;
  return second !== "" && second !== "prefix" && Object.hasOwn(deniedPrefixes, first) ? `${first}… → ${deniedPrefixes[first]}` : undefined;
}

export function checkFileName(file: string): Finding[] {
  const wrong = file.split("/").flatMap((part) => {
    const denied = deniedName(part.replace(/\..*/, ""));
    return denied === undefined ? [] : [`${part}: ${denied}`];
  });
  return wrong.map((message) => ({ rule: "file", file, line: 1, message }));
}

export function checkDeniedNames(names: readonly Declared[]): Finding[] {
  return names.flatMap(({ name, file, line }) => {
    const denied = deniedName(name.text);
    return denied === undefined ? [] : [{ rule: "word", file, line, message: `${name.text}: ${denied}` }];
  });
}

const booleans = new Set(["boolean", "true", "false", "Promise<boolean>", "boolean | Promise<boolean>"]);

/** Functions called `is…` or `has…` whose type returns something else than a boolean or the promise of one. */
export function checkPredicates(names: readonly Declared[], checker: Checker): Finding[] {
  const candidates = names.filter(({ name }) => /^#?(is|has)[A-Z]/.test(name.text) && !namedByKubernetes.has(name.text));
  const types = checker.getTypeAtLocation(candidates.map(({ name }) => name));
  return candidates.flatMap(({ name, file, line }, index) => {
    const type = types[index];
    const called = type === undefined ? undefined : checker.getNonNullableType(type);
    const returned = (called === undefined ? [] : checker.getSignaturesOfType(called, SignatureKind.Call)).map((signature) => {
      const result = checker.getReturnTypeOfSignature(signature);
      return result === undefined ? "unknown" : checker.typeToString(result);
    });
    const wrong = returned.find((text) => !booleans.has(text));
    if (wrong === undefined) return [];
    return [
      { rule: "predicate", file, line, message: `${name.text} returns ${wrong}: is… and has… return booleans, validate… returns messages` },
    ];
  });
}

/** Names of the list that several modules export, each of them. */
export function checkAmbiguousNames(names: readonly Declared[]): Finding[] {
  const exported = names.filter(({ name, declaration }) => ambiguousNames.has(name.text) && isExported(declaration));
  return [...Map.groupBy(exported, ({ name }) => name.text)].flatMap(([text, all]) => {
    const modules = new Set(all.map(({ file }) => file));
    if (modules.size < 2) return [];
    return all.map(({ file, line }) => ({
      rule: "meaning",
      file,
      line,
      message: `${text} is exported by ${modules.size} modules: say which`,
    }));
  });
}

function isExported(declaration: Node): boolean {
  const statement = declaration.kind === SyntaxKind.VariableDeclaration ? declaration.parent.parent : declaration;
  const { modifiers } = statement as Node & { readonly modifiers?: readonly Node[] };
  return modifiers?.some(({ kind }) => kind === SyntaxKind.ExportKeyword) ?? false;
}
