/** A typed client of MemoryClaw's HTTP interface: a method for each verb, with the answers that `--json` prints. */
import type { operations } from "./schema.js";
import { VERBS } from "./verbs.js";

export type { components } from "./schema.js";

type Part<O, K extends string> = O extends { parameters: { [P in K]: infer V } } ? V : unknown;
type Query<O> = O extends { parameters: { query?: infer V } } ? ([V] extends [undefined] ? unknown : NonNullable<V>) : unknown;
type Body<O> = O extends { requestBody?: { content: { "application/json": infer V } } } ? V : unknown;
type Given<O> = Part<O, "path"> extends infer P ? ([P] extends [undefined] ? unknown : P) & Query<O> & Body<O> : never;
type Answer<O> = O extends { responses: { 200: { content: { "application/json": infer V } } } } ? V : never;
type Method<O> = {} extends Given<O> ? (given?: Given<O>) => Promise<Answer<O>> : (given: Given<O>) => Promise<Answer<O>>;

/** The verbs of one vault, by the names that they have in Python and on the command line. */
export type Memory = { readonly [Name in keyof operations]: Method<operations[Name]> };

/** Why a request was refused: a sentence, with the `code` of docs/http.md. */
export class MemoryClawError extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
    this.name = "MemoryClawError";
  }
}

/** Where the daemon is (`url` of `.memoryclaw/serve.json`), and the token of `.memoryclaw/token`. */
export interface Connection {
  url?: string;
  token: string;
  fetch?: typeof fetch;
}

/** The memory behind a running `memoryclaw serve`. */
export function connect({ url = "http://127.0.0.1:7411", token, fetch: send = fetch }: Connection): Memory {
  const call = async (name: keyof typeof VERBS, given: Record<string, unknown>): Promise<unknown> => {
    const [method, path] = VERBS[name];
    const rest = { ...given };
    const place = path.replace(/\{(\w+)\}/g, (_, key: string) => {
      const value = encodeURIComponent(String(rest[key]));
      delete rest[key];
      return value;
    });
    const address = new URL(url.replace(/\/$/, "") + place);
    const headers: Record<string, string> = { authorization: `Bearer ${token}` };
    const request: RequestInit = { method, headers };
    if (method === "GET" || method === "DELETE") {
      for (const [key, value] of Object.entries(rest))
        for (const each of Array.isArray(value) ? value : [value]) if (each != null) address.searchParams.append(key, String(each));
    } else {
      headers["content-type"] = "application/json";
      request.body = JSON.stringify(rest);
    }
    const response = await send(address, request);
    const answer: any = await response.json();
    if (!response.ok) throw new MemoryClawError(response.status, answer.error.code, answer.error.message);
    return answer;
  };
  const names = Object.keys(VERBS) as (keyof typeof VERBS)[];
  return Object.fromEntries(names.map((name) => [name, (given = {}) => call(name, given)])) as unknown as Memory;
}
