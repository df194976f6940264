import type { Problem } from '../../../src/contract/problem';
import type { REQUEST_HEADER } from '../../../src/contract/session';
import { ApiError } from './api-error';
import { sessionSecret } from './session-secret';

const BASE = '/api/v1';
const HALF: typeof REQUEST_HEADER = 'x-switchboard-request';
/** Longer than the daemon waits for a target under test. */
const PATIENCE_MS = 30_000;

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
export type Query = Record<string, string | number | readonly string[] | undefined>;

/** The address of a route, its parameters spelt as the daemon reads them: repeated, never joined. */
function addressOf(path: string, query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    const values = typeof value === 'object' ? value : [value];
    for (const one of values) if (one !== undefined) search.append(name, String(one));
  }
  const text = search.toString();
  return text === '' ? `${BASE}${path}` : `${BASE}${path}?${text}`;
}

/** Sends one request with both halves of the session; whatever is not 2xx is thrown as an `ApiError`. */
async function send(
  method: Method,
  address: string,
  body?: unknown,
  signal = AbortSignal.timeout(PATIENCE_MS),
): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json', [HALF]: sessionSecret.read() };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const request: RequestInit = { method, headers, signal };
  if (body !== undefined) request.body = JSON.stringify(body);
  const answer = await fetch(address, request).catch(() => {
    throw ApiError.silent();
  });
  if (answer.ok) return answer;
  throw await refusalOf(answer);
}

async function refusalOf(answer: Response): Promise<ApiError> {
  if (!answer.headers.get('content-type')?.includes('json')) return ApiError.fromStatus(answer.status);
  const problem: Problem | null = await answer.json().catch(() => null);
  return problem?.code === undefined ? ApiError.fromStatus(answer.status) : ApiError.fromProblem(problem);
}

/** Reads a JSON resource. */
export async function read<Answer>(path: string, query?: Query): Promise<Answer> {
  const answer = await send('GET', addressOf(path, query));
  // The daemon answers by the schemas of the contract, and is tested for it; the page takes it at its word.
  const resource: Answer = await answer.json();
  return resource;
}

/** Reads bytes as they were stored. */
export async function readBytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await send('GET', addressOf(path));
  return new Uint8Array(await answer.arrayBuffer());
}

/** Begins to read what may take as long as it likes; the signal ends it. */
export const open = (path: string, query: Query, signal: AbortSignal): Promise<Response> =>
  send('GET', addressOf(path, query), undefined, signal);

/** Changes something and reads what the daemon makes of it. */
export async function change<Answer>(
  method: Exclude<Method, 'GET'>,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const answer = await send(method, addressOf(path), body);
  const text = await answer.text();
  const resource: Answer = text === '' ? undefined : JSON.parse(text);
  return resource;
}
