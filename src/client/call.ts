import type { paths } from './generated/schema';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The paths that have a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P][Lowercase<M>] extends { responses: unknown } ? P : never;
}[keyof paths];

type OperationOf<M extends Method, P extends PathOf<M>> = paths[P][Lowercase<M>];

/** What may be left out may be undefined as well. */
type Loose<Value> = Value extends object
  ? {
      [Name in keyof Value]:
        | Loose<Value[Name]>
        | (Partial<Pick<Value, Name>> extends Pick<Value, Name> ? undefined : never);
    }
  : Value;
type PathOption<O> = O extends { parameters: { path: infer Path } } ? { path: Path } : { path?: undefined };
type QueryOption<O> = O extends { parameters: { query?: infer Query } }
  ? { query?: Loose<NonNullable<Query>> }
  : { query?: undefined };
type BodyOption<O> = O extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Loose<Body> }
  : O extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? { body?: Loose<Body> }
    : { body?: undefined };

/** What a request consists of beside its method and path: what is in the path, the query, the body. */
type Input<M extends Method, P extends PathOf<M>> = InputOf<OperationOf<M, P>>;
/** Of each operation by itself: combined, those of all operations would be too many for the compiler. */
type InputOf<O> = O extends unknown ? PathOption<O> & QueryOption<O> & BodyOption<O> : never;

/** The parsed JSON of a success; undefined if there is none. */
export type Answer<M extends Method, P extends PathOf<M>> =
  OperationOf<M, P> extends { responses: infer Responses }
    ? JsonOf<Responses[keyof Responses & (200 | 201 | 202 | 204)]>
    : never;
type JsonOf<Response> = Response extends { content: { 'application/json': infer Json } } ? Json : undefined;

/** The last argument of a call: it can be left out if nothing in it is required. */
export type Rest<M extends Method, P extends PathOf<M>, Others = Pick<AnyInput, 'signal'>> =
  Partial<Input<M, P>> extends Input<M, P> ? [input?: Input<M, P> & Others] : [input: Input<M, P> & Others];

/** Where requests go, and as whom. */
export interface Connection {
  /** The address of the hub, such as `https://hub.example.com`. */
  hub: string;
  /** An API token, with the scopes that the calls need. */
  token: string;
  headers?: Record<string, string>;
  /** In place of the global one, for example to go through a proxy. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

type QueryValue = string | number | boolean | undefined;

/** What any call takes, as `Input` says it for each. */
export interface AnyInput {
  path?: object | undefined;
  query?: object | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/** Sends a request, and returns whatever is answered. A redirect is not followed: the token is for one address only. */
export async function call(
  { hub, token, headers, fetch: send = globalThis.fetch }: Connection,
  method: Method,
  path: string,
  { path: names = {}, query = {}, body, signal }: AnyInput = {},
): Promise<Response> {
  const filled = Object.entries(names).reduce((text, [name, value]) => {
    // A URL drops these, however they are encoded, and with them another part of the path.
    if (value === '.' || value === '..') throw new RangeError(`The ${name} must not be "${value}".`);
    return text.replace(`{${name}}`, () => encodeURIComponent(String(value)));
  }, path);
  const pairs = Object.entries(query).flatMap(([name, value]: [string, QueryValue | readonly QueryValue[]]) =>
    [value].flat().flatMap((one) => (one === undefined ? [] : [[name, String(one)]])),
  );
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
  return send(`${hub.replace(/\/+$/, '')}${filled}${search}`, {
    method,
    redirect: 'manual',
    headers: {
      ...headers,
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
}
