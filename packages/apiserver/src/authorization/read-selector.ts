/** Selectors as authorizers are told of them. */
import {
  type FieldRequirement,
  isBadRequest,
  type LabelRequirement,
  newRequirement,
  parseFieldSelector,
  parseLabelSelector,
} from "@coxswain/machinery";

/** What could be read of a selector. */
export interface ReadSelector<Requirement> {
  /** Undefined where there are none. */
  readonly requirements: readonly Requirement[] | undefined;
  /** Whether some of it, or all, could not be read: what is left out restricts nothing. */
  readonly broken: boolean;
}

/** A condition of a selector as a SubjectAccessReview has it. */
export interface WrittenRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

const nothing = { requirements: undefined, broken: false };
const unreadable = { requirements: undefined, broken: true };

export const readFieldSelector = (text: string): ReadSelector<FieldRequirement> => readText(parseFieldSelector, text);
export const readLabelSelector = (text: string): ReadSelector<LabelRequirement> => readText(parseLabelSelector, text);

function readText<T>(parse: (text: string) => { readonly requirements: readonly T[] }, text: string): ReadSelector<T> {
  if (text === "") return nothing;
  return attempt(() => filled(parse(text).requirements, false)) ?? unreadable;
}

const filled = <T>(requirements: readonly T[], broken: boolean): ReadSelector<T> =>
  requirements.length > 0 ? { requirements, broken } : broken ? unreadable : nothing;

/** Undefined for what no selector can have. */
function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (isBadRequest(error)) return undefined;
    throw error;
  }
}

export const readFieldRequirements = (written: readonly WrittenRequirement[]): ReadSelector<FieldRequirement> =>
  readEach(written, fieldRequirement);
export const readLabelRequirements = (written: readonly WrittenRequirement[]): ReadSelector<LabelRequirement> =>
  readEach(written, labelRequirement);

function readEach<T>(written: readonly WrittenRequirement[], read: (one: WrittenRequirement) => T | undefined): ReadSelector<T> {
  const requirements = written.map(read).filter((one) => one !== undefined);
  return filled(requirements, requirements.length < written.length);
}

const fieldOperators: ReadonlyMap<string, FieldRequirement["operator"]> = new Map([
  ["In", "="],
  ["NotIn", "!="],
]);

/** Field selectors know one value alone. */
function fieldRequirement({ key: field = "", operator: written = "", values = [] }: WrittenRequirement): FieldRequirement | undefined {
  const operator = fieldOperators.get(written);
  const [value] = values;
  return operator === undefined || value === undefined || values.length > 1 ? undefined : { field, operator, value };
}

const labelOperators: ReadonlyMap<string, LabelRequirement["operator"]> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

function labelRequirement({ key = "", operator: written = "", values = [] }: WrittenRequirement): LabelRequirement | undefined {
  const operator = labelOperators.get(written);
  return operator === undefined ? undefined : attempt(() => newRequirement(key, operator, values));
}
