import { SESSION_HEADER } from '@contract/constants';
import type { Problem } from '@contract/problem';
import { ApiError } from './api-error';
import { sessionSecret } from './session-secret';

const BASE = '/api/v1';
/** Longer than the daemon waits for the response of a tested target. */
const TIMEOUT_MS = 30_000;

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
export type Query = Record<string, string | number | readonly string[] | undefined>;

/** The URL of a route; a parameter with several values is repeated, never joined. */
function urlOf(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const values = typeof value === 'object' ? value : [value];
    for (const one of values) if (one !== undefined) search.append(name, String(one));
  }
  const text = search.toString();
  return text === '' ? `${BASE}${path}` : `${BASE}${path}?${text}`;
}

/** Sends a request with the session secret; any status but 2xx is thrown as an `ApiError`. */
async function send(
  method: Method,
  address: string,
  body?: unknown,
  signal = AbortSignal.timeout(TIMEOUT_MS),
): Promise<Response> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    [SESSION_HEADER]: sessionSecret.read(),
  };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const request: RequestInit = { method, headers, signal };
  if (body !== undefined) request.body = JSON.stringify(body);
  const response = await fetch(address, request).catch(() => {
    throw ApiError.noResponse();
  });
  if (response.ok) return response;
  throw await toApiError(response);
}

async function toApiError(response: Response): Promise<ApiError> {
  if (!response.headers.get('content-type')?.includes('json')) return ApiError.fromStatus(response.status);
  const problem: Problem | null = await response.json().catch(() => null);
  return problem?.code === undefined ? ApiError.fromStatus(response.status) : ApiError.fromProblem(problem);
}

/** Reads a JSON resource. */
export async function read<Result>(path: string, query?: Query): Promise<Result> {
  const response = await send('GET', urlOf(path, query));
  // Responses are not validated: tests check that the daemon follows the contract.
  const resource: Result = await response.json();
  return resource;
}

/** Reads the bytes of a response. */
export async function readBytes(path: string, query?: Query): Promise<Uint8Array<ArrayBuffer>> {
  const response = await send('GET', urlOf(path, query));
  return new Uint8Array(await response.arrayBuffer());
}

/** Opens a response without a time limit; the signal aborts it. */
export const open = (path: string, query: Query, signal: AbortSignal): Promise<Response> =>
  send('GET', urlOf(path, query), undefined, signal);

/** Sends a change and reads the resulting resource. */
export async function change<Result>(
  method: Exclude<Method, 'GET'>,
  path: string,
  body?: unknown,
): Promise<Result> {
  const response = await send(method, urlOf(path), body);
  const text = await response.text();
  const resource: Result = text === '' ? undefined : JSON.parse(text);
  return resource;
}
