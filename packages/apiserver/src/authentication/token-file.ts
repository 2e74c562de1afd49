/**
 * The file of `--token-auth-file`: `token,user,uid` and, if there are any, `"group1,group2"`.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file
 */
import { parseCsv } from "./csv.ts";

/** A user with the token that proves who it is. */
export interface TokenUser {
  readonly token: string;
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
}

/** How what is wrong with a token file is reported. */
export interface TokenFileOptions {
  /** How messages call the file. */
  readonly path?: string;
  /** Gets what is odd but does no harm: empty tokens (left out) and duplicates (the last one has the token). */
  readonly warn?: (message: string) => void;
}

/** Reads a token file, one user a line. @throws Error when the text is not such a file, with the place or the number of columns found. */
export function parseTokenFile(text: string, { path = "", warn }: TokenFileOptions = {}): TokenUser[] {
  const users = new Map<string, TokenUser>();
  for (const [index, record] of parseCsv(text).entries()) {
    const [token, name, uid, groups] = record;
    if (token === undefined || name === undefined || uid === undefined) {
      throw new Error(`token file '${path}' must have at least 3 columns (token, user name, user uid), found ${record.length}`);
    }
    if (token === "") {
      warn?.(`empty token has been found in token file '${path}', record number '${index + 1}'`);
      continue;
    }
    if (users.has(token)) warn?.(`duplicate token has been found in token file '${path}', record number '${index + 1}'`);
    users.set(token, { token, name, uid, groups: groups === undefined ? [] : groups.split(",") });
  }
  return [...users.values()];
}
