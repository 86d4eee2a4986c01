#!/usr/bin/env python3
"""A file server that refuses an epoch below the highest that it has seen.

    fenced-files.py FOLDER PORT
    curl -fT report.txt -H "Doyen-Epoch: $DOYEN_EPOCH" http://127.0.0.1:PORT/report

It serves one request at a time, so that nothing comes between the check and the write. The epoch is
on disk before the file is, for a server that was restarted must not have forgotten it.
"""
import http.server
import os
import re
import sys


def keep(name, content):
    with open(name + ".new", "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(name + ".new", name)


class Files(http.server.BaseHTTPRequestHandler):
    def do_PUT(self):
        content = self.rfile.read(int(self.headers["Content-Length"]))
        if not re.fullmatch("/[a-z]+", self.path):
            return self.send_error(404, "a name is of small letters")
        highest = int(open(".epoch").read()) if os.path.exists(".epoch") else 0
        epoch = int(self.headers.get("Doyen-Epoch", "0"))
        if epoch < highest:
            return self.send_error(409, f"epoch {epoch} is over: {highest} was here")
        keep(".epoch", str(epoch).encode())
        keep(self.path[1:], content)
        self.send_response(204)
        self.end_headers()


os.chdir(sys.argv[1])
http.server.HTTPServer(("127.0.0.1", int(sys.argv[2])), Files).serve_forever()
