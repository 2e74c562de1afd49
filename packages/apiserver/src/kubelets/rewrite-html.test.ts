import assert from "node:assert/strict";
import { test } from "node:test";
import { proxiedLink, proxiedLocation } from "./proxied-links.ts";
import { HtmlRewriter } from "./rewrite-html.ts";
import { scanTag, type TagScan } from "./scan-tag.ts";

const prefix = "/api/v1/namespaces/default/pods/web/proxy";
const page = { host: "10.0.0.7:8080", requestHost: "api:6443", prefix, uri: "" };

const links = [
  { link: "/a/b", becomes: `${prefix}/a/b` },
  { link: "/", becomes: `${prefix}/` },
  { link: "/a//b/../c/?x=/y#z", becomes: `${prefix}/a/c/?x=/y#z` },
  { link: "http://10.0.0.7:8080/a?b", becomes: `${prefix}/a?b` },
  { link: "//10.0.0.7:8080/a", becomes: `${prefix}/a` },
  { link: "https://api:6443/a", becomes: `https://api:6443${prefix}/a` },
  { link: `${prefix}/a`, becomes: `${prefix}/a` },
  { link: `https://api:6443${prefix}/a`, becomes: `https://api:6443${prefix}/a` },
  { link: "a/b", becomes: "a/b" },
  { link: "", becomes: "" },
  { link: "?x", becomes: "?x" },
  { link: "http://10.0.0.7:8080", becomes: "http://10.0.0.7:8080" },
  { link: "http://elsewhere/a", becomes: "http://elsewhere/a" },
  { link: "mailto:a@b.c", becomes: "mailto:a@b.c" },
  { link: "/%zz", becomes: undefined },
  { link: "1:2", becomes: undefined },
];
for (const { link, becomes } of links) test(`a link to ${link} becomes ${becomes}`, () => assert.equal(proxiedLink(link, page), becomes));

test("a redirect to what is no URL is an error", () => {
  for (const [location, why] of [
    ["/%zz", 'invalid URL escape "%zz"'],
    ["1:2", "first path segment in URL cannot contain colon"],
    [":x", "missing protocol scheme"],
  ])
    assert.throws(() => proxiedLocation(location ?? "", page), {
      message: `Internal error occurred: error trying to parse Location header: parse "${location}": ${why}`,
    });
});

const pages = [
  { html: '<pre><a href="/rewriteme">test</a></pre>', becomes: `<pre><a href="${prefix}/rewriteme">test</a></pre>` },
  { html: "<A class=x HREF='/a'>", becomes: `<A class=x HREF="${prefix}/a">` },
  { html: "<img alt src=/a.png><br/>", becomes: `<img alt src="${prefix}/a.png"><br/>` },
  {
    html: '<form action = "/f?a=1&amp;b=%22"><input name="/x" src="/s"/>',
    becomes: `<form action = "${prefix}/f?a=1&amp;b=%22"><input name="/x" src="${prefix}/s"/>`,
  },
  { html: '<a title="1 > 2" href="/a">', becomes: `<a title="1 > 2" href="${prefix}/a">` },
  { html: '<a href="http://elsewhere/"><p href="/p"></a>', becomes: '<a href="http://elsewhere/"><p href="/p"></a>' },
  { html: '<!-- <a href="/c"> --><!doctype html><a href="/a">', becomes: `<!-- <a href="/c"> --><!doctype html><a href="${prefix}/a">` },
  {
    html: '<script src="/s">"<a href=\'/no\'>"</script><a href="/a">',
    becomes: `<script src="${prefix}/s">"<a href='/no'>"</script><a href="${prefix}/a">`,
  },
  { html: "1 < 2 <a href=/a>é", becomes: `1 < 2 <a href="${prefix}/a">é` },
  { html: '<!><?x?></p><!----><a href="/a">', becomes: `<!><?x?></p><!----><a href="${prefix}/a">` },
  { html: '<a href="/unfinished', becomes: '<a href="/unfinished' },
];
for (const { html, becomes } of pages)
  test(`${html} is rewritten, however it comes`, () => {
    for (const size of [1, 2, 7, 1000]) assert.equal(rewritten(html, size).text, becomes);
  });

const maxTagLength = 64 * 1024;
const link = '<a href="/a">';
const newLink = `<a href="${prefix}/a">`;
const longest = `<img alt="${">".repeat(maxTagLength - 12)}">`;
const longPages = [
  { name: "a tag as long as one may be", html: `${longest}${link}`, becomes: `${longest}${newLink}`, scans: maxTagLength },
  { name: "a longer tag", html: `${link}${longest.replace(">", ">>")}${link}`, becomes: `${newLink}${longest.replace(">", ">>")}${link}` },
  { name: "a link of 900 kB", html: `<img src="data:${"A".repeat(900_000)}">${link}` },
  { name: "tags in a tag that does not end", html: "<a ".repeat(500_000) },
  { name: "quotes in a tag that does not end", html: `<a${" b='>'".repeat(200_000)}` },
  {
    name: "a long comment",
    html: `<!--${"<a>".repeat(300_000)}-->${link}`,
    becomes: `<!--${"<a>".repeat(300_000)}-->${newLink}`,
    scans: 0,
  },
  { name: "a long declaration", html: `<!x${"<a ".repeat(300_000)}>${link}`, becomes: `<!x${"<a ".repeat(300_000)}>${newLink}`, scans: 0 },
];
for (const { name, html, becomes = html, scans = maxTagLength } of longPages)
  test(`${name} is scanned once, however it comes`, () => {
    for (const size of [64, 16 * 1024, html.length]) {
      const { text, scanned } = rewritten(html, size);
      assert.ok(text === becomes, `in chunks of ${size}`);
      // What surrounds a tag in its first and last chunk is given to the scan, too.
      assert.ok(scanned >= scans && scanned <= scans + 3 * size, `${scanned} characters in chunks of ${size}`);
    }
  });

/** As a page that comes in chunks of so many bytes; and how many characters were given to scans of tags. */
function rewritten(html: string, size: number): { readonly text: string; readonly scanned: number } {
  let scanned = 0;
  function* counted(begin: string): TagScan {
    scanned += begin.length;
    const scan = scanTag(begin);
    let step = scan.next("");
    while (!step.done) {
      const more = yield;
      scanned += more.length;
      step = scan.next(more);
    }
    return step.value;
  }
  const rewriter = new HtmlRewriter((link) => proxiedLink(link, page), counted);
  const bytes = Buffer.from(html);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) parts.push(rewriter.push(bytes.subarray(at, at + size)));
  return { text: Buffer.concat([...parts, rewriter.end()]).toString(), scanned };
}
