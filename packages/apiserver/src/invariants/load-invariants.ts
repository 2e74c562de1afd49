import type { LoadedInvariant } from "../contracts/invariant.ts";

/**
 * Reads an InvariantConfiguration, and compiles its expressions; what that takes is loaded here.
 * @throws Error that says what is wrong at which line
 */
export async function loadInvariants(text: string): Promise<readonly LoadedInvariant[]> {
  const { readInvariants } = await import("./configuration/read-invariants.ts");
  return readInvariants(text);
}
