// Whether what a caller gives is what is wanted: looked at in here alone, before anything is sent.

import { inspect } from "node:util";

import { DoyenError, USAGE } from "./errors.js";

const SHOWN_MAX = 80;
const SURROGATE = /\p{Surrogate}/u; // half of a pair, which is no text

function shown(value) {
  try {
    const text = inspect(value, { depth: 0, breakLength: Infinity, maxStringLength: SHOWN_MAX });
    return text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX - 3)}...`;
  } catch {
    return `a ${typeof value}`; // It cannot be shown.
  }
}

// What is wrong with an argument.
export function wrong(name, value, wanted) {
  return new DoyenError(USAGE, `${name} is ${shown(value)}: ${wanted}`);
}

function isText(value) {
  return typeof value === "string" && !SURROGATE.test(value);
}

function isNumber(value, most) {
  return typeof value === "number" && value >= 0 && value <= most;
}

// Neither an array nor a Map, whose entries are no properties.
function isPlain(value) {
  if (value === null || typeof value !== "object") {
    return false;
  }
  const kind = Object.getPrototypeOf(value);
  return kind === null || Object.getPrototypeOf(kind) === null;
}

function refuseUnless(holds, name, value, wanted) {
  if (!holds) {
    throw wrong(name, value, wanted);
  }
}

export function text(name, value, wanted = "give a text") {
  refuseUnless(isText(value), name, value, wanted);
}

// What somebody or something is called; the daemon knows whether there is such a one.
export function named(name, value) {
  refuseUnless(isText(value) && value !== "", name, value, "give a name");
}

// Where a socket is.
export function path(name, value) {
  const holds = isText(value) && value !== "" && !value.includes("\0");
  refuseUnless(holds, name, value, "give the path of the daemon's socket, or leave it out");
}

// Where a document is.
export function resource(name, value) {
  const holds = typeof value === "string" && /^\/[\x21-\x7e]*$/.test(value);
  refuseUnless(holds, name, value, "it is no path of a resource; give one such as /v1/status");
}

// What an account is called, or its number.
export function account(name, value) {
  const isName = isText(value) && value !== "" && !/[\0\n:]/.test(value);
  const holds = isName || (Number.isInteger(value) && isNumber(value, 2 ** 32 - 2));
  refuseUnless(holds, name, value, "give the account that doyend runs as, by its name or number");
}

// What a member can be called.
export function member(name, value) {
  const holds = typeof value === "string" && /^[A-Za-z0-9._-]{1,63}$/.test(value);
  refuseUnless(holds, name, value, "give the name of a member");
}

// What a member can have.
export function tag(name, value) {
  const holds = isText(value) && /^[^=\s]+(=.*)?$/s.test(value);
  refuseUnless(holds, name, value, "give KEY or KEY=VALUE, and no blank in the key");
}

// What is wrong with what is no token, or none that the daemon knows.
export function noToken(name, value) {
  return wrong(name, value, "give the token that an earlier event has as its resume");
}

// Where a watch goes on.
export function token(name, value) {
  if (!(typeof value === "string" && /^[\x20-\x7e]{1,63}$/.test(value))) {
    throw noToken(name, value);
  }
}

export function word(name, value, ...known) {
  const list = `${known.slice(0, -1).join(", ")} or ${known.at(-1)}`;
  refuseUnless(known.includes(value), name, value, `give ${list}`);
}

export function flag(name, value) {
  refuseUnless(typeof value === "boolean", name, value, "give true or false");
}

// A number of things.
export function whole(name, value, least, most, of = "") {
  const holds = Number.isInteger(value) && value >= least && value <= most;
  refuseUnless(holds, name, value, `give a number${of}, ${least} to ${most}`);
}

// How long something lasts.
export function span(name, value, most) {
  const range = most === undefined ? "or more" : `to ${most}`;
  refuseUnless(isNumber(value, most ?? Number.MAX_VALUE), name, value, `give milliseconds, 0 ${range}`);
}

// How long this process is to wait: for ever, too, if that is what is said.
export function timeout(name, value) {
  refuseUnless(isNumber(value, Infinity), name, value, "give the time in ms within which it has to be done");
}

export function block(name, value) {
  const wanted = "give a function that acts, and ends when its lead is lost";
  refuseUnless(typeof value === "function", name, value, wanted);
}

// Tags that change, and those that go.
export function tags(name, value) {
  refuseUnless(isPlain(value), name, value, 'give an object of tags, as in { zone: "a" }');
  for (const [key, told] of Object.entries(value)) {
    text(`a key of ${name}`, key);
    refuseUnless(told === null || isText(told), `${name}.${key}`, told, "give a text, or null for a tag that goes");
  }
}

// The same of what may be left out.
export function optional(check, name, value, ...more) {
  if (value !== undefined) {
    check(name, value, ...more);
  }
}

// Two that cannot be the same.
export function apart(one, value, other, told, wanted) {
  if (value !== undefined && value === told) {
    throw new DoyenError(USAGE, `${one} and ${other} are ${shown(value)}, which ${wanted}: leave one of them out`);
  }
}

function signal(name, value) {
  const holds = typeof value?.aborted === "boolean" && typeof value.addEventListener === "function";
  refuseUnless(holds, name, value, "give an AbortSignal");
}

// Options of what is called `what`: what is misspelt would be passed over.
export function options(what, value, known) {
  if (!isPlain(value)) {
    throw new DoyenError(USAGE, `${what} is given ${shown(value)}: give an object with ${known.join(", ")}`);
  }
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    throw new DoyenError(USAGE, `${what} knows no ${unknown}: there are ${known.join(", ")}`);
  }
  optional(signal, "signal", value.signal);
}
