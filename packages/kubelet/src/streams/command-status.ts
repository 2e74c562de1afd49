/** How a command ended, as it is sent on the channel for errors: a Status in JSON. */
import { parseJson, type Status } from "@coxswain/machinery";
import { RuntimeError } from "../runtime/runtime-error.ts";
import type { CommandStatus } from "./command-streams.ts";

const nonZero = "NonZeroExitCode";

/** 0 is success. */
export const exitStatus = (code: number, command: readonly string[]): CommandStatus =>
  code === 0
    ? { metadata: {}, status: "Success" }
    : {
        metadata: {},
        status: "Failure",
        message: `command terminated with non-zero exit code: error executing command [${command.join(" ")}], exit code ${code}`,
        reason: nonZero,
        details: { causes: [{ reason: "ExitCode", message: String(code) }] },
      };

/** It could not be run, or its outcome is unknown. */
export const failureStatus = (message: string): CommandStatus => ({
  metadata: {},
  status: "Failure",
  message: `Internal error occurred: ${message}`,
  reason: "InternalError",
  details: { causes: [{ message }] },
  code: 500,
});

/** Reads what `exitStatus` and `failureStatus` of another make. @throws RuntimeError when it could not be run */
export function exitCodeOf(text: string): number {
  const status = statusIn(text);
  if (status.status === "Success") return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === "ExitCode");
  const code = status.reason === nonZero && cause !== undefined ? Number(cause.message) : Number.NaN;
  if (Number.isInteger(code)) return code;
  throw new RuntimeError("unknown", status.message ?? "the command failed for an unknown reason");
}

function statusIn(text: string): Partial<Status> {
  try {
    const value = parseJson(text) as Partial<Status> | null;
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // It is reported below.
  }
  throw new RuntimeError("unknown", `the runtime's answer is no Status: ${JSON.stringify(text.slice(0, 200))}`);
}
