#!/usr/bin/python3
"""What doyen, doyend and a daemon answer to what is wrong: one line that says what to do, in the words of
the command, and the right status.

    test/scripts/inputs.sh BUILD [--show]      --show prints each command, its status and what it wrote

The table is in test/scripts/inputs.txt: STATUS, the words of a command line as a shell has them, and perhaps
=> and words that the answer has to have. FILE and the lines behind it are a file of
doyend. A status of 1 to 6 is asked of the daemon of a cluster of three. What follows sh is a line for a shell,
for files and answers of other kinds: $A is the socket of athens, and $S that of a cluster of one under guard strict.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile

LIMIT_S = 30
API = re.compile(r"/v1/|\bGET |\bPOST |\bJSON\b|\{\"|control\.md|\bHTTP status|(?:heartbeat|fail_after|grace|preempt_after)_ms\b|\bphase member\b|\(null\)")
USAGE = "64"


def read_table(path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line == "" or line.startswith("#"):
                continue
            command, _, words = line.partition(" => ")
            status, _, command = command.partition(" ")
            yield number, status, command, words


def run(build, folder, command):
    words = shlex.split(command)
    variables = dict(os.environ)
    while "=" in words[0] and words[0].split("=")[0].isupper():
        name, _, value = words.pop(0).partition("=")
        variables[name] = value
    program = words[0] if words[0] in ("doyend", "curl", "sh") else "doyen"
    if program == "doyen":
        socket = [] if words[0] == "-" or "DOYEN_CONTROL" in variables else ["-c", f"{folder}/members/athens.sock"]
        words = [os.path.join(build, "doyen"), *socket, *(words[1:] if words[0] == "-" else words)]
    elif program == "curl":
        words = ["curl", "-s", "--unix-socket", f"{folder}/members/athens.sock", *words[1:]]
    elif program == "sh":
        variables.update(A=f"{folder}/members/athens.sock", S=f"{folder}/strict.sock", PATH=f"{build}:{variables['PATH']}")
        words = ["bash", "-c", *words[1:]]
    else:
        words = [os.path.join(build, program), *words[1:]]
    words = [word.replace("LONG", "x" * 600) for word in words]
    if "FILE" in words:  # What follows are its lines, after a name and an address.
        at = words.index("FILE")
        with open(f"{folder}/doyend.conf", "w", encoding="utf-8") as file:
            file.write("\n".join(["name = a", "listen = 127.0.0.1:9951", *words[at + 1:]]) + "\n")
        words = [*words[:at], "--check", "--config", f"{folder}/doyend.conf"]
    done = subprocess.run(words, cwd=folder, env=variables, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=LIMIT_S, check=False)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def faults_of(program, wanted, words, status, out, err):
    """What is bad about an answer."""
    if program == "curl":
        return [] if words in out else [f"does not say {words!r}"]
    faults = []
    if str(status) != wanted:
        faults.append(f"status {status}, not {wanted}")
    if words not in err:
        faults.append(f"does not say {words!r}")
    lines = err.rstrip("\n").split("\n") if err else []
    if wanted != "0" and not lines:
        faults.append("says nothing")
    if program == "doyen" and wanted == USAGE and len(lines) != 1:
        faults.append(f"{len(lines)} lines")
    if any(len(line) > 800 for line in lines):
        faults.append("a line that nobody reads")
    if program == "doyen" and API.search(err):
        faults.append(f"speaks of {API.search(err).group()!r}")
    if wanted != "0" and not re.search(r"[:;?]", err):
        faults.append("no remedy")
    return faults


LIAR = """# NAME STATUS BODY: listens at NAME, and answers so what no doyend would; for one minute.
import os, socket, sys
place = socket.socket(socket.AF_UNIX)
place.bind(sys.argv[1])
place.listen(8)
place.settimeout(60)
if os.fork() == 0:
    for standard in range(3):
        os.close(standard)
    for _ in range(8):
        asker, _ = place.accept()
        asker.recv(65536)
        if sys.argv[2]:
            asker.sendall(f"HTTP/1.1 {sys.argv[2]}\\r\\nContent-Length: {len(sys.argv[3])}\\r\\n\\r\\n{sys.argv[3]}".encode())
        asker.close()
"""


def cluster(verb, *words):
    script = os.path.join(os.path.dirname(__file__), "..", "..", "scripts", "cluster")
    subprocess.run([script, verb, *words], check=True, stdout=subprocess.DEVNULL)


def start_strict(build, folder):
    port = int(os.environ["DOYEN_CLUSTER_PORT"]) + 3
    node = subprocess.Popen([f"{build}/doyend", "--name", "solo", "--listen", f"127.0.0.1:{port}", "--guard", "strict",
                             "--voters", "solo", "--state-dir", f"{folder}/strict", "--control",
                             f"{folder}/strict.sock"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run([f"{build}/doyen", "-c", f"{folder}/strict.sock", "wait", "--members", "1", "--timeout", f"{LIMIT_S}s"],
                   stdout=subprocess.DEVNULL, check=True)
    return node


def main():
    build = os.path.abspath(sys.argv[1])
    show = "--show" in sys.argv
    table = list(read_table(os.path.join(os.path.dirname(os.path.abspath(__file__)), "inputs.txt")))
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(DOYEN_BUILD=build, DOYEN_CLUSTER_DIR=f"{folder}/members", XDG_RUNTIME_DIR=folder)
        with open(f"{folder}/liar.py", "w", encoding="utf-8") as file:
            file.write(LIAR)
        cluster("up", "3")
        for name in [name for name in os.environ if name.startswith("DOYEN_") and name not in
                     ("DOYEN_BUILD", "DOYEN_CLUSTER_DIR", "DOYEN_CLUSTER_PORT")]:
            del os.environ[name]
        strict = start_strict(build, folder)
        try:
            for number, wanted, command, words in table:
                program = next((p for p in ("doyend", "curl", "sh") if f" {command} ".startswith(f" {p} ")), "doyen")
                try:
                    status, out, err = run(build, folder, command)
                    faults = faults_of(program, wanted, words, status, out, err)
                except subprocess.TimeoutExpired:
                    status, out, err, faults = "-", "", "", [f"no end within {LIMIT_S} s"]
                bad += bool(faults)
                if show or faults:
                    print(f"{number}: {command}\n    status {status}")
                    for line in (err or out).rstrip("\n").split("\n")[:6]:
                        print(f"    {line[:400]}")
                    for fault in faults:
                        print(f"    BAD: {fault}")
        finally:
            strict.kill()
            strict.wait()
            cluster("down")
    print(f"{len(table)} inputs, {bad} bad answers")
    sys.exit(1 if bad else 0)


main()
