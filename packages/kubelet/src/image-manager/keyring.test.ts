import assert from "node:assert/strict";
import { test } from "node:test";
import { base64 } from "../volume-manager/objects-under-test.ts";
import { credentialsFor, matches } from "./keyring.ts";

const places = [
  { place: "reg.example.com", repository: "reg.example.com/app", fits: true },
  { place: "reg.example.com/team", repository: "reg.example.com/team/app", fits: true },
  { place: "reg.example.com/team", repository: "reg.example.com/other/app", fits: false },
  { place: "*.example.com", repository: "reg.example.com/app", fits: true },
  { place: "*.example.com", repository: "a.b.example.com/app", fits: false },
  { place: "reg?.example.com", repository: "reg1.example.com/app", fits: true },
  { place: "*", repository: "localhost/app", fits: true },
  { place: "reg.example.com:5000", repository: "reg.example.com:5000/app", fits: true },
  { place: "reg.example.com", repository: "reg.example.com:5000/app", fits: false },
];
for (const { place, repository, fits } of places)
  test(`${place} ${fits ? "is" : "is not"} for ${repository}`, () => assert.equal(matches(place, repository), fits));

const secretOf = (auths: object) => ({ type: "kubernetes.io/dockercfg", data: { ".dockercfg": base64(JSON.stringify(auths)) } });
const users = (repository: string, auths: object) => credentialsFor(repository, [secretOf(auths)]).map(({ auth }) => auth.username);

test("the default registry is meant where none is named", () => {
  assert.deepEqual(users("docker.io/library/nginx", { "https://index.docker.io/v1/": { username: "hub" } }), ["hub"]);
  assert.deepEqual(users("reg.example.com/nginx", { "https://index.docker.io/v1/": { username: "hub" } }), []);
});

test("what is more specific is tried first", () => {
  const auths = { "reg.example.com": { username: "any" }, "reg.example.com/team": { username: "team" } };
  assert.deepEqual(users("reg.example.com/team/app", auths), ["team", "any"]);
});

test("what is no such file holds nothing, or is refused", () => {
  for (const auths of [null, [], "x", { a: null }]) assert.deepEqual(users("a/b", auths as object).filter(Boolean), []);
  const broken = { type: "kubernetes.io/dockercfg", data: { ".dockercfg": base64("{") } };
  assert.throws(() => credentialsFor("a/b", [broken]), SyntaxError);
});
