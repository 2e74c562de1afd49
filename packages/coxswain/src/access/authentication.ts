/** Authentication as the options want it: the files that they name, read and followed. */
import { type AnonymousAuth, type AuthenticationOptions, type ContentProvider, type Log, parseCertificates } from "@coxswain/apiserver";
import { type Clock, DisposableStack } from "@coxswain/machinery";
import type { AuthenticationSettings, RequestHeaderSettings } from "../options/authentication-options.ts";
import { type FollowedFile, followFile } from "../process/follow-file.ts";
import { StartError } from "../process/start-error.ts";

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  /** Where requests without credentials are let in unless the options say. */
  readonly anonymous: AnonymousAuth;
  readonly isPublished: boolean;
}

/** Follows its files until it is disposed of. */
export interface FollowedAuthentication extends Disposable {
  readonly options: AuthenticationOptions;
}

/** @throws StartError for a file that cannot be used */
export function followAuthenticationFiles(
  settings: AuthenticationSettings,
  { anonymous, isPublished, ...at }: Surroundings,
): FollowedAuthentication {
  using stack = new DisposableStack();
  const follow = <T>(file: Omit<FollowedFile<T>, keyof typeof at>): ContentProvider<T> => stack.use(followFile({ ...file, ...at }));
  const { clientCaFile, requestHeader, anonymousAuth } = settings;
  const clientAuthorities =
    clientCaFile === undefined ? undefined : follow({ path: clientCaFile, what: "--client-ca-file", parse: certificates });
  const options: AuthenticationOptions = {
    clientAuthorities,
    isPublished,
    bootstrapTokens: settings.bootstrapTokens,
    requestHeader: requestHeader && {
      ...requestHeader,
      clientAuthorities: follow({ path: requestHeader.clientCaFile, what: "--requestheader-client-ca-file", parse: certificates }),
    },
    anonymous: anonymousAuth === undefined ? anonymous : { enabled: anonymousAuth },
  };
  checkOverlap(clientAuthorities, options.requestHeader?.clientAuthorities, requestHeader);
  const owned = stack.move();
  return { options, [Symbol.dispose]: () => owned.dispose() };
}

/** @throws Error for a text without certificates, which would let nobody in */
function certificates(pem: string): string {
  if (parseCertificates(pem).length === 0) throw new Error("it has no certificates in PEM");
  return pem;
}

/** With one authority for users and for proxies, each user could say to be any other one. @throws StartError */
function checkOverlap(
  clients: ContentProvider<string> | undefined,
  proxies: ContentProvider<string> | undefined,
  settings: RequestHeaderSettings | undefined,
): void {
  if (clients === undefined || proxies === undefined || settings === undefined || settings.allowedNames.length > 0) return;
  const known = new Set(parseCertificates(clients.current).map(({ fingerprint256 }) => fingerprint256));
  if (parseCertificates(proxies.current).some(({ fingerprint256 }) => known.has(fingerprint256))) {
    throw new StartError(
      "--requestheader-client-ca-file and --client-ca-file contain overlapping certificates; --requestheader-allowed-names must be specified to ensure regular client certificates cannot set authenticating proxy headers for arbitrary users",
    );
  }
}
