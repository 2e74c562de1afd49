"""An extender as many are written: nodes that are loud are refused, quiet ones preferred; it binds nothing itself."""

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def label(node, name):
    return node["metadata"].get("labels", {}).get(name, "")


def filter_nodes(args):
    loud = [node for node in args["Nodes"]["items"] if label(node, "noise") == "loud"]
    kept = [node for node in args["Nodes"]["items"] if node not in loud]
    return {
        "nodes": {"items": kept},
        "failedNodes": {node["metadata"]["name"]: "node(s) were too loud" for node in loud},
        "error": "",
    }


def prioritize(args):
    return [
        {"host": node["metadata"]["name"], "score": 10 if label(node, "noise") == "none" else 0}
        for node in args["Nodes"]["items"]
    ]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        args = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = {"/filter": filter_nodes, "/prioritize": prioritize}[self.path](args)
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
sys.stdout.close()
server.serve_forever()
