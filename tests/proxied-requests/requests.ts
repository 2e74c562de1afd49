/** What is asked of both servers, by the name under which the answer is recorded. */
import { namespace } from "./objects.ts";

export interface ProxiedRequest {
  readonly name: string;
  readonly method: string;
  /** As it is sent, dots and all. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: Buffer | string;
  /** Sent once the connection is what was asked for. */
  readonly said?: string;
  /** Over HTTP/2. */
  readonly http2?: true;
}

const pod = (id: string, rest = "/"): string => `/api/v1/namespaces/${namespace}/pods/${id}/proxy${rest}`;
const service = (id: string, rest = "/"): string => `/api/v1/namespaces/${namespace}/services/${id}/proxy${rest}`;
const node = (id: string, rest = "/"): string => `/api/v1/nodes/${id}/proxy${rest}`;

const get = (path: string, more: Partial<ProxiedRequest> = {}): ProxiedRequest => {
  const method = more.method ?? "GET";
  return { method, path, ...more, name: more.name ?? `${method} ${path.replace(/^\/api\/v1\/(namespaces\/proxied\/)?/, "")}` };
};

const serviceIds = [
  ...["web", "web:", "web:http", "web:https", "web:80", "web:443", "web:8080", "web:nothing", "https:web:https", "https:web:443"],
  ...["http:web:http", "https:web:http", "https:web", "https:web:", "ftp:web:http", ":web:http", "::", ":", "a:b:c:d", ":web", "web:0"],
  ...["web:-1", "web:080", "web:%2B80", "web:99999", "web:99999999999999999999", "WEB", "gone", "gone:80", "gone:http", "https:gone:80"],
  ...["single", "single:", "single:80", "single:8080", "single:http", "single-named", "single-named:http", "single-named:80"],
  ...["no-endpoints", "no-endpoints:80", "empty", "empty:80", "empty:http", "not-ready", "not-ready:80", "no-reference", "other-namespace"],
  ...["no-pod", "another-address", "node-reference", "slice-only", "slice-only:80", "slice-differs", "headless", "headless:80"],
  ...["headless-no-ports", "headless-no-ports:8080", "external", "external:80", "external-endpoints", "external-endpoints:80"],
  ...["no-service:http", "no-service", "no-service:80", "two-subsets:http", "https:two-subsets:https", "two-subsets:443"],
  ...["two-protocols:80", "two-protocols:tcp", "two-protocols:udp", "silent", "dual", "dual:80"],
];

const podIds = [
  ...["web", "web:", "web:8080", "web:80", "web:http", "web:https", "https:web:8443", "https:web:", "https:web", "http:web:8080"],
  ...["https:web:8080", "web:8443", "web:0", "web:65536", "web:99999999", "web:-1", "web:08080", "web:80a", "web:nothing", "ftp:web:80"],
  ...["a:b:c:d", ":", "::", ":8080", "gone", "gone:8080", "no-port", "https:no-port:", "no-port:8080", "second", "pending", "loopback"],
  ...["link-local", "six", "six:8080", "six-no-port", "https:six-no-port:", "dual", "silent", "unrouted", "web:9999"],
];

const nodeIds = [
  ...[
    "web",
    "web:",
    "web:8443",
    "web:8080",
    "https:web:443",
    "http:web:8443",
    "https:web:8443",
    "web:http",
    "web:0",
    "web:65536",
    "web:9999",
  ],
  ...["ftp:web:80", "a:b:c:d", "gone", "gone:8080", "default-port", "default-port:8080", "silent", "silent:8080", "no-address"],
  ...["loopback", "loopback:8080", "link-local"],
];

