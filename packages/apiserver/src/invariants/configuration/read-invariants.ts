/** Reads a file of invariants. */
import { findYamlLine, messageOf, parseYaml, type YamlPath } from "@coxswain/machinery";
import type { LoadedInvariant } from "../../contracts/invariant.ts";
import { celInvariant } from "./cel-invariant.ts";
import { DocumentProblem, type InvariantDocument, readDocument } from "./document.ts";

/** @throws Error that says what is wrong at which line */
export async function readInvariants(text: string): Promise<readonly LoadedInvariant[]> {
  const value = await parsed(text);
  try {
    return readDocument(value).map((document, i) => ({ invariant: compiled(document, i), definition: JSON.stringify(document) }));
  } catch (error) {
    if (!(error instanceof DocumentProblem)) throw error;
    throw await located(text, error);
  }
}

async function parsed(text: string): Promise<unknown> {
  try {
    return await parseYaml(text);
  } catch (error) {
    // It names the line.
    throw new Error(messageOf(error).replace(/^yaml: /, ""), { cause: error });
  }
}

function compiled(document: InvariantDocument, at: number) {
  try {
    return celInvariant(document);
  } catch (error) {
    if (!(error instanceof DocumentProblem)) throw error;
    throw new DocumentProblem(["invariants", at, ...error.path], error.message);
  }
}

async function located(text: string, { path, message }: DocumentProblem): Promise<Error> {
  const line = await findYamlLine(text, path);
  const where = path.length === 0 ? "the document" : shownPath(path);
  return new Error(`${line === undefined ? "" : `line ${line}: `}${where}: ${message}`);
}

/** `invariants[0].expression` */
const shownPath = (path: YamlPath): string =>
  path.map((step, i) => (typeof step === "number" ? `[${step}]` : i === 0 ? step : `.${step}`)).join("");
