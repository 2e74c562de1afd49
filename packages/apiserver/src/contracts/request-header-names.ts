/** In which headers proxies say who their users are. */
export interface RequestHeaderNames {
  /** Of these the first that has a value. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  /** Of these all values. */
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}
