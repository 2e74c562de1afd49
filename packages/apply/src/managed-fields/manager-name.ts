const maxName = 128;

/** The field manager that a user agent stands for where none is given: its first part, without what cannot be printed. */
export function managerOfAgent(userAgent: string): string {
  const first = userAgent.split("/", 1)[0] ?? "";
  return first.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "").slice(0, maxName);
}
