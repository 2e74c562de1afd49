/** One issuer of tokens by the options `--oidc-…`, which are older than files of authentication. */
import { readFileSync } from "node:fs";
import {
  type AuthenticationConfiguration,
  type ContentProvider,
  checkAuthenticationConfiguration,
  type LoadedAuthenticationConfiguration,
  signingAlgorithms,
  staticContent,
} from "@coxswain/apiserver";
import { goQuote, messageOf } from "@coxswain/machinery";
import type { OidcSettings } from "../options/authentication-options.ts";
import { StartError, startErrorOf } from "../process/start-error.ts";

/** @throws StartError */
export async function configurationOfFlags(
  settings: OidcSettings,
  disallowedIssuers: readonly string[],
): Promise<ContentProvider<LoadedAuthenticationConfiguration>> {
  const unsupported = settings.signingAlgs.find((algorithm) => !signingAlgorithms.includes(algorithm));
  if (unsupported !== undefined) throw new StartError(`oidc: unsupported signing alg: ${goQuote(unsupported)}`);
  try {
    const loaded = await checkAuthenticationConfiguration(documentOf(settings), { disallowedIssuers });
    const configuration = { ...loaded, signingAlgorithms: settings.signingAlgs };
    return staticContent(() => configuration);
  } catch (error) {
    throw error instanceof StartError ? error : new StartError(messageOf(error), { cause: error });
  }
}

function documentOf(settings: OidcSettings): AuthenticationConfiguration {
  const { issuerUrl, clientId, caFile, usernameClaim, groupsClaim, groupsPrefix, requiredClaims } = settings;
  if (issuerUrl === undefined || clientId === undefined) {
    throw new StartError("oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set");
  }
  const authority = caFile === undefined ? {} : { certificateAuthority: authorityIn(caFile) };
  return {
    jwt: [
      {
        issuer: { url: issuerUrl, audiences: [clientId], ...authority },
        claimMappings: {
          username: { claim: usernameClaim, prefix: usernamePrefixOf(settings, issuerUrl) },
          groups: groupsClaim === undefined ? {} : { claim: groupsClaim, prefix: groupsPrefix },
          uid: {},
        },
        claimValidationRules: Object.entries(requiredClaims).map(([claim, requiredValue]) => ({ claim, requiredValue })),
      },
    ],
  };
}

/** Names of one issuer must not be those of another: but for addresses of mail, they begin with it unless it is said otherwise. */
function usernamePrefixOf({ usernamePrefix, usernameClaim }: OidcSettings, issuerUrl: string): string {
  if (usernamePrefix === "-") return "";
  return usernamePrefix === "" && usernameClaim !== "email" ? `${issuerUrl}#` : usernamePrefix;
}

function authorityIn(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw startErrorOf("cannot read --oidc-ca-file", error);
  }
}
