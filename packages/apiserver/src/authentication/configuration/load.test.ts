import assert from "node:assert/strict";
import { test } from "node:test";
import { loadAuthenticationConfiguration } from "./load.ts";

const head = "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n";
const load = (text: string) => loadAuthenticationConfiguration(text, { disallowedIssuers: ["https://own.example"] });
const problemOf = (text: string): Promise<string> =>
  load(text).then(
    () => "",
    (error: Error) => error.message,
  );

const broken = [
  { name: "an empty file", text: "", expect: "empty config data" },
  { name: "no kind", text: "apiVersion: a/v1\njwt: []\n", expect: "Object 'Kind' is missing in 'apiVersion: a/v1\njwt: []\n'" },
  { name: "no apiVersion", text: "kind: X\n", expect: "Object 'apiVersion' is missing in 'kind: X\n'" },
  {
    name: "another version",
    text: head.replace("v1", "v2"),
    expect: /^no kind "AuthenticationConfiguration" is registered for version "api.*v2"/,
  },
  {
    name: "another kind",
    text: "apiVersion: v1\nkind: Pod\n",
    expect: 'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
  },
  {
    name: "the configuration of authorization",
    text: "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers: []\n",
    expect: "expected AuthenticationConfiguration, got *apiserver.AuthorizationConfiguration",
  },
  { name: "what cannot be read", text: "{", expect: /^couldn't get version\/kind; json parse error: / },
  {
    name: "a list",
    text: "- a\n",
    expect:
      'couldn\'t get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
  },
  {
    name: "fields that are unknown or twice there",
    text: `${head}foo: 1\njwt:\n- issuer:\n    url: https://x\n    url: https://y\n    bar: 2\n`,
    expect:
      'strict decoding error: yaml: unmarshal errors:\n  line 7: key "url" already set in map, unknown field "foo", unknown field "jwt[0].issuer.bar"',
  },
  {
    name: "a number for a text",
    text: `${head}jwt:\n- issuer:\n    url: 5\n`,
    expect: "json: cannot unmarshal number into Go struct field Issuer.jwt.issuer.url of type string",
  },
  {
    name: "an object for a list",
    text: `${head}jwt: {}\n`,
    expect: "json: cannot unmarshal object into Go struct field AuthenticationConfiguration.jwt of type []v1.JWTAuthenticator",
  },
];
for (const { name, text, expect } of broken) {
  test(`authentication configuration: ${name} is refused in Kubernetes' words`, async () => {
    const problem = await problemOf(text);
    if (typeof expect === "string") assert.equal(problem, expect);
    else assert.match(problem, expect);
  });
}

const mapped = 'claimMappings: {username: {claim: sub, prefix: ""}}';
const withIssuer = (issuer: string, more = ""): string => `${head}jwt:\n- issuer: {${issuer}}\n  ${mapped}\n${more}`;
const url = "url: https://a.example";
const audience = "audiences: [a]";
const withMapping = (mappings: string, more = ""): string =>
  `${head}jwt:\n- issuer: {${url}, ${audience}}\n  claimMappings: ${mappings}\n${more}`;
const plain = 'username: {claim: sub, prefix: ""}';

/** Each was said by kube-apiserver 1.36.3. */
const refused: readonly { text: string; expect: readonly string[] }[] = [
  {
    text: withIssuer(`url: "http://user:pw@x?q#f", discoveryURL: "http://user:pw@x?q#f", audiences: [], certificateAuthority: abc`),
    expect: [
      'jwt[0].issuer.url: Invalid value: "http://user:pw@x?q#f": URL scheme must be https',
      'jwt[0].issuer.url: Invalid value: "http://user:pw@x?q#f": URL must not contain a username or password',
      'jwt[0].issuer.url: Invalid value: "http://user:pw@x?q#f": URL must not contain a query',
      'jwt[0].issuer.url: Invalid value: "http://user:pw@x?q#f": URL must not contain a fragment',
      'jwt[0].issuer.discoveryURL: Invalid value: "http://user:pw@x?q#f": discoveryURL must be different from URL',
      'jwt[0].issuer.discoveryURL: Invalid value: "http://user:pw@x?q#f": URL scheme must be https',
      'jwt[0].issuer.discoveryURL: Invalid value: "http://user:pw@x?q#f": URL must not contain a username or password',
      'jwt[0].issuer.discoveryURL: Invalid value: "http://user:pw@x?q#f": URL must not contain a query',
      'jwt[0].issuer.discoveryURL: Invalid value: "http://user:pw@x?q#f": URL must not contain a fragment',
      "jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required",
      'jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates',
    ],
  },
  {
    text: withIssuer(`${url}, ${audience}, egressSelectorType: foo`),
    expect: ['jwt[0].issuer.egressSelectorType: Invalid value: "foo": egress selector must be either controlplane or cluster'],
  },
  { text: withIssuer(`url: "", ${audience}`), expect: ["jwt[0].issuer.url: Required value"] },
  {
    text: withIssuer(`url: "https://%zz", ${audience}`),
    expect: ['jwt[0].issuer.url: Invalid value: "https://%zz": parse "https://%zz": invalid URL escape "%zz"'],
  },
  {
    text: withIssuer(`${url}, discoveryURL: "https://a.example/", audiences: [a, a, ""], audienceMatchPolicy: Foo`),
    expect: [
      'jwt[0].issuer.discoveryURL: Invalid value: "https://a.example/": discoveryURL must be different from URL',
      'jwt[0].issuer.audiences[1]: Duplicate value: "a"',
      "jwt[0].issuer.audiences[2]: Required value",
      'jwt[0].issuer.audienceMatchPolicy: Invalid value: "Foo": audienceMatchPolicy must be MatchAny for multiple audiences',
    ],
  },
  {
    text: withIssuer(`${url}, ${audience}, audienceMatchPolicy: Foo`),
    expect: ['jwt[0].issuer.audienceMatchPolicy: Invalid value: "Foo": audienceMatchPolicy must be empty or MatchAny for single audience'],
  },
  {
    text: withIssuer(`${url}, ${audience}`, `- issuer: {${url}, ${audience}}\n  ${mapped}\n`),
    expect: ['jwt[1].issuer.url: Duplicate value: "https://a.example"'],
  },
  {
    text: withIssuer(`url: https://own.example, ${audience}`),
    expect: [
      'jwt[0].issuer.url: Invalid value: "https://own.example": URL must not overlap with disallowed issuers: [https://own.example]',
    ],
  },
  {
    text: withMapping("{username: {}, groups: {claim: g}, uid: {claim: a, expression: b}}"),
    expect: [
      "jwt[0].claimMappings.username: Required value: claim or expression is required",
      "jwt[0].claimMappings.groups.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing",
      `jwt[0].claimMappings.uid: Invalid value: "": claim and expression can't both be set`,
    ],
  },
  {
    text: withMapping("{username: {claim: a, expression: b}}"),
    expect: [`jwt[0].claimMappings.username: Invalid value: "": claim and expression can't both be set`],
  },
  {
    text: withMapping("{username: {expression: claims.sub, prefix: x}}"),
    expect: ['jwt[0].claimMappings.username.prefix: Invalid value: "x": may not be specified when expression is set'],
  },
  ...["claims.email", "claims.?email.orValue('')", "[1].map(x, claims.email)[0]"].map((expression) => ({
    text: withMapping(`{username: {expression: "${expression}"}}`),
    expect: [
      `jwt[0].claimMappings.username.expression: Invalid value: "${expression}": claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression`,
    ],
  })),
  {
    text: withMapping(
      `{${plain}, extra: [{key: Foo}, {key: example.com/Foo, valueExpression: claims.foo}, {key: k8s.io/foo, valueExpression: "claims.("}, {key: k8s.io/foo, valueExpression: claims.foo}, {key: "a_b.c/d e", valueExpression: claims.foo}]}`,
    ),
    expect: [
      'jwt[0].claimMappings.extra[0].key: Invalid value: "Foo": must be a domain-prefixed path (such as "acme.io/foo")',
      'jwt[0].claimMappings.extra[0].key: Invalid value: "Foo": must be lowercase',
      "jwt[0].claimMappings.extra[0].valueExpression: Required value",
      'jwt[0].claimMappings.extra[1].key: Invalid value: "example.com/Foo": must be lowercase',
      'jwt[0].claimMappings.extra[2].key: Invalid value: "k8s.io/foo": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use',
      "jwt[0].claimMappings.extra[2].valueExpression: Invalid value: \"claims.(\": compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.('\n | claims.(\n | .......^",
      'jwt[0].claimMappings.extra[3].key: Invalid value: "k8s.io/foo": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use',
      'jwt[0].claimMappings.extra[3].key: Duplicate value: "k8s.io/foo"',
      "jwt[0].claimMappings.extra[4].key: Invalid value: \"a_b.c\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "jwt[0].claimMappings.extra[4].key: Invalid value: \"d e\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
    ],
  },
  {
    text: withMapping(
      `{${plain}}`,
      '  claimValidationRules: [{}, {claim: a, expression: b}, {claim: a, message: b}, {claim: a}, {expression: "1", requiredValue: x}, {expression: "true"}, {expression: "true"}, {expression: claims.foo}]\n',
    ),
    expect: [
      "jwt[0].claimValidationRules[0]: Required value: claim or expression is required",
      `jwt[0].claimValidationRules[1]: Invalid value: "a": claim and expression can't both be set`,
      'jwt[0].claimValidationRules[2].message: Invalid value: "b": may not be specified when claim is set',
      'jwt[0].claimValidationRules[3].claim: Duplicate value: "a"',
      'jwt[0].claimValidationRules[4].requiredValue: Invalid value: "x": may not be specified when expression is set',
      'jwt[0].claimValidationRules[4].expression: Invalid value: "1": must evaluate to bool',
      'jwt[0].claimValidationRules[6].expression: Duplicate value: "true"',
      'jwt[0].claimValidationRules[7].expression: Invalid value: "claims.foo": must evaluate to bool',
    ],
  },
  {
    text: withMapping(
      `{${plain}}`,
      '  userValidationRules: [{}, {expression: user.foo}, {expression: user.username}, {expression: "true"}, {expression: "true"}]\n',
    ),
    expect: [
      "jwt[0].userValidationRules[0].expression: Required value",
      "jwt[0].userValidationRules[1].expression: Invalid value: \"user.foo\": compilation failed: ERROR: <input>:1:5: undefined field 'foo'\n | user.foo\n | ....^",
      'jwt[0].userValidationRules[2].expression: Invalid value: "user.username": must evaluate to bool',
      'jwt[0].userValidationRules[4].expression: Duplicate value: "true"',
    ],
  },
  {
    text: `${head}anonymous: {enabled: false, conditions: [{path: /x}]}\n`,
    expect: ['anonymous.conditions: Invalid value: [{"Path":"/x"}]: enabled should be set to true when conditions are defined'],
  },
  {
    text: `${head}jwt:\n${`- issuer: {${url}, ${audience}}\n  ${mapped}\n`.repeat(65)}`,
    expect: ["jwt: Too many: 65: must have at most 64 items"],
  },
];
for (const { text, expect } of refused) {
  test(`authentication configuration: ${expect[0]?.slice(0, 100)}`, async () =>
    assert.equal(
      await problemOf(text),
      `invalid authentication configuration: ${expect.length === 1 ? expect[0] : `[${expect.join(", ")}]`}`,
    ));
}

for (const version of ["v1", "v1beta1", "v1alpha1"]) {
  test(`authentication configuration: ${version} with an issuer and paths for anonymous requests`, async () => {
    const text = `${withIssuer(`${url}, ${audience}`)}anonymous: {enabled: true, conditions: [{path: /livez}, {path: /readyz}]}\n`;
    const { issuers, anonymous } = await load(text.replace("/v1", `/${version}`));
    assert.deepEqual(
      issuers.map(({ configuration }) => configuration.issuer.url),
      ["https://a.example"],
    );
    assert.deepEqual(anonymous, { enabled: true, paths: ["/livez", "/readyz"] });
  });
}

test("authentication configuration: email may be the name where it is checked that it is verified", async () => {
  for (const more of [
    `{username: {expression: "claims.email_verified ? claims.email : ''"}}`,
    "{username: {expression: claims.email}, extra: [{key: a.example/v, valueExpression: 'string(claims.?email_verified.orValue(false))'}]}",
  ]) {
    assert.equal(await problemOf(withMapping(more)), "");
  }
  const rule = '  claimValidationRules: [{expression: "claims.?email_verified.orValue(true) == true"}]\n';
  assert.equal(await problemOf(withMapping("{username: {expression: claims.email}}", rule)), "");
});
