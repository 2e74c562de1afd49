/** JSONPath as Kubernetes has it. An entry of its own: it is small, and needs nothing of the rest. */
export { type JsonPath, parseJsonPath, printJsonPathValue, relaxJsonPath } from "./json-path.ts";
export { JsonPathError } from "./node.ts";
