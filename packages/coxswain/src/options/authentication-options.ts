/** How clients may prove who they are: options that are called as kube-apiserver's. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { parseList } from "./parse-values.ts";

/** What the options of authentication come to; files are not read yet. */
export interface AuthenticationSettings {
  /** Undefined: where the command lets requests without credentials in by default. */
  readonly anonymousAuth?: boolean | undefined;
  readonly clientCaFile?: string | undefined;
  readonly bootstrapTokens?: boolean | undefined;
  readonly requestHeader?: RequestHeaderSettings | undefined;
}

/** Proxies that say for whom they ask. */
export interface RequestHeaderSettings {
  readonly clientCaFile: string;
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export interface ParsedAuthenticationOptions {
  readonly anonymousAuth?: boolean;
  readonly clientCaFile?: string;
  readonly enableBootstrapTokenAuth?: true;
  readonly requestheaderClientCaFile?: string;
  readonly requestheaderAllowedNames: readonly string[];
  readonly requestheaderUsernameHeaders: readonly string[];
  readonly requestheaderUidHeaders: readonly string[];
  readonly requestheaderGroupHeaders: readonly string[];
  readonly requestheaderExtraHeadersPrefix: readonly string[];
}

export const addAuthenticationOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        "--anonymous-auth [boolean]",
        "whether requests without credentials are of system:anonymous (default: those for health and version)",
      ).argParser(parseBoolean),
    )
    .option("--client-ca-file <file>", "whose clients' certificates count besides those that are issued here; read again when it changes")
    .option("--enable-bootstrap-token-auth", "let nodes in that have the token of a Secret of type bootstrap.kubernetes.io/token")
    .option("--requestheader-client-ca-file <file>", "whose clients are proxies, which say in headers for whom they ask")
    .option("--requestheader-allowed-names <names>", "common names of proxies (default: all that the file vouches for)", parseHeaders, [])
    .option("--requestheader-username-headers <names>", "where proxies say the user's name: X-Remote-User", parseHeaders, [])
    .option("--requestheader-uid-headers <names>", "where they say the uid: X-Remote-Uid", parseHeaders, [])
    .option("--requestheader-group-headers <names>", "where they say the groups: X-Remote-Group", parseHeaders, [])
    .option("--requestheader-extra-headers-prefix <prefixes>", "how headers with more begin: X-Remote-Extra-", parseHeaders, []);

export function authenticationSettingsOf(parsed: ParsedAuthenticationOptions): AuthenticationSettings {
  const { anonymousAuth, clientCaFile, requestheaderClientCaFile } = parsed;
  return {
    anonymousAuth,
    clientCaFile,
    bootstrapTokens: parsed.enableBootstrapTokenAuth === true,
    requestHeader:
      requestheaderClientCaFile === undefined
        ? undefined
        : {
            clientCaFile: requestheaderClientCaFile,
            allowedNames: parsed.requestheaderAllowedNames,
            usernameHeaders: parsed.requestheaderUsernameHeaders,
            uidHeaders: parsed.requestheaderUidHeaders,
            groupHeaders: parsed.requestheaderGroupHeaders,
            extraHeaderPrefixes: parsed.requestheaderExtraHeadersPrefix,
          },
  };
}

function parseBoolean(text: string): boolean {
  if (text !== "true" && text !== "false") throw new InvalidArgumentError("It must be true or false.");
  return text === "true";
}

function parseHeaders(text: string): string[] {
  const names = parseList(text);
  if (names.length === 0) throw new InvalidArgumentError("It must name at least one.");
  return names;
}
