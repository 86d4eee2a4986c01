#!/usr/bin/python3
"""Stands in for kubectl and a cluster of Kubernetes, so that docs/guide/kubernetes.md is run as it is printed,
and packaging/kubernetes/doyen.yaml is tried: its pods are processes here, each with the volumes, variables
and names that the manifest gives it.

    kubectl.py apply -f FILE | create secret generic NAME --from-file=FILE | rollout status statefulset/NAME
             | get pods | exec POD -- COMMAND... | logs POD | delete pod POD | delete -f FILE

What it keeps lies in the folder KUBECTL_FOLDER, and the image's programs in the folder KUBECTL_IMAGE. A pod has
a root of its own, by chroot in a mount namespace, and an address of loopback; as all share one network, what is
to listen on 0.0.0.0 listens on the pod's address. Accounts, limits and the restarting of what has ended are
not stood in for, and a field that is not known here does nothing."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request

import yaml

FOLDER = os.environ["KUBECTL_FOLDER"]
IMAGE = os.environ["KUBECTL_IMAGE"]
STATE = os.path.join(FOLDER, "state.json")
HOSTS = os.path.join(FOLDER, "hosts")
LIMIT_S = 60
GROUPS = {"StatefulSet": "statefulset.apps", "PodDisruptionBudget": "poddisruptionbudget.policy"}
http = urllib.request.build_opener(urllib.request.ProxyHandler({}))

# In the pod: a root of nothing but the image, and the volumes, which are words of PLACE=FOLDER until --.
ENTER = """
root=$1 hosts=$2 image=$3
shift 3
mount -t tmpfs none "$root"
cd "$root"
mkdir usr etc proc dev image tmp
cp -P /bin /sbin /lib* .
mount --rbind /usr usr; mount --rbind /proc proc; mount --rbind /dev dev; mount --rbind "$image" image
touch etc/hosts
mount --bind "$hosts" etc/hosts
echo 'hosts: files' >etc/nsswitch.conf
echo 'root:x:0:0::/:/bin/sh' >etc/passwd
while [ "$1" != -- ]; do
    mkdir ".${1%%=*}"
    mount --bind "${1#*=}" ".${1%%=*}"
    shift
