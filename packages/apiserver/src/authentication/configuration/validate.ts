/** What is wrong with an AuthenticationConfiguration, in Kubernetes' words. */
import { type FieldError, field } from "@coxswain/machinery";
import { type CompiledIssuer, compileIssuer } from "./compile-issuer.ts";
import type { AuthenticationConfiguration } from "./document.ts";
import { ExpressionCompiler } from "./expressions.ts";

const maxIssuers = 64;

export interface CompiledConfiguration {
  readonly issuers: readonly CompiledIssuer[];
  readonly errors: readonly FieldError[];
}

/** @param disallowedIssuers those whose tokens are checked in another way: the server's own */
export function compileConfiguration(
  { jwt = [], anonymous }: AuthenticationConfiguration,
  disallowedIssuers: readonly string[],
): CompiledConfiguration {
  if (jwt.length > maxIssuers) return { issuers: [], errors: [field.tooMany("jwt", jwt.length, maxIssuers)] };
  const errors: FieldError[] = [];
  const compiler = new ExpressionCompiler();
  const urls = new Set<string>();
  const discoveryUrls = new Set<string>();
  const issuers = jwt.map((one, i) => {
    const path = `jwt[${i}]`;
    const compiled = compileIssuer(one, { compiler, path, errors, disallowedIssuers });
    const { url, discoveryURL = "" } = one.issuer;
    if (urls.has(url)) errors.push(field.duplicate(`${path}.issuer.url`, url));
    urls.add(url);
    if (discoveryUrls.has(discoveryURL)) errors.push(field.duplicate(`${path}.issuer.discoveryURL`, discoveryURL));
    if (discoveryURL !== "") discoveryUrls.add(discoveryURL);
    return compiled;
  });
  const conditions = anonymous?.conditions ?? [];
  if (anonymous?.enabled === false && conditions.length > 0) {
    const shown = conditions.map(({ path }) => ({ Path: path }));
    errors.push(field.invalid("anonymous.conditions", shown, "enabled should be set to true when conditions are defined"));
  }
  return { issuers, errors };
}
