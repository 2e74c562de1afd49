import { deepEqual, field } from "@coxswain/machinery";
import type {
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from "@coxswain/types/flowcontrol-v1";
import type { Validation } from "../../../strategy/strategy.ts";
import { type Errors, requiredOneOf } from "../../../validation/checks.ts";
import { validateConditionTypes } from "../../../validation/flow-control-conditions.ts";
import { fixedLevelSpec } from "../mandatory.ts";

export const priorityLevelConfigurationValidation: Validation<PriorityLevelConfiguration> = {
  validate: ({ metadata, spec, status }) => {
    const out: Errors = [];
    const { type = "", exempt, limited } = spec ?? {};
    const zeroKept = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
    if (metadata?.annotations?.[zeroKept] !== undefined) {
      out.push(field.forbidden("metadata.annotations", `annotation '${zeroKept}' is forbidden`));
    }
    if ((metadata?.name === "exempt") !== (type === "Exempt")) {
      out.push(field.invalid("spec.type", type, "must be 'Exempt' if and only if `name` is 'exempt'"));
    }
    requiredOneOf(out, "spec.type", type, ["Exempt", "Limited"]);
    if (type === "Exempt") {
      if (limited !== undefined) out.push(field.forbidden("spec.limited", "must be nil if the type is not Limited"));
      if (exempt !== undefined) validateShares(out, "spec.exempt", exempt);
    } else if (type === "Limited") {
      if (exempt !== undefined) out.push(field.forbidden("spec.exempt", "must be nil if the type is Limited"));
      if (limited === undefined) out.push(field.required("spec.limited", "must not be empty when type is Limited"));
      else validateLimited(out, "spec.limited", limited);
    }
    validateFixed(out, metadata?.name ?? "", spec);
    validateConditionTypes(out, status?.conditions ?? []);
    return out;
  },
};

const maxQueues = 10_000_000;

/** Bits of the hash that deals a flow its hand of queues. */
const maxHashBits = 60;

/** Of the exempt level, how much it lends may be changed. */
function validateFixed(out: Errors, name: string, spec: Readonly<PriorityLevelConfigurationSpec> | undefined): void {
  const fixed = fixedLevelSpec(name);
  if (!fixed) return;
  const [compared, except] = fixed.exempt ? [{ ...spec, exempt: fixed.exempt }, " except the 'spec.exempt' field"] : [spec, ""];
  if (!deepEqual(compared, fixed)) out.push(field.invalid("spec", spec, `spec of '${name}'${except} must equal the fixed value`));
}

interface Shares {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

function validateShares(out: Errors, path: string, { nominalConcurrencyShares: shares, lendablePercent: percent }: Shares): void {
  if (shares !== undefined && shares < 0) {
    out.push(field.invalid(`${path}.nominalConcurrencyShares`, shares, "must be a non-negative integer"));
  }
  if (percent !== undefined && (percent < 0 || percent > 100)) {
    out.push(field.invalid(`${path}.lendablePercent`, percent, "must be between 0 and 100, inclusive"));
  }
}

function validateLimited(out: Errors, path: string, limited: Readonly<LimitedPriorityLevelConfiguration>): void {
  validateShares(out, path, limited);
  validateResponse(out, `${path}.limitResponse`, limited.limitResponse ?? { type: "" });
  const borrowing = limited.borrowingLimitPercent;
  if (borrowing !== undefined && borrowing < 0) {
    out.push(field.invalid(`${path}.borrowingLimitPercent`, borrowing, "if specified, must be a non-negative integer"));
  }
}

function validateResponse(out: Errors, path: string, { type, queuing }: Readonly<LimitResponse>): void {
  requiredOneOf(out, `${path}.type`, type, ["Queue", "Reject"]);
  if (type === "Reject" && queuing !== undefined) {
    out.push(field.forbidden(`${path}.queuing`, "must be nil if limited.limitResponse.type is not Limited"));
  }
  if (type !== "Queue") return;
  if (queuing !== undefined) validateQueuing(out, `${path}.queuing`, queuing);
  else out.push(field.required(`${path}.queuing`, "must not be empty if limited.limitResponse.type is Limited"));
}

function validateQueuing(out: Errors, path: string, queuing: Readonly<QueuingConfiguration>): void {
  const { queueLengthLimit: length = 0, queues = 0, handSize = 0 } = queuing;
  if (length <= 0) out.push(field.invalid(`${path}.queueLengthLimit`, length, "must be positive"));
  if (queues <= 0) out.push(field.invalid(`${path}.queues`, queues, "must be positive"));
  else if (queues > maxQueues) out.push(field.invalid(`${path}.queues`, queues, `must not be greater than ${maxQueues}`));
  const at = `${path}.handSize`;
  if (handSize <= 0) out.push(field.invalid(at, handSize, "must be positive"));
  else if (handSize > queues) out.push(field.invalid(at, handSize, `should not be greater than queues (${queues})`));
  else if (Math.ceil(Math.log2(queues) * handSize) > maxHashBits) {
    const why = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxHashBits}`;
    out.push(field.invalid(at, handSize, why));
  }
}
