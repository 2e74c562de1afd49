/**
 * What extends the API server from Pods of these tests, over TLS at 8443: webhooks of admission (/mutate, /validate) and conversion
 * (/convert), and a server of the group boats.example.com.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { hostname } from "node:os";

const boats = "/apis/boats.example.com/v1";
const apiVersion = "boats.example.com/v1";
/** By namespace and name. */
const stored = new Map();
const watchers = new Set();
/** All that has happened. */
const events = [];
let revision = 1;

const [key, cert, ca] = ["tls.key", "tls.crt", "front-proxy-ca.crt"].map((name) => readFileSync(`/tls/${name}`));
// Only who passes requests on has a certificate; webhooks are called without one.
const server = createServer({ key, cert, ca, requestCert: true, rejectUnauthorized: false }, async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const { pathname, searchParams } = new URL(request.url, "https://agent");
  const reviewed = reviewers[pathname];
  if (reviewed !== undefined) return send(response, 200, reviewed(JSON.parse(body)));
  if (pathname === "/") return response.end(hostname());
  if (!`${pathname}/`.startsWith(`${boats}/`)) return send(response, 404, failure(404, "NotFound", `no ${pathname}`));
  const watched = searchParams.has("watch") ? Number(searchParams.get("resourceVersion") ?? 0) : undefined;
  serveBoats(request, response, { path: pathname.slice(boats.length), watched, body });
});
server.listen(8443);
process.on("SIGTERM", () => {
  server.close(() => process.exit());
  // An API server keeps connections; what is under way is answered.
  server.closeIdleConnections();
  for (const response of watchers) response.end();
});

const send = (response, status, object) =>
  response.writeHead(status, { "content-type": "application/json" }).end(`${JSON.stringify(object)}\n`);
const failure = (code, reason, message) => ({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message });

const reviewOf = ({ kind, apiVersion, request: { uid } }, response) => ({ kind, apiVersion, response: { uid, ...response } });
const reviewers = {
  "/mutate": (review) => {
    const patch = [{ op: "add", path: "/metadata/labels/seen-by", value: hostname() }];
    return reviewOf(review, { allowed: true, patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") });
  },
  "/validate": (review) =>
    reviewOf(
      review,
      review.request.object.data?.password === undefined
        ? { allowed: true }
        : { allowed: false, status: { code: 403, reason: "Forbidden", message: "passwords belong into Secrets" } },
    ),
  "/convert": (review) =>
    reviewOf(review, {
      result: { status: "Success" },
      convertedObjects: review.request.objects.map((object) => converted(object, review.request.desiredAPIVersion)),
    }),
};

/** v1 has `spec.address`, v2 `spec.host` and `spec.port`. */
function converted({ spec, ...object }, apiVersion) {
  if (object.apiVersion === apiVersion) return { ...object, spec };
  if (apiVersion.endsWith("/v1")) return { ...object, apiVersion, spec: { address: `${spec.host}:${spec.port}` } };
  const [host, port] = spec.address.split(":");
  return { ...object, apiVersion, spec: { host, port: Number(port) } };
}

/** @param watched after which revision; undefined: it is no watch */
function serveBoats(request, response, { path, watched, body }) {
  const [, , namespace = "default", , name] = path.split("/");
  const boat = stored.get(`${namespace}/${name}`);
  if (path === "") return send(response, 200, { kind: "APIResourceList", apiVersion: "v1", groupVersion: apiVersion, resources });
  if (name === "whoami") return send(response, 200, boatOf(namespace, "whoami", asker(request)));
  if (request.method === "POST") {
    const { metadata, spec } = JSON.parse(body);
    return send(response, 201, change("ADDED", boatOf(namespace, metadata.name, spec)));
  }
  if (name !== undefined && boat === undefined)
    return send(response, 404, failure(404, "NotFound", `boats.boats.example.com "${name}" not found`));
  if (request.method === "DELETE") return send(response, 200, change("DELETED", boat));
  if (name !== undefined) return send(response, 200, boat);
  if (watched === undefined) {
    const metadata = { resourceVersion: String(revision) };
    return send(response, 200, { kind: "BoatList", apiVersion, metadata, items: [...stored.values()] });
  }
  response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
  for (const { object, line } of events) if (Number(object.metadata.resourceVersion) > watched) response.write(line);
  watchers.add(response);
  response.on("close", () => watchers.delete(response));
}

const verbs = ["create", "delete", "get", "list", "watch"];
const resources = [{ name: "boats", singularName: "boat", kind: "Boat", namespaced: true, verbs }];

const boatOf = (namespace, name, spec) => ({
  kind: "Boat",
  apiVersion,
  metadata: {
    name,
    namespace,
    uid: `${namespace}-${name}`,
    resourceVersion: String(++revision),
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
  spec,
});

const asker = ({ headers, socket }) => ({
  user: headers["x-remote-user"],
  groups: headers["x-remote-group"],
  client: socket.authorized ? socket.getPeerCertificate().subject?.CN : undefined,
  token: headers.authorization,
});

function change(type, object) {
  const key = `${object.metadata.namespace}/${object.metadata.name}`;
  if (type === "DELETED") {
    stored.delete(key);
    object.metadata.resourceVersion = String(++revision);
  } else stored.set(key, object);
  const line = `${JSON.stringify({ type, object })}\n`;
  events.push({ object, line });
  for (const response of watchers) response.write(line);
  return object;
}
