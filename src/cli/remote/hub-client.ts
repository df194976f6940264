import { setTimeout as pause } from 'node:timers/promises';
import { call, type Answer, type AnyInput, type Method, type PathOf, type Rest } from '../../client/call';
import { invalidCommandLine } from '../command-failed';
import { fetcherFor, type Fetch } from './fetcher';
import type { Hub } from './hub';
import { note } from './output';
import { failureOf, isUnreachable, notAHub, NotNow, unreachable } from './hub-failures';

/** Longer than the hub's own timeout for requests to Co-Pilot, which some routes wait for. */
const TIMEOUT_S = 60;
/** For how long reads are repeated. */
const RETRY_MS = 30_000;
const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 4_000;

export interface RequestOptions {
  /** For how long the hub itself may wait before it answers. */
  waitMs?: number;
  /** In place of `--timeout`, and of its default. */
  timeoutMs?: number;
  /** Whether a change may be repeated like a read, because it has no more effect then. */
  isRepeatable?: boolean;
  /** Whether to repeat a read until it is answered, however long that takes. */
  patient?: boolean;
  signal?: AbortSignal;
  /** Says that the hub does not answer, and that it does again; by default on standard error. */
  say?: (sentence: string) => unknown;
}

/** Calls the API of a hub. Redirects are not followed: a token goes only to the address that it is meant for. */
export class HubClient {
  private found: Promise<{ hub: Hub; fetch: Fetch }> | null = null;
  private isLocal = true;

  /**
   * @param find the hub, when the first request is made @param version of this program
   * @param timeoutS how long to wait for an answer, retries included
   */
  constructor(
    private readonly find: () => Promise<Hub>,
    readonly version: string,
    private readonly timeoutS?: number,
  ) {}

  /** Says on standard error which hub will be changed. @throws CommandFailed if there is none */
  async announce(): Promise<void> {
    const { hub } = await this.locate();
    process.stderr.write(`Hub: ${hub.url} (${hub.source})\n`);
  }

  /** Where requests go. @throws CommandFailed if there is no hub */
  async hub(): Promise<Hub> {
    return (await this.locate()).hub;
  }

  /** The answer, parsed. @throws CommandFailed with the hub's problem, or if there is no answer */
  async request<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[options]: Rest<M, P, RequestOptions>
  ): Promise<Answer<M, P>> {
    const text = await this.textOf(method, path, options);
    return (text === '' ? undefined : JSON.parse(text)) as Answer<M, P>;
  }

  /** The answer as it was sent, in which no number is rounded. @throws CommandFailed as `request` */
  async requestText<M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...[options]: Rest<M, P, RequestOptions>
  ): Promise<string> {
    return this.textOf(method, path, options);
  }

  private textOf(method: Method, path: string, options: (AnyInput & RequestOptions) | undefined) {
    return this.retried(method, options, async (signal) => {
      const { response, url } = await this.send(method, path, options, signal);
      const text = await response.text().catch((error: unknown) => this.lost(url, error));
      const isJson = response.headers.get('content-type')?.startsWith('application/json');
      if (isJson || text === '') return text;
      throw notAHub(url, response.headers);
    });
  }

  /** A successful response whose body is not JSON of the API, still to be read. @throws CommandFailed as `request` */
  async open<P extends PathOf<'GET'>>(
    path: P,
    ...[options]: Rest<'GET', P, RequestOptions>
  ): Promise<Response> {
    return this.retried('GET', options, async (signal) => {
      const { response, url } = await this.send('GET', path, options, signal);
      // A page in its place comes from someone else.
      if (response.headers.has('content-disposition')) return response;
      throw notAHub(url, response.headers);
    });
  }

  private async send(method: Method, path: string, input: AnyInput | undefined, signal: AbortSignal) {
    const { hub, fetch } = await this.locate();
    const headers = { 'user-agent': `switchboard-cli/${this.version}` };
    const connection = { hub: hub.url, token: hub.token, headers, fetch };
    const response = await call(connection, method, path, { ...input, signal }).catch((error: unknown) =>
      this.lost(hub.url, error),
    );
    if (response.ok) return { response, url: hub.url };
    const text = await response.text().catch((error: unknown) => this.lost(hub.url, error));
    throw failureOf(response, text, { url: hub.url, version: this.version });
  }

  /** @throws NotNow, or CommandFailed for a name that would change the path */
  private lost(url: string, error: unknown): never {
    throw error instanceof RangeError ? invalidCommandLine(error.message, '') : unreachable(url, error);
  }

  private async locate(): Promise<{ hub: Hub; fetch: Fetch }> {
    this.found ??= this.find().then(async (hub) => {
      this.isLocal = hub.isLocal;
      return { hub, fetch: await fetcherFor(hub) };
    });
    return this.found;
  }

  /** Reads are repeated for a while; changes only if the connection was refused, so that nothing is done twice. */
  private async retried<Result>(
    method: Method,
    { waitMs = 0, timeoutMs, patient = false, isRepeatable, signal: given, say = note }: RequestOptions = {},
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const limitMs = waitMs + (timeoutMs ?? 1_000 * (this.timeoutS ?? TIMEOUT_S));
    const startedAt = performance.now();
    let isTold = false;
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
      const leftMs = patient ? limitMs : Math.max(0, startedAt + limitMs - performance.now());
      // Not AbortSignal.any: what it returns may be collected as garbage before it is aborted.
      const ended = new AbortController();
      const stop = () => ended.abort();
      const timeout = setTimeout(() => ended.abort(new DOMException('', 'TimeoutError')), leftMs);
      given?.addEventListener('abort', stop);
      try {
        given?.throwIfAborted();
        const result = await work(ended.signal);
        if (isTold) say('The hub answers again.');
        return result;
      } catch (error) {
        given?.throwIfAborted();
        // A daemon on this machine has another address after a restart.
        if (this.isLocal) this.found = null;
        if (!(error instanceof NotNow) || !(method === 'GET' || isRepeatable || error.isRefused)) throw error;
        const waitedMs = Math.max(delayMs, error.afterMs);
        const isOver = performance.now() - startedAt + waitedMs > Math.min(limitMs, RETRY_MS);
        const isStopped = !error.isBrief || (this.isLocal && isUnreachable(error));
        if (!patient && (isOver || isStopped)) throw error;
        if (!isTold && (patient || process.stderr.isTTY)) {
          isTold = true;
          say(`${error.detail} Trying again ${patient ? 'until it answers' : 'for a while'}.`);
        }
        await pause(waitedMs, undefined, given && { signal: given });
      } finally {
        clearTimeout(timeout);
        given?.removeEventListener('abort', stop);
      }
    }
  }
}
