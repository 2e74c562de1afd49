/**
 * Which objects a field selector chooses. Which fields a kind offers is the caller's to check.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
 */
import { badRequest } from "../errors/status.ts";

/** One comparison of a field selector: a path and the value it must, or must not, have. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/**
 * A parsed field selector.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/
 */
export interface FieldSelector {
  /** Whether every object matches. */
  readonly empty: boolean;
  /** All of them must hold; in the order of their texts. */
  readonly requirements: readonly FieldRequirement[];
  /** `textOf` gives the field's text; an absent field has the empty one. */
  matches(textOf: (field: string) => string | undefined): boolean;
  /** The value that the selector demands of a field; undefined when others are possible. */
  exact(field: string): string | undefined;
  /** What `parseFieldSelector` reads as the same selector. */
  toString(): string;
}

/** The text of a `fieldSelector` parameter. @throws badRequest() */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).sort();
  // A lone operator says nothing, for Kubernetes too.
  return selectorOf(terms.map((term) => parseTerm(text, term)).filter(({ field, value }) => field !== "" || value !== ""));
}

function selectorOf(requirements: readonly FieldRequirement[]): FieldSelector {
  return {
    empty: requirements.length === 0,
    requirements,
    matches: (textOf) => {
      for (const { field, operator, value } of requirements) if (((textOf(field) ?? "") === value) !== (operator === "=")) return false;
      return true;
    },
    exact: (field) => requirements.find((r) => r.field === field && r.operator === "=")?.value,
    toString: () => requirements.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(","),
  };
}

/** Commas after a backslash are data; empty terms do not count. */
const splitTerms = (text: string): string[] => text.match(/(?:[^,\\]|\\.|\\$)+/gs) ?? [];

/** The first operator ends the field's name. */
function parseTerm(text: string, term: string): FieldRequirement {
  const found = /[!=]?=/.exec(term);
  if (found === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
  const value = unescapeValue(term.slice(found.index + found[0].length));
  return { field: term.slice(0, found.index), operator: found[0] === "!=" ? "!=" : "=", value };
}

const escapeValue = (value: string): string => value.replace(/[\\,=]/g, "\\$&");

const unescapeValue = (value: string): string =>
  value.replace(/\\.?|=/gsu, (sequence) => {
    if (sequence === "=") throw badRequest("invalid field selector: unescaped character in value: 61");
    const character = sequence.slice(1);
    if (character !== "" && "\\,=".includes(character)) return character;
    throw badRequest(`invalid field selector: invalid escape sequence: ${sequence}`);
  });
