/** What a thread is answered by another: a value, or an error, of which classes do not survive the way. */
import { messageOf, type Status, StatusError } from "@coxswain/machinery";

export type AskedAnswer =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "status"; readonly status: Status }
  | { readonly kind: "error"; readonly message: string };

export async function answerOf(work: () => Promise<unknown>): Promise<AskedAnswer> {
  try {
    return { kind: "value", value: await work() };
  } catch (error) {
    return error instanceof StatusError ? { kind: "status", status: error.status } : { kind: "error", message: messageOf(error) };
  }
}

/** @throws StatusError, Error */
export function answeredValue(answer: AskedAnswer): unknown {
  switch (answer.kind) {
    case "value":
      return answer.value;
    case "status":
      throw new StatusError(answer.status);
    case "error":
      throw new Error(answer.message);
  }
}
