/** A file that is too long answers more than one question; a function that is too long does more than one thing. */
import type { Node, ParameterDeclaration, SourceFile } from "typescript/unstable/ast";
import {
  isCallExpression,
  isExpressionStatement,
  isFunctionLikeDeclaration,
  isIdentifier,
  isMethodSignatureDeclaration,
} from "typescript/unstable/ast/is";
import type { Finding } from "./findings.ts";
import { lineOf, walk } from "./program.ts";

export const limits = { sourceLines: 300, testLines: 500, functionLines: 80, parameters: 4 } as const;

const isTestFile = (file: string): boolean => file.startsWith("tests/") || file.endsWith(".test.ts");

export function checkFileSize(file: string, text: string): Finding[] {
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  const limit = isTestFile(file) ? limits.testLines : limits.sourceLines;
  return lines <= limit ? [] : [{ rule: "file", file, line: 1, message: `${lines} lines; at most ${limit}` }];
}

/** Functions with a body by their lines, and whatever takes parameters by their number. */
export function checkFunctionSizes(file: string, source: SourceFile): Finding[] {
  const findings: Finding[] = [];
  walk(source, (node) => {
    if (!isFunctionLikeDeclaration(node) && !isMethodSignatureDeclaration(node)) return;
    const start = node.getStart(source);
    const line = lineOf(source, start);
    const lines = lineOf(source, node.getEnd()) - line + 1;
    const name = nameOf(node, source);
    if (lines > limits.functionLines && !isSuite(node)) {
      findings.push({ rule: "function", file, line, message: `${name} has ${lines} lines; at most ${limits.functionLines}` });
    }
    const count = node.parameters.filter((parameter) => !isThis(parameter)).length;
    if (count > limits.parameters) {
      const message = `${name} takes ${count} parameters; at most ${limits.parameters}, others go into an options object`;
      findings.push({ rule: "parameters", file, line, message });
    }
  });
  return findings;
}

const isThis = ({ name }: ParameterDeclaration): boolean => isIdentifier(name) && name.text === "this";

const suiteNames: ReadonlySet<string> = new Set(["describe", "suite", "test", "it"]);

/** The function in which a suite defines its tests, whatever it is given to. */
function isSuite(node: Node): boolean {
  const { body } = node as Node & { readonly body?: Node };
  if (!isCallExpression(node.parent) || body === undefined) return false;
  let definesTests = false;
  body.forEachChild((statement) => {
    if (!isExpressionStatement(statement) || !isCallExpression(statement.expression)) return;
    const { expression: called } = statement.expression;
    definesTests ||= isIdentifier(called) && suiteNames.has(called.text);
  });
  return definesTests;
}

function nameOf(node: Node, source: SourceFile): string {
  const named = [node, node.parent].find((one): one is Node & { readonly name: Node } => "name" in one && one.name !== undefined);
  return named?.name.getText(source) ?? "a function";
}
