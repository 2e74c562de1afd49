/**
 * The language of label selectors: `a=1,b in (x,y),!c`. Messages are Kubernetes' own.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/
 */
import { formatFieldError } from "../errors/field-error.ts";
import { badRequest, StatusError } from "../errors/status.ts";
import { binaryOperators, type LabelOperator, type LabelRequirement, labelKeyErrors, newRequirement } from "./label-requirement.ts";

/** In the order of the text. @throws badRequest() */
export function parseLabelRequirements(text: string): LabelRequirement[] {
  const tokens = tokenize(text);
  const requirements: LabelRequirement[] = [];
  for (;;) {
    const token = tokens.peek();
    if (token === end) return requirements;
    if (!startsRequirement(token)) throw badRequest(`found '${token}', expected: !, identifier, or 'end of string'`);
    requirements.push(parseOne(tokens));
    const after = tokens.next();
    if (after === end) return requirements;
    if (after !== ",") throw badRequest(`found '${after}', expected: ',' or 'end of string'`);
    if (!startsRequirement(tokens.peek())) throw badRequest(`found '${tokens.peek()}', expected: identifier after ','`);
  }
}

function parseOne(tokens: Tokens): LabelRequirement {
  try {
    return parseRequirement(tokens);
  } catch (error) {
    throw error instanceof StatusError ? badRequest(`unable to parse requirement: ${error.message}`) : error;
  }
}

function parseRequirement(tokens: Tokens): LabelRequirement {
  const negated = tokens.peek() === "!";
  if (negated) tokens.next();
  const key = tokens.next();
  if (!isIdentifier(key)) throw badRequest(`found '${key}', expected: identifier`);
  // The path is nil there, and prints so.
  for (const error of labelKeyErrors("<nil>", key)) throw badRequest(formatFieldError(error));
  if (negated) return newRequirement(key, "!", []);
  if (endsRequirement(tokens.peek())) return newRequirement(key, "exists", []);
  const operator = parseOperator(tokens.next());
  const values = operator === "in" || operator === "notin" ? parseSet(tokens) : [parseValue(tokens)];
  return newRequirement(key, operator, [...new Set(values)].sort());
}

function parseOperator(token: string): LabelOperator {
  if (token === ">") return "gt";
  if (token === "<") return "lt";
  const operator = binaryOperators.find((known) => known === token && known !== "gt" && known !== "lt");
  if (operator === undefined) throw badRequest(`found '${token}', expected: ${binaryOperators.join(", ")}`);
  return operator;
}

function parseValue(tokens: Tokens): string {
  if (endsRequirement(tokens.peek())) return "";
  const token = tokens.next();
  if (!isIdentifier(token)) throw badRequest(`found '${token}', expected: identifier`);
  return token;
}

/** `(x,y)`; an empty place between commas or parentheses is the empty value. */
function parseSet(tokens: Tokens): string[] {
  const open = tokens.next();
  if (open !== "(") throw badRequest(`found '${open}' expected: '('`);
  const first = tokens.peek();
  if (first !== "," && first !== ")" && !isIdentifier(first)) throw badRequest(`found '${first}', expected: ',', ')' or identifier`);
  const values: string[] = [];
  for (;;) {
    let token = tokens.next();
    if (isIdentifier(token)) {
      values.push(token);
      token = tokens.next();
      if (token !== "," && token !== ")") throw badRequest(`found '${token}', expected: ',' or ')'`);
    } else if (token === "," || token === ")") values.push("");
    else throw badRequest(`found '${token}', expected: ',', or identifier`);
    if (token === ")") return values;
  }
}

/** The end of the text; messages show it as nothing. */
const end = "";
const isIdentifier = (token: string): boolean => token !== end && !/^[=!(),><]/.test(token);
const startsRequirement = (token: string): boolean => token === "!" || isIdentifier(token);
const endsRequirement = (token: string): boolean => token === end || token === ",";

interface Tokens {
  peek(): string;
  next(): string;
}

function tokenize(text: string): Tokens {
  const tokens = text.match(/==|!=|[=!(),><]|[^ \t\r\n=!(),><]+/g) ?? [];
  let position = 0;
  return { peek: () => tokens[position] ?? end, next: () => tokens[position++] ?? end };
}
