/** How many requests are served at a time: options that are called as kube-apiserver's. */
import type { FlowControlOptions } from "@coxswain/apiserver";
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseBoolean } from "./parse-values.ts";

export interface ParsedFlowControlOptions {
  readonly enablePriorityAndFairness: boolean;
  readonly maxRequestsInflight: number;
  readonly maxMutatingRequestsInflight: number;
}

export const addFlowControlOptions = (command: Command): Command =>
  command
    .addOption(
      new Option("--enable-priority-and-fairness [boolean]", "let FlowSchemas say which requests go first when there are many")
        .argParser(parseBoolean)
        .preset("true")
        .default(true),
    )
    .option("--max-requests-inflight <number>", "requests served at a time; without priority and fairness those that read", parseCount, 400)
    .option("--max-mutating-requests-inflight <number>", "added to them; without priority and fairness those that write", parseCount, 200);

/** @throws CommanderError where nothing could ever be served */
export function flowControlOf(parsed: ParsedFlowControlOptions, command: Command): FlowControlOptions {
  const { enablePriorityAndFairness, maxRequestsInflight: reading, maxMutatingRequestsInflight: writing } = parsed;
  if (enablePriorityAndFairness && reading + writing === 0)
    command.error("error: --max-requests-inflight and --max-mutating-requests-inflight must add up to something positive");
  return { enablePriorityAndFairness, maxRequestsInflight: reading, maxMutatingRequestsInflight: writing };
}

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number that is not negative.");
  return Number(text);
}