done
shift
mount -o remount,ro none "$root"
exec chroot "$root" "$@"
"""


def fail(what):
    sys.exit(f"error: {what}")


def load():
    try:
        with open(STATE, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {"network": random.randrange(1, 250), "next": 1, "secrets": {}, "objects": {}, "pods": {}}


def save(state):
    with open(STATE, "w", encoding="utf-8") as file:
        json.dump(state, file)
    publish(state)


def publish(state):
    """The names of the pods, in place: the file is mounted in each of them."""
    lines = ["127.0.0.1 localhost"]
    service = state["objects"].get("Service")
    for name, pod in state["pods"].items():
        if service and (service["spec"].get("publishNotReadyAddresses") or is_ready(state, pod)):
            lines.append(f"{pod['ip']} {name}.{service['metadata']['name']}")
    with open(HOSTS, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def template(state):
    return state["objects"]["StatefulSet"]["spec"]["template"]["spec"]


def is_running(pod):
    try:
        with open(f"/proc/{pod['pid']}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def is_ready(state, pod):
    container = template(state)["containers"][0]
    probe = container["readinessProbe"]["httpGet"]
    port = next(p["containerPort"] for p in container["ports"] if p["name"] == probe["port"])
    try:
        with http.open(f"http://{pod['ip']}:{port}{probe['path']}", timeout=1) as answer:
            return answer.status == 200
    except OSError:
        return False


def expanded(text, values):
    return re.sub(r"\$\((\w+)\)", lambda match: values.get(match[1], match[0]), text)


def variables(state, name, pod, container):
    """What the manifest says, in the order in which it does, and what Kubernetes adds to it."""
    values = {"PATH": "/image:/usr/sbin:/usr/bin:/sbin:/bin"}
    if template(state).get("enableServiceLinks", True):
        service = state["objects"]["Service"]["metadata"]["name"].upper()
        values |= {f"{service}_SERVICE_HOST": "10.0.0.1", f"{service}_PORT": "tcp://10.0.0.1:7420"}
    fields = {"metadata.name": name, "status.podIP": pod["ip"]}
    for entry in container.get("env", []):
        value = entry["value"] if "value" in entry else fields[entry["valueFrom"]["fieldRef"]["fieldPath"]]
        values[entry["name"]] = expanded(value, values).replace("0.0.0.0", pod["ip"])
    return values


def entered(state, name, container, command):
    """The command line that runs a command in a container of the pod."""
    home = os.path.join(FOLDER, name)
    places = []
    for mount in container.get("volumeMounts", []):
        volume = next(v for v in template(state)["volumes"] if v["name"] == mount["name"])
        places.append(f"{mount['mountPath']}={os.path.join(home, volume['name'])}")
    own = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *own, "--mount", "sh", "-ec", ENTER, "pod", os.path.join(home, "root"), HOSTS, IMAGE,
            *places, "--", *command]


def make_volumes(state, name):
    """New ones: what was in an emptyDir goes with its pod."""
    home = os.path.join(FOLDER, name)
    shutil.rmtree(home, ignore_errors=True)
    os.makedirs(os.path.join(home, "root"))
    for volume in template(state)["volumes"]:
        place = os.path.join(home, volume["name"])
        os.makedirs(place)
        if "secret" in volume:
            secret = state["secrets"].get(volume["secret"]["secretName"])
            if secret is None:
                fail(f"{name}: secret \"{volume['secret']['secretName']}\" not found")
            for key, value in secret.items():
                with open(os.path.join(place, key), "w", encoding="utf-8") as file:
                    file.write(value)
                os.chmod(file.name, volume["secret"]["defaultMode"])


def start(state, name):
    pod = {"ip": f"127.78.{state['network']}.{state['next']}", "began": time.time()}
    state["next"] += 1
    make_volumes(state, name)
    spec = template(state)
    log = os.path.join(FOLDER, f"{name}.log")
    with open(log, "ab") as out:
        for container in spec.get("initContainers", []):
            subprocess.run(entered(state, name, container, container["command"]), check=True, stdout=out,
                           stderr=out, env=variables(state, name, pod, container))
        container = spec["containers"][0]
        values = variables(state, name, pod, container)
        command = ["/image/doyend", *(expanded(word, values) for word in container["args"])]
        pod["pid"] = subprocess.Popen(entered(state, name, container, command), stdout=out, stderr=out,
                                      stdin=subprocess.DEVNULL, env=values).pid
    state["pods"][name] = pod
    save(state)


def stop(state, name):
    pod = state["pods"].pop(name)
    deadline = time.monotonic() + template(state)["terminationGracePeriodSeconds"]
    if is_running(pod):
        os.kill(pod["pid"], signal.SIGTERM)
    while is_running(pod):
        if time.monotonic() > deadline:
            fail(f"{name} did not end within its grace period")
        time.sleep(0.02)
    save(state)


def wait_ready(state, names):
    deadline = time.monotonic() + LIMIT_S
    while not all(is_ready(state, state["pods"][name]) for name in names):
        if time.monotonic() > deadline:
            fail("timed out waiting for the condition")
        time.sleep(0.1)
        publish(state)


def apply(state, path):
    with open(path, encoding="utf-8") as file:
        for thing in yaml.safe_load_all(file):
            state["objects"][thing["kind"]] = thing
            kind = GROUPS.get(thing["kind"], thing["kind"].lower())
            print(f"{kind}/{thing['metadata']['name']} created")
    sets = state["objects"]["StatefulSet"]
    for number in range(sets["spec"]["replicas"]):
        name = f"{sets['metadata']['name']}-{number}"
        start(state, name)
        if sets["spec"].get("podManagementPolicy") != "Parallel":
            wait_ready(state, [name])


def get_pods(state):
    print(f"{'NAME':10} {'READY':7} {'STATUS':9} {'RESTARTS':10} AGE")
    for name, pod in sorted(state["pods"].items()):
        status = "Running" if is_running(pod) else "Error"
        age = f"{time.time() - pod['began']:.0f}s"
        print(f"{name:10} {'1/1' if is_ready(state, pod) else '0/1':7} {status:9} {'0':10} {age}")


def execute(state, name, command):
    container = template(state)["containers"][0]
    run = subprocess.run(entered(state, name, container, command), check=False,
                         env=variables(state, name, state["pods"][name], container))
    sys.exit(run.returncode)


def main():
    os.makedirs(FOLDER, exist_ok=True)
    state = load()
    match sys.argv[1:]:
        case ["apply", "-f", path]:
            apply(state, path)
        case ["create", "secret", "generic", name, source] if source.startswith("--from-file="):
            path = source.removeprefix("--from-file=")
            with open(path, encoding="utf-8") as file:
                state["secrets"][name] = {os.path.basename(path): file.read()}
            save(state)
            print(f"secret/{name} created")
        case ["rollout", "status", _]:
            wait_ready(state, state["pods"])
            count = len(state["pods"])
            print(f"statefulset rolling update complete {count} pods at revision doyen-1...")
        case ["get", "pods"]:
            get_pods(state)
        case ["exec", name, "--", *command]:
            execute(state, name, command)
        case ["logs", name]:
            with open(os.path.join(FOLDER, f"{name}.log"), encoding="utf-8") as file:
                print(file.read(), end="")
        case ["delete", "pod", name]:
            stop(state, name)
            print(f'pod "{name}" deleted')
            start(state, name)
        case ["delete", "-f", _]:
            for name in list(state["pods"]):
                stop(state, name)
            for kind, thing in state["objects"].items():
                print(f'{GROUPS.get(kind, kind.lower())} "{thing["metadata"]["name"]}" deleted')
        case other:
            fail(f"this stand-in does not know: kubectl {' '.join(other)}")


main()
