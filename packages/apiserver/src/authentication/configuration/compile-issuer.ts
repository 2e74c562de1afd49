/** One issuer of an AuthenticationConfiguration, checked and compiled. */
import { type FieldError, field, regexMessage, validateDns1123Subdomain } from "@coxswain/machinery";
import type { ClaimMapping, ClaimMappings, JwtAuthenticatorConfiguration } from "./document.ts";
import { type ClaimExpression, type ExpressionCompiler, type ExpressionKind, readsClaim } from "./expressions.ts";
import { validateIssuer } from "./validate-issuer.ts";

/** What tokens of an issuer are checked by, with its expressions compiled. */
export interface CompiledIssuer {
  readonly configuration: JwtAuthenticatorConfiguration;
  readonly username: ClaimExpression | undefined;
  readonly groups: ClaimExpression | undefined;
  readonly uid: ClaimExpression | undefined;
  readonly extra: readonly { readonly key: string; readonly value: ClaimExpression }[];
  readonly claimRules: readonly CompiledRule[];
  readonly userRules: readonly CompiledRule[];
}

/** An expression that must be true. */
export interface CompiledRule {
  readonly expression: ClaimExpression;
  readonly message: string;
}

interface Place {
  readonly compiler: ExpressionCompiler;
  readonly path: string;
  /** Gets what is wrong. */
  readonly errors: FieldError[];
}

export function compileIssuer(
  configuration: JwtAuthenticatorConfiguration,
  at: Place & { readonly disallowedIssuers: readonly string[] },
): CompiledIssuer {
  const { issuer, claimMappings } = configuration;
  at.errors.push(...validateIssuer(issuer, `${at.path}.issuer`, at.disallowedIssuers));
  const claimRules = compileClaimRules(configuration, below(at, "claimValidationRules"));
  const mappings = compileMappings(claimMappings, claimRules, below(at, "claimMappings"));
  const userRules = compileUserRules(configuration, below(at, "userValidationRules"));
  return { configuration, ...mappings, claimRules, userRules };
}

const below = ({ path, ...at }: Place, name: string): Place => ({ ...at, path: `${path}.${name}` });
const item = ({ path, ...at }: Place, index: number): Place => ({ ...at, path: `${path}[${index}]` });
const isSet = (text: string | undefined): text is string => text !== undefined && text !== "";

/** Undefined for one that is wrong. */
function compile(source: string, kind: ExpressionKind, { compiler, path, errors }: Place): ClaimExpression | undefined {
  const compiled = compiler.compile(source, kind);
  if (typeof compiled !== "string") return compiled;
  errors.push(field.invalid(path, source, compiled));
  return undefined;
}

function compileClaimRules({ claimValidationRules = [] }: JwtAuthenticatorConfiguration, at: Place): CompiledRule[] {
  const { errors } = at;
  const claims = new Set<string>();
  const expressions = new Set<string>();
  return claimValidationRules.flatMap(({ claim, requiredValue, expression, message = "" }, i) => {
    const here = item(at, i);
    const { path } = here;
    if (isSet(claim) && isSet(expression)) errors.push(field.invalid(path, claim, "claim and expression can't both be set"));
    else if (isSet(claim)) {
      if (message !== "") errors.push(field.invalid(`${path}.message`, message, "may not be specified when claim is set"));
      if (claims.has(claim)) errors.push(field.duplicate(`${path}.claim`, claim));
      claims.add(claim);
    } else if (isSet(expression)) {
      if (isSet(requiredValue))
        errors.push(field.invalid(`${path}.requiredValue`, requiredValue, "may not be specified when expression is set"));
      return compileRule({ expression, message }, "claims", expressions, here);
    } else errors.push(field.required(path, "claim or expression is required"));
    return [];
  });
}

function compileUserRules({ userValidationRules = [] }: JwtAuthenticatorConfiguration, at: Place): CompiledRule[] {
  const expressions = new Set<string>();
  return userValidationRules.flatMap(({ expression, message = "" }, i) => {
    const here = item(at, i);
    if (expression !== "") return compileRule({ expression, message }, "user", expressions, here);
    at.errors.push(field.required(`${here.path}.expression`));
    return [];
  });
}

function compileRule(
  { expression, message }: { readonly expression: string; readonly message: string },
  variable: ExpressionKind["variable"],
  before: Set<string>,
  at: Place,
): CompiledRule[] {
  const here = below(at, "expression");
  if (before.has(expression)) {
    here.errors.push(field.duplicate(here.path, expression));
    return [];
  }
  before.add(expression);
  const compiled = compile(expression, { variable, result: "bool" }, here);
  return compiled === undefined ? [] : [{ expression: compiled, message }];
}

