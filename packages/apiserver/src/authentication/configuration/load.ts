/** An AuthenticationConfiguration, read and checked. What it takes is loaded with the first one: most servers have none. */
import { field } from "@coxswain/machinery";
import type { AnonymousAuth } from "../../contracts/anonymous.ts";
import type { CompiledIssuer } from "./compile-issuer.ts";
import type { AuthenticationConfiguration } from "./document.ts";

/** A configuration in which nothing is wrong. */
export interface LoadedAuthenticationConfiguration {
  /** What its tokens are checked by. */
  readonly issuers: readonly CompiledIssuer[];
  /** Which algorithms tokens may be signed with. */
  readonly signingAlgorithms: readonly string[];
  /** Undefined where the document does not say. */
  readonly anonymous: AnonymousAuth | undefined;
  /** What it was read from; undefined for one that was made without a document. */
  readonly text?: string;
}

/** What a document is checked against. */
export interface LoadOptions {
  /** Issuers whose tokens are checked in another way: the server's own. */
  readonly disallowedIssuers: readonly string[];
}

/** As many as Kubernetes takes from a document; no shared secrets, so that no public key can pass for one. */
export const signingAlgorithms: readonly string[] = ["ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"];

/** Reads a document in YAML or JSON. @throws Error in Kubernetes' words */
export async function loadAuthenticationConfiguration(text: string, options: LoadOptions): Promise<LoadedAuthenticationConfiguration> {
  const { parseAuthenticationConfiguration } = await import("./document.ts");
  return { ...(await checkAuthenticationConfiguration(await parseAuthenticationConfiguration(text), options)), text };
}

/** Checks a configuration that was made without a document. @throws Error in Kubernetes' words */
export async function checkAuthenticationConfiguration(
  configuration: AuthenticationConfiguration,
  { disallowedIssuers }: LoadOptions,
): Promise<LoadedAuthenticationConfiguration> {
  const { compileConfiguration } = await import("./validate.ts");
  const { issuers, errors } = compileConfiguration(configuration, disallowedIssuers);
  if (errors.length > 0) throw new Error(`invalid authentication configuration: ${field.formatFieldErrors(errors)}`);
  const { anonymous } = configuration;
  return {
    issuers,
    signingAlgorithms,
    anonymous: anonymous && { enabled: anonymous.enabled, paths: (anonymous.conditions ?? []).map(({ path }) => path) },
  };
}
