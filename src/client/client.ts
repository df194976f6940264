import {
  call,
  type Answer,
  type AnyInput,
  type Connection,
  type Method,
  type PathOf,
  type Rest,
} from './call';
import type { components } from './generated/schema';

export type { Answer, Connection, Method, PathOf } from './call';
export type { components, operations, paths } from './generated/schema';

/** A problem as the hub describes it (RFC 9457). */
export type Problem = components['schemas']['Problem'];

/** The hub has refused a request, or something else has answered in its place: then the code is `not_a_hub`. */
export class SwitchboardProblem extends Error {
  override readonly name = 'SwitchboardProblem';
  readonly status: number;
  /** Stable, unlike the texts. */
  readonly code: Problem['code'] | 'not_a_hub';
  readonly title: string;
  readonly detail: string;
  /** How long the hub wants to be left alone. */
  readonly retryAfterMs: number;

  /** @param problem with all its members, such as `errors`, `missed` and `lease`; null from something else */
  constructor(
    { status, headers }: Response,
    readonly problem: Problem | null,
  ) {
    super(problem?.detail ?? `What answers with ${status} is not a Switchboard hub. Check its address.`);
    this.status = status;
    this.code = problem?.code ?? 'not_a_hub';
    this.title = problem?.title ?? 'Not a hub';
    this.detail = this.message;
    this.retryAfterMs = 1_000 * (Number(headers.get('retry-after')) || 0);
  }
}

/** The API of a hub. Each path, query, body and answer has the type that the hub's OpenAPI document gives it. */
export interface Client {
  /**
   * `request('GET', '/api/v1/events/{id}', { path: { id } })`
   * @returns the JSON of the answer @throws SwitchboardProblem, or the error of `fetch`
   */
  request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...rest: Rest<M, P>
  ): Promise<Answer<M, P>>;
  /** The same for an answer that is not JSON, still to be read: exports, bodies, metrics. */
  open<M extends Method, P extends PathOf<M>>(method: M, path: P, ...rest: Rest<M, P>): Promise<Response>;
}

/** A client for one hub. Nothing is sent before the first call. */
export function createClient(connection: Connection): Client {
  const open = async (method: Method, path: string, input?: AnyInput): Promise<Response> => {
    const response = await call(connection, method, path, input);
    if (response.ok) return response;
    throw new SwitchboardProblem(response, problemOf(await response.text()));
  };
  const request = async (method: Method, path: string, input?: AnyInput): Promise<unknown> => {
    const response = await open(method, path, input);
    const text = await response.text();
    if (text === '') return undefined;
    if (response.headers.get('content-type')?.startsWith('application/json')) return JSON.parse(text);
    throw new SwitchboardProblem(response, null);
  };
  // Without a comparison of all operations, of which there are too many for the compiler.
  return { open, request } as unknown as Client;
}

function problemOf(text: string): Problem | null {
  try {
    const problem = JSON.parse(text) as Problem | null;
    return typeof problem?.code === 'string' ? problem : null;
  } catch {
    return null;
  }
}