type Mappings = Pick<CompiledIssuer, "username" | "groups" | "uid" | "extra">;

function compileMappings({ username, groups, uid, extra = [] }: ClaimMappings, rules: readonly CompiledRule[], at: Place): Mappings {
  const mapped = {
    username: compileMapping(username, below(at, "username"), true),
    groups: compileMapping(groups, below(at, "groups"), false),
    uid: compileUid(uid, below(at, "uid")),
    extra: compileExtra(extra, below(at, "extra")),
  };
  const reads = (expression: ClaimExpression | undefined, claim: string): boolean =>
    expression !== undefined && readsClaim(expression.tree, claim);
  const checked = [mapped.username, ...mapped.extra.map(({ value }) => value), ...rules.map(({ expression }) => expression)];
  if (reads(mapped.username, "email") && !checked.some((expression) => reads(expression, "email_verified"))) {
    const where =
      "claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression";
    at.errors.push(field.invalid(`${at.path}.username.expression`, username.expression, where));
  }
  return mapped;
}

const bothSet = "claim and expression can't both be set";

function compileMapping({ claim, prefix, expression }: ClaimMapping, at: Place, isRequired: boolean): ClaimExpression | undefined {
  const { path, errors } = at;
  if (isSet(expression) && isSet(claim)) errors.push(field.invalid(path, "", bothSet));
  else if (isSet(expression)) {
    if (prefix !== undefined) errors.push(field.invalid(`${path}.prefix`, prefix, "may not be specified when expression is set"));
    return compile(expression, { variable: "claims", result: "any" }, below(at, "expression"));
  } else if (!isSet(claim)) {
    if (isRequired) errors.push(field.required(path, "claim or expression is required"));
  } else if (prefix === undefined) {
    errors.push(
      field.required(`${path}.prefix`, "prefix is required when claim is set. It can be set to an empty string to disable prefixing"),
    );
  }
  return undefined;
}

function compileUid({ claim, expression }: ClaimMapping, at: Place): ClaimExpression | undefined {
  if (!isSet(expression)) return undefined;
  if (!isSet(claim)) return compile(expression, { variable: "claims", result: "any" }, below(at, "expression"));
  at.errors.push(field.invalid(at.path, "", bothSet));
  return undefined;
}

function compileExtra(extra: NonNullable<ClaimMappings["extra"]>, at: Place): CompiledIssuer["extra"] {
  const keys = new Set<string>();
  return extra.flatMap(({ key, valueExpression }, i) => {
    const here = item(at, i);
    const { errors } = at;
    errors.push(...validateKey(key, `${here.path}.key`));
    if (keys.has(key)) {
      errors.push(field.duplicate(`${here.path}.key`, key));
      return [];
    }
    keys.add(key);
    if (valueExpression === "") {
      errors.push(field.required(`${here.path}.valueExpression`));
      return [];
    }
    const value = compile(valueExpression, { variable: "claims", result: "any" }, below(here, "valueExpression"));
    return value === undefined ? [] : [{ key, value }];
  });
}

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const isPath = new RegExp(`^${pathPattern}$`);

function validateKey(key: string, path: string): FieldError[] {
  const errors = validateDomainPrefixedPath(key, path);
  if (key !== key.toLowerCase()) errors.push(field.invalid(path, key, "must be lowercase"));
  const slash = key.indexOf("/");
  const domain = slash < 0 ? "" : key.slice(0, slash);
  if (["kubernetes.io", "k8s.io"].some((own) => domain === own || domain.endsWith(`.${own}`))) {
    errors.push(field.invalid(path, key, "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use"));
  }
  return errors;
}

function validateDomainPrefixedPath(key: string, path: string): FieldError[] {
  if (key === "") return [field.required(path)];
  const slash = key.indexOf("/");
  const [host, rest] = slash < 0 ? ["", ""] : [key.slice(0, slash), key.slice(slash + 1)];
  if (host === "" || rest === "") return [field.invalid(path, key, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const errors = validateDns1123Subdomain(host).map((problem) => field.invalid(path, host, problem));
  if (!isPath.test(rest)) errors.push(field.invalid(path, rest, regexMessage("Invalid path", pathPattern)));
  return errors;
}
