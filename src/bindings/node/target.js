// Which daemon to ask, and whether it is the one that it should be. Follows the command `doyen`.

import fs from "node:fs";
import path from "node:path";

import { DoyenError, REFUSED, TIMED_OUT, UNREACHABLE, USAGE } from "./errors.js";
import * as given from "./given.js";

export const SYSTEM_DIRECTORY = "/run/doyen";
const PATH_BYTES_MAX = 107;
const O_PATH = 0o10000000; // of Linux; Node.js has no name for it
const REMEDY = "give its socket with { control } or DOYEN_CONTROL";

function list(directory) {
  return fs
    .readdirSync(directory)
    .filter((name) => name.endsWith(".sock") && name !== ".sock")
    .sort()
    .map((name) => path.join(directory, name));
}

// The path of the control socket: the one given, else DOYEN_CONTROL, else the only one there is.
export function find(control, environment = process.env, system = SYSTEM_DIRECTORY) {
  given.optional(given.path, "control", control);
  const told = control ?? environment.DOYEN_CONTROL;
  if (told === "") {
    throw new DoyenError(USAGE, "DOYEN_CONTROL is empty: say which daemon is meant, or unset it");
  }
  const found = told ?? search(environment, system);
  if (Buffer.byteLength(found) > PATH_BYTES_MAX) {
    throw given.wrong(
      control === undefined ? "DOYEN_CONTROL" : "control",
      found,
      `it is longer than the ${PATH_BYTES_MAX} bytes that a Unix socket allows; use a shorter path, or
       one relative to its directory`,
    );
  }
  return found;
}

function search(environment, system) {
  const runtime = environment.XDG_RUNTIME_DIR;
  const directories = [...(runtime ? [path.join(runtime, "doyen")] : []), system];
  const found = [];
  let closed;
  for (const directory of directories) {
    try {
      found.push(...list(directory));
    } catch (error) {
      closed = error.code === "EACCES" ? directory : closed;
    }
  }
  if (found.length > 1) {
    throw new DoyenError(
      USAGE,
      `several daemons run here: choose one with { control } or DOYEN_CONTROL among ${found.join(", ")}`,
    );
  }
  if (found.length === 1) {
    return found[0];
  }
  if (closed) {
    throw new DoyenError(
      UNREACHABLE,
      `${closed} may not be read by this account: use the account that doyend runs as, or have
       doyend started with --control-group and a group that this account is in`,
    );
  }
  throw new DoyenError(
    UNREACHABLE,
    `no control socket in ${directories.join(" or ")}: is doyend running? ${REMEDY}`,
  );
}

// The number of the account that doyend is expected to have, besides one's own and root's. Names
// are those of /etc/passwd.
export function account(expectUser) {
  given.optional(given.account, "expectUser", expectUser);
  const user = expectUser ?? process.env.DOYEN_EXPECT_USER;
  if (user === undefined) {
    return undefined;
  }
  if (user === "") {
    throw new DoyenError(USAGE, "DOYEN_EXPECT_USER is empty: say which account the daemon runs as, or unset it");
  }
  if (/^[0-9]+$/.test(user) && Number(user) < 2 ** 32 - 1) {
    return Number(user);
  }
  const lines = fs.readFileSync("/etc/passwd", "utf8").split("\n");
  const entry = lines.map((line) => line.split(":")).find(([name]) => name === String(user));
  if (entry === undefined) {
    throw given.wrong(
      expectUser === undefined ? "DOYEN_EXPECT_USER" : "expectUser",
      user,
      "there is no such account in /etc/passwd; give the one that doyend runs as, by its name or number",
    );
  }
  return Number(entry[2]);
}

function stat(file) {
  try {
    return fs.statSync(file);
  } catch {
    return undefined;
  }
}

// Is the socket in the directory that root gave to this account?
function isOfSystemDirectory(control, owner) {
  const here = stat(path.dirname(control));
  const system = stat(SYSTEM_DIRECTORY);
  return (
    here !== undefined && system !== undefined && here.dev === system.dev && here.ino === system.ino && system.uid === owner
  );
}

// Opens the socket's file, without connecting yet, for `pathOf`; throws what the system says. A socket
// of a foreign account is refused. Node.js does not tell whose process is at the other end, so the
// owner of the file stands for it; nobody can put another file in its place between this and
// connecting.
export function take(control, expected) {
  const fd = fs.openSync(control, O_PATH);
  const { uid } = fs.fstatSync(fd);
  if ([0, process.geteuid(), expected].includes(uid) || isOfSystemDirectory(control, uid)) {
    return fd;
  }
  fs.closeSync(fd);
  throw new DoyenError(
    REFUSED,
    `the socket ${control} belongs to the account ${uid}, neither to this one nor to root: it is not
     asked; if doyend runs as that account, say so with { expectUser: ${uid} }`,
  );
}

// Where to connect to.
export function pathOf(fd) {
  return `/proc/self/fd/${fd}`;
}

// What the system's error says about a socket, and what to do about it.
export function unreachable(control, error) {
  if (error.code === "EAGAIN") {
    return new DoyenError(TIMED_OUT, `the daemon at ${control} lets its queue fill up: it may be stopped`, { cause: error });
  }
  const found = stat(control);
  const noSocket = found !== undefined && !found.isSocket();
  const hints = {
    ENOENT: `no such socket; is doyend running? ${REMEDY}`,
    EACCES: `permission denied; use the account that doyend runs as, or have doyend started with
             --control-group and a group that this account is in`,
    ECONNREFUSED: noSocket
      ? `it is no socket; ${REMEDY}`
      : `nobody listens there; is doyend running? ${REMEDY}`,
  };
  const hint = hints[error.code === "EPERM" ? "EACCES" : error.code];
  const text = hint
    ? `cannot reach the daemon at ${control}: ${hint}`
    : `the daemon at ${control} went away (${error.code ?? error.message})`;
  return new DoyenError(UNREACHABLE, text, { cause: error });
}
