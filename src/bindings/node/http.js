// Requests to the control socket, and server-sent events.

import fs from "node:fs";
import http from "node:http";

import { DoyenError, REFUSED, senseless, silent } from "./errors.js";
import { noToken } from "./given.js";
import { pathOf, take, unreachable } from "./target.js";

export const REQUEST_MS = 5000; // within which an answer is there
const BODY_BYTES_MAX = 64 * 1024 * 1024;

// What an error of a connection means.
export function explain(control, error, signal) {
  if (signal?.aborted) {
    return signal.reason;
  }
  if (error instanceof DoyenError) {
    return error;
  }
  return error.code?.startsWith("HPE_") ? senseless(control, "no HTTP") : unreachable(control, error);
}

// A request to the socket that was looked at, and to no other.
function begin(daemon, path, { method = "GET", headers, signal }) {
  const fd = take(daemon.control, daemon.expected);
  const options = { socketPath: pathOf(fd), path, method, agent: false, signal };
  const request = http.request({
    ...options,
    headers: { Host: "doyen", "User-Agent": "doyen-node", Connection: "close", ...headers },
  });
  let open = true;
  const done = () => {
    if (open) {
      open = false;
      fs.closeSync(fd);
    }
  };
  request.once("socket", (socket) => socket.once("connect", done));
  request.once("close", done);
  return request;
}

// A GET of `path`, or another method with a body, until the head of its answer is there. With
// `upgrade` resolves to the socket and what came behind the head of a 101 as well.
export async function open(daemon, path, options = {}) {
  const { headers = {}, timeoutMs = REQUEST_MS, signal, upgrade = false, method, body } = options;
  signal?.throwIfAborted();
  let timer;
  try {
    const request = begin(daemon, path, { method, headers, signal });
    timer = setTimeout(() => request.destroy(silent(daemon.control, timeoutMs)), Math.max(1, timeoutMs));
    return await new Promise((resolve, reject) => {
      request.on("error", reject);
      request.once("response", (response) => resolve({ response }));
      request.once("upgrade", (response, socket, head) => {
        if (!upgrade) {
          socket.destroy();
          reject(senseless(daemon.control, "it upgrades"));
        }
        resolve({ response, socket, head });
      });
      request.end(body);
    });
  } catch (error) {
    throw explain(daemon.control, error, signal);
  } finally {
    clearTimeout(timer);
  }
}

function refusal(control, status, problem) {
  const told = [problem?.title, problem?.detail].filter(Boolean).join(": ");
  const text = told || `${control} answered with HTTP status ${status}; is it an older doyend?`;
  return new DoyenError(REFUSED, problem?.hint ? `${text}; ${problem.hint}` : text);
}

// The document of an answer, or the error that it tells.
export async function documentOf(daemon, response, { timeoutMs = REQUEST_MS, signal } = {}) {
  const timer = setTimeout(() => response.destroy(silent(daemon.control, timeoutMs)), Math.max(1, timeoutMs));
  const chunks = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) {
        throw senseless(daemon.control, "it has no end");
      }
    }
  } catch (error) {
    throw explain(daemon.control, error, signal);
  } finally {
    clearTimeout(timer);
  }
  let document;
  try {
    document = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    document = undefined;
  }
  if (response.statusCode < 200 || response.statusCode > 299) {
    throw refusal(daemon.control, response.statusCode, document);
  }
  if (document === null || typeof document !== "object" || Array.isArray(document)) {
    throw senseless(daemon.control, "no JSON");
  }
  return document;
}

function posted(document) {
  const headers = { "Content-Type": "application/json" };
  return document === null ? { method: "POST" } : { method: "POST", headers, body: JSON.stringify(document) };
}

// The document of `path`; of a POST, where there is a `document` to send, or null for an empty one.
export async function get(daemon, path, options = {}) {
  const { timeoutMs = REQUEST_MS, document } = options;
  const until = performance.now() + timeoutMs;
  const { response } = await open(daemon, path, { ...options, ...(document === undefined ? {} : posted(document)) });
  return documentOf(daemon, response, { ...options, timeoutMs: until - performance.now() });
}

// Takes server-sent events to pieces.
export class Stream {
  #where;
  #text = "";
  #decoder = new TextDecoder();
  #fields = {};

  constructor(where) {
    this.#where = where;
  }

  // Takes a piece of the body; returns the events that are whole now: their id, kind and data.
  feed(bytes) {
    const lines = (this.#text + this.#decoder.decode(bytes, { stream: true })).split("\n");
    const told = [];
    this.#text = lines.pop();
    for (const line of lines.map((text) => (text.endsWith("\r") ? text.slice(0, -1) : text))) {
      if (line !== "") {
        const at = line.indexOf(":");
        const name = at < 0 ? line : line.slice(0, at);
        this.#fields[name] = at < 0 ? "" : line.slice(at + 1).replace(/^ /, "");
      } else {
        if ("data" in this.#fields) {
          told.push(this.#event());
        }
        this.#fields = {};
      }
    }
    return told;
  }

  #event() {
    try {
      const { id = "", event = "", data } = this.#fields;
      return { id, kind: event, data: JSON.parse(data) };
    } catch {
      throw senseless(this.#where, "an event without JSON");
    }
  }
}

// The events of one stream, for as long as it goes on; it ends with an error when nothing came for
// `quietMs`.
export async function* events(daemon, headers, { quietMs, signal }) {
  const { response } = await open(daemon, "/v1/events", {
    headers: { Accept: "text/event-stream", ...headers },
    signal,
  });
  if (response.statusCode !== 200) {
    const resume = headers["Last-Event-ID"];
    const status = response.statusCode;
    await documentOf(daemon, response, { signal }).catch((error) => {
      throw status === 400 && resume !== undefined ? noToken("resume", resume) : error;
    });
    throw senseless(daemon.control, "no events");
  }
  const stream = new Stream(daemon.control);
  const timer = setTimeout(() => response.destroy(silent(daemon.control, quietMs)), quietMs);
  try {
    for await (const chunk of response) {
      timer.refresh();
      yield* stream.feed(chunk);
    }
  } catch (error) {
    throw explain(daemon.control, error, signal);
  } finally {
    clearTimeout(timer);
    response.destroy();
  }
}
