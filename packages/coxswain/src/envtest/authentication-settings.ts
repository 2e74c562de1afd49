/** What the flags of kube-apiserver say about authentication. */
import type { AuthenticationSettings } from "../options/authentication-options.ts";
import { booleanOf, type Flags, lastOf, listOf } from "./parse-flags.ts";

/** @throws StartError */
export function authenticationSettingsOf(flags: Flags): AuthenticationSettings {
  const proxies = lastOf(flags, "requestheader-client-ca-file");
  return {
    anonymousAuth: booleanOf(flags, "anonymous-auth"),
    clientCaFile: lastOf(flags, "client-ca-file"),
    bootstrapTokens: booleanOf(flags, "enable-bootstrap-token-auth") ?? false,
    requestHeader:
      proxies === undefined
        ? undefined
        : {
            clientCaFile: proxies,
            allowedNames: listOf(flags, "requestheader-allowed-names"),
            usernameHeaders: listOf(flags, "requestheader-username-headers"),
            uidHeaders: listOf(flags, "requestheader-uid-headers"),
            groupHeaders: listOf(flags, "requestheader-group-headers"),
            extraHeaderPrefixes: listOf(flags, "requestheader-extra-headers-prefix"),
          },
  };
}
