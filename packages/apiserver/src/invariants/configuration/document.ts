/** The document of invariants, as its file has it. */
import { isObject, type LabelSelectorObject, type YamlPath } from "@coxswain/machinery";

/** Of what an invariant is: of each object, of all that match in each namespace, or of all that match. */
export type InvariantScope = "Object" | "Namespace" | "Cluster";

export interface ResourceRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  /** Of invariants of each object. */
  readonly operations: readonly Operation[];
  readonly resourceNames: readonly string[];
  readonly scope: "*" | "Cluster" | "Namespaced";
}

export type Operation = "CREATE" | "UPDATE" | "DELETE";

export interface InvariantDocument {
  readonly name: string;
  readonly scope: InvariantScope;
  readonly resourceRules: readonly ResourceRule[];
  readonly excludeResourceRules: readonly ResourceRule[];
  readonly namespaceSelector: LabelSelectorObject | undefined;
  readonly objectSelector: LabelSelectorObject | undefined;
  readonly expression: string;
  readonly message: string | undefined;
  readonly messageExpression: string | undefined;
}

/** What is wrong with a document, and where. */
export class DocumentProblem extends Error {
  readonly path: YamlPath;
  constructor(path: YamlPath, message: string) {
    super(message);
    this.path = path;
  }
}

/** @throws DocumentProblem */
export function readDocument(value: unknown): readonly InvariantDocument[] {
  const { apiVersion, kind, invariants } = fieldsOf(value, [], ["apiVersion", "kind", "invariants"]);
  if (apiVersion !== "coxswain/v1") throw new DocumentProblem(["apiVersion"], 'must be "coxswain/v1"');
  if (kind !== "InvariantConfiguration") throw new DocumentProblem(["kind"], 'must be "InvariantConfiguration"');
  const read = listOf(invariants, ["invariants"]).map((one, i) => readInvariant(one, ["invariants", i]));
  if (read.length === 0) throw new DocumentProblem(["invariants"], "must have an invariant");
  for (const [i, { name }] of read.entries())
    if (read.findIndex((one) => one.name === name) < i)
      throw new DocumentProblem(["invariants", i, "name"], `${JSON.stringify(name)} is there twice`);
  return read;
}

const invariantFields = ["name", "scope", "matchResources", "expression", "message", "messageExpression"];
const matchFields = ["resourceRules", "excludeResourceRules", "namespaceSelector", "objectSelector"];
const ruleFields = ["apiGroups", "apiVersions", "resources", "operations", "resourceNames", "scope"];

function readInvariant(value: unknown, path: YamlPath): InvariantDocument {
  const given = fieldsOf(value, path, invariantFields);
  const matchPath = [...path, "matchResources"];
  const match = fieldsOf(given.matchResources, matchPath, matchFields);
  const scope = oneOf(given.scope ?? "Object", [...path, "scope"], ["Object", "Namespace", "Cluster"]);
  const rulesOf = (name: "resourceRules" | "excludeResourceRules"): readonly ResourceRule[] =>
    listOf(match[name] ?? [], [...matchPath, name]).map((rule, i) => readRule(rule, [...matchPath, name, i], scope));
  const resourceRules = rulesOf("resourceRules");
  if (resourceRules.length === 0) throw new DocumentProblem(matchPath, "resourceRules must have a rule");
  return {
    name: nameOf(given.name, [...path, "name"]),
    scope,
    resourceRules,
    excludeResourceRules: rulesOf("excludeResourceRules"),
    namespaceSelector: selectorOf(match.namespaceSelector, [...matchPath, "namespaceSelector"]),
    objectSelector: selectorOf(match.objectSelector, [...matchPath, "objectSelector"]),
    expression: textOf(given.expression, [...path, "expression"]),
    message: given.message === undefined ? undefined : textOf(given.message, [...path, "message"]),
    messageExpression: given.messageExpression === undefined ? undefined : textOf(given.messageExpression, [...path, "messageExpression"]),
  };
}

function readRule(value: unknown, path: YamlPath, scope: InvariantScope): ResourceRule {
  const given = fieldsOf(value, path, ruleFields);
  const texts = (name: string, otherwise?: readonly string[]): readonly string[] => {
    const at = [...path, name];
    if (given[name] === undefined && otherwise !== undefined) return otherwise;
    const list = listOf(given[name], at).map((one, i) => textOf(one, [...at, i], true));
    if (list.length === 0) throw new DocumentProblem(at, "must have an item");
    return list;
  };
  if (scope !== "Object" && given.operations !== undefined)
    throw new DocumentProblem(
      [...path, "operations"],
      "are of invariants of each object: one of many objects is about all that changes them",
    );
  const resources = texts("resources");
  const subresource = resources.findIndex((one) => one.includes("/"));
  if (subresource >= 0)
    throw new DocumentProblem([...path, "resources", subresource], "must be a resource without a subresource: what is checked is objects");
  return {
    ...{ apiGroups: texts("apiGroups"), apiVersions: texts("apiVersions"), resources, resourceNames: texts("resourceNames", []) },
    operations: texts("operations", ["CREATE", "UPDATE"]).flatMap((one, i) => operationsOf(one, [...path, "operations", i])),
    scope: oneOf(given.scope ?? "*", [...path, "scope"], ["*", "Cluster", "Namespaced"]),
  };
}

const allOperations = ["CREATE", "UPDATE", "DELETE"] as const;

const operationsOf = (given: string, path: YamlPath): readonly Operation[] =>
  given === "*" ? allOperations : [oneOf(given, path, allOperations)];

function fieldsOf(value: unknown, path: YamlPath, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new DocumentProblem(path, "must be an object");
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new DocumentProblem([...path, unknown], `is not known; known are ${known.join(", ")}`);
  return value;
}

function listOf(value: unknown, path: YamlPath): readonly unknown[] {
  if (!Array.isArray(value)) throw new DocumentProblem(path, "must be a list");
  return value;
}

function textOf(value: unknown, path: YamlPath, mayBeEmpty = false): string {
  if (typeof value !== "string" || (value.trim() === "" && !mayBeEmpty)) throw new DocumentProblem(path, "must be a text");
  return value;
}

/** It is a label of metrics and a word of a table. */
function nameOf(value: unknown, path: YamlPath): string {
  const name = textOf(value, path);
  if (!/^[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?$/.test(name))
    throw new DocumentProblem(path, "must consist of lower case letters, digits, - and ., and begin and end with a letter or digit");
  return name;
}

function oneOf<T extends string>(value: unknown, path: YamlPath, known: readonly T[]): T {
  const found = known.find((one) => one === value);
  if (found === undefined) throw new DocumentProblem(path, `must be one of ${known.join(", ")}`);
  return found;
}

function selectorOf(value: unknown, path: YamlPath): LabelSelectorObject | undefined {
  return value === undefined ? undefined : (fieldsOf(value, path, ["matchLabels", "matchExpressions"]) as LabelSelectorObject);
}
