/** Rules of faults as programs without types give them: a rule that could never hit anything is refused. */
import { nearest, type OptionNames, show, validateOptions } from "../validation/options.ts";
import type { Fault, FaultRule, RequestMatch } from "./fault.ts";

type Kind = Fault["kind"];

/** What each kind takes besides its kind. */
const optionsOf: { readonly [K in Kind]: OptionNames<Omit<Extract<Fault, { kind: K }>, "kind">> } = {
  conflict: {},
  status: { error: true },
  expired: { afterEvents: true },
  "lose-request": {},
  "lose-answer": {},
  slow: { ms: true },
  overtake: { by: true },
  stale: { revisions: true },
  "drop-watch": { afterEvents: true },
  "stall-watch": { afterEvents: true },
  "end-watch": { afterEvents: true },
  "delay-events": { ms: true },
};

const ruleOptions: OptionNames<FaultRule> = { on: true, nth: true, step: true, times: true, chance: true, fault: true };
const matchOptions: OptionNames<RequestMatch> = {
  verb: true,
  group: true,
  resource: true,
  subresource: true,
  namespace: true,
  name: true,
};

/** @throws TypeError for unknown names */
export function validateRule(rule: FaultRule): void {
  validateOptions("a rule of faults", rule, ruleOptions);
  validateMatch(rule.on);
  validateFault(rule.fault);
}

/** @throws TypeError for unknown names */
export function validateMatch(on: FaultRule["on"]): void {
  if (on !== undefined && typeof on !== "function") validateOptions("the `on` of a rule", on, matchOptions);
}

/** @throws TypeError for a kind that there is not, or an option that it does not take */
export function validateFault(fault: Fault): void {
  const kinds = Object.keys(optionsOf);
  const kind: unknown = (fault as Fault | undefined)?.kind;
  if (typeof kind !== "string" || !Object.hasOwn(optionsOf, kind)) {
    const near = typeof kind === "string" ? nearest(kind, kinds) : undefined;
    throw new TypeError(
      `there is no fault ${show(kind ?? fault)}${near === undefined ? "" : `; did you mean ${near}?`} There are ${kinds.join(", ")}`,
    );
  }
  validateOptions(`the fault ${kind}`, fault, { kind: true, ...optionsOf[fault.kind] });
}
