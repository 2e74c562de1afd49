/** Sends the requests on standard input, in order, to the API server that is named; a status is put over what is there. */
import { text } from "node:stream/consumers";

const [server] = process.argv.slice(2);
const headers = { authorization: "Bearer secret", "content-type": "application/json" };

async function send(method, path, body) {
  const response = await fetch(`${server}${path}`, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${method} ${path}: ${answer.message}`);
  return answer;
}

for (const { method, path, body } of JSON.parse(await text(process.stdin))) {
  if (method === "PUT") await send("PUT", path, { ...(await send("GET", path)), ...body });
  else await send(method, path, body);
}