const methods = ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "GET", "TRACE", "PROPFIND"];
const withBody = new Set(["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "GET"]);

const paths = [
  ...["", "?a=1", "/", "/?a=1", "//", "/a", "/a/", "/a//b", "//a//b//", "/a/./b", "/a/../b", "/../b", "/a/..", "/a/.", "/./", "/.."],
  ...["/a/%2e%2e/b", "/%2e%2e/b", "/a%2Fb", "/a%2fb/", "/a%20b", "/a+b", "/a%2Bb", "/%E2%82%AC", "/a%00b", "/a%3Fb", "/a%23b", "/a%25b"],
  ...[
    "/a;b=c",
    "/a:b",
    "/a@b",
    "/a,b",
    "/a=b",
    "/a&b",
    "/a$b",
    "/a!b",
    "/a*b",
    "/a'b",
    "/a(b)",
    "/~a",
    "/a|b",
    '/a"b',
    "/a[b]",
    "/a^b",
    "/a{b}",
    "/a`b",
  ],
  ...["/a%5Cb", "/a\\b", "/a?x=1&x=2&y", "/a?", "/a?x=%20+%2B", "/a??x", "/a?x=a;b", "/a?x=%zz", "/a%zz", "/a?timeout=5s", "/a?dryRun=All"],
  ...["/a?watch=true", "/a?pretty=true", "/a?fieldManager=x", "/a?x=[1]", "/proxy/", "/a?path=/b", "/api/v1/namespaces"],
];

const headersToPass: ProxiedRequest["headers"] = {
  authorization: "Bearer secret",
  cookie: "session=1",
  "user-agent": "tester/1",
  accept: "text/html",
  "accept-language": "de",
  "accept-encoding": "br",
  "x-own": "yes",
  "x-twice": ["a", "b"],
  te: "trailers",
  connection: "keep-alive, x-hop",
  "x-hop": "gone",
  "proxy-authorization": "Basic eA==",
  "proxy-connection": "keep-alive",
  "keep-alive": "timeout=5",
  "x-forwarded-for": "192.0.2.1",
  "x-forwarded-host": "evil.test",
  "x-forwarded-proto": "ftp",
  "x-forwarded-uri": "/evil",
  forwarded: "for=192.0.2.1",
  origin: "http://page.test",
  referer: "http://page.test/a",
  "if-none-match": '"abc"',
  range: "bytes=0-1",
  "x-remote-user": "jane",
  "x-remote-group": "admins",
  "x-remote-extra-a": "b",
  "audit-id": "of-the-client",
};

const upgrading = { connection: "Upgrade", upgrade: "websocket" };
const webSocket = { ...upgrading, "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "13" };

const behaviours = [
  ...[
    "/redirect?to=/moved",
    "/redirect?to=/moved/",
    "/redirect?to=relative",
    "/redirect?to=http://other.test/x",
    "/redirect?to=//other.test/x",
  ],
  ...[
    "/redirect?to=http://10.0.0.2:8080/own?x=1%23y",
    "/redirect?to=https://10.0.0.1:7443/asked",
    "/redirect?to=/a%2520b",
    "/redirect?to=%25zz",
  ],
  ...["/redirect?to=", "/redirect?to=/&status=301", "/redirect?to=/a&status=307", "/redirect?to=/a&status=200", "/redirect?to=/a/../b"],
  ...[
    "/redirect?to=/api/v1/namespaces/proxied/pods/web/proxy/x",
    "/redirect?to=?x=1",
    "/redirect?to=http:/a",
    "/redirect?to=mailto:a@b.test",
  ],
  ...["/redirect?to=http://user@10.0.0.2:8080/own", "/redirect?to=http://[::1", "/redirect?to=/a%3Ab", "/redirect?to=:x"],
  ...[
    "/html",
    "/html?type=text/html;%20charset=utf-8",
    "/html?type=text/plain",
    "/html?coding=gzip",
    "/html?coding=deflate",
    "/html?coding=br",
  ],
  ...[
    "/html?type=application/xhtml%2Bxml",
    "/headers",
    "/gzip",
    "/no-type",
    "/empty-body",
    "/no-content",
    "/not-modified",
    "/large",
    "/early",
  ],
  ...[
    "/trailers",
    "/empty-answer",
    "/reset",
    "/garbage",
    "/partial",
    "/switches",
    "/status?code=404",
    "/status?code=500",
    "/status?code=503",
  ],
  ...["/status?code=401", "/status?code=403", "/status?code=429", "/status?code=201", "/status?code=299", "/status?code=418"],
];

export const requests: readonly ProxiedRequest[] = [
  ...serviceIds.map((id) => get(service(id, "/x"))),
  ...podIds.map((id) => get(pod(id, "/x"))),
  ...nodeIds.map((id) => get(node(id, "/x"))),
  ...[pod("web"), service("single"), node("web")].flatMap((path) =>
    methods.map((method) =>
      get(path, {
        method,
        ...(withBody.has(method) ? { body: `body of ${method}`, headers: { "content-length": String(8 + method.length) } } : {}),
      }),
    ),
  ),
  ...["POST", "HEAD", "OPTIONS", "DELETE"].flatMap((method) =>
    [pod("web", ""), service("single", ""), node("web", "")].map((path) => get(path, { method })),
  ),
  ...paths.map((path) => get(pod("web", path))),
  ...["", "?a=1", "/a/../b", "//a", "/a%2Fb", "/a?dryRun=All"].flatMap((path) => [get(service("single", path)), get(node("web", path))]),
  ...behaviours.flatMap((path) => [
    get(pod("web", path)),
    get(service("single", path), { method: path.startsWith("/html") ? "HEAD" : "GET" }),
  ]),
  ...["/redirect?to=/moved", "/html", "/headers", "/empty-answer", "/reset", "/garbage"].flatMap((path) => [
    get(node("web", path)),
    get(pod("https:web:8443", path)),
  ]),
  ...[pod("web"), service("single"), node("web"), node("web:8080"), pod("https:web:8443")].map((path) =>
    get(path, { name: `headers to ${path}`, headers: headersToPass }),
  ),
  get(pod("web"), { name: "an encoding that the client takes", headers: { "accept-encoding": "gzip" } }),
  get(pod("web", "/gzip"), { name: "a gzip that the client takes", headers: { "accept-encoding": "gzip" } }),
  get(pod("web"), { name: "a range", headers: { range: "bytes=0-1" } }),
  get(pod("web"), { name: "chunked body", method: "POST", body: "chunked", headers: { "transfer-encoding": "chunked" } }),
  get(pod("web"), { name: "empty body", method: "POST", headers: { "content-length": "0" } }),
  get(pod("web"), {
    name: "body of a type",
    method: "PUT",
    body: "{}",
    headers: { "content-type": "application/strategic-merge-patch+json" },
  }),
  get(pod("web"), { name: "large body", method: "POST", body: Buffer.alloc(2_900_000, "b") }),
  get(service("single"), { name: "larger body than an object may have", method: "POST", body: Buffer.alloc(4_000_000, "c") }),
  get(pod("web"), { name: "a body that is waited for", method: "POST", body: "after 100", headers: { expect: "100-continue" } }),
  get(pod("web"), { name: "impersonation", headers: { "impersonate-user": "jane", "impersonate-group": "system:masters" } }),
  get(pod("web"), { name: "over HTTP/2", http2: true, headers: { "x-own": "yes", te: "trailers" } }),
  get(service("single"), { name: "over HTTP/2 with a body", http2: true, method: "POST", body: "two" }),
  get(pod("web", "/redirect?to=/moved"), { name: "a redirect over HTTP/2", http2: true }),
  get(pod("web", "/empty-answer"), { name: "an empty answer over HTTP/2", http2: true }),
  ...[
    pod("web", "/up"),
    service("single", "/up?x=1"),
    node("web", "/up"),
    pod("https:web:8443", "/up"),
    service("web:http", "/up/"),
    node("web:8080", "/up"),
    pod("web", ""),
  ].map((path) => get(path, { name: `WebSocket at ${path}`, headers: webSocket, said: "echo" })),
  ...[
    get(pod("web", "/up"), {
      name: "SPDY by POST",
      method: "POST",
      headers: { ...upgrading, upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" },
      said: "echo",
    }),
    get(pod("web", "/up"), { name: "another protocol", headers: { ...upgrading, upgrade: "tcp" }, said: "echo" }),
    get(pod("web", "/up"), { name: "upgrade with headers", headers: { ...headersToPass, ...webSocket }, said: "echo" }),
    get(pod("web", "/up"), {
      name: "upgrade with subprotocols",
      headers: { ...webSocket, "sec-websocket-protocol": "a, base64url.bearer.authorization.k8s.io.c2VjcmV0" },
      said: "echo",
    }),
    get(pod("web", "/a/../up"), { name: "upgrade with dots", headers: webSocket, said: "echo" }),
    get(pod("web", "/a%2Fb?y=%20"), { name: "upgrade with codes", headers: webSocket, said: "echo" }),
    get(pod("web", "/up"), { name: "upgrade without connection", headers: { upgrade: "websocket" } }),
    get(pod("web", "/up"), { name: "connection without upgrade", headers: { connection: "Upgrade" } }),
    get(pod("web", "/refuse/403"), { name: "a refused upgrade", headers: webSocket }),
    get(pod("web", "/refuse/500"), { name: "an upgrade that fails", headers: webSocket }),
    get(pod("web", "/refuse/200"), { name: "an upgrade that is no error", headers: webSocket }),
    get(pod("web", "/refuse/302"), { name: "an upgrade that is redirected", headers: webSocket }),
    get(pod("web", "/gone"), { name: "an upgrade without an answer", headers: webSocket }),
    get(pod("silent", "/up"), { name: "an upgrade that nobody takes", headers: webSocket }),
    get(service("empty", "/up"), { name: "an upgrade without endpoints", headers: webSocket }),
    get(pod("https:web:8080", "/up"), { name: "an upgrade without TLS behind it", headers: webSocket }),
    get(pod("loopback", "/up"), { name: "an upgrade to loopback", headers: webSocket }),
    get(node("silent", "/up"), { name: "an upgrade at a silent node", headers: webSocket }),
  ],
];
