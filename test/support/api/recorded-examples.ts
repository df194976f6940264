import type { HttpClient, TestResponse } from '../http';
import type { DescribedApi } from './described-api';

/** What an operation is called with. */
export interface ExampleInput {
  path?: Record<string, string>;
  query?: Record<string, string | number>;
  body?: unknown;
  /** Not recorded. */
  headers?: [name: string, value: string][];
}
/** A request and its response, as in `src/relay/api/openapi/examples.json`. */
export interface Example {
  body?: unknown;
  status: number;
  type?: string;
  answer?: unknown;
}

const MAX_ITEMS = 3;
const MAX_LINES = 8;
const MAX_CHARACTERS = 4_000;
/** Measured, so another one each time. */
const MEASURED = /^(?:duration_ms|p\d+_ms|seconds|lag|eta_s|(?:until|newest)_seq|port|(?:.*_)?bytes)$/;
/** Each in a form that its schema allows. */
const SECRETS = [
  [/whsec_[\w+/]+=*/g, `whsec_${Buffer.from('an example, not a secret').toString('base64')}`],
  [/\b(switchboard_)?[0-9a-f]{64}\b/g, `$1${'0'.repeat(64)}`],
  [/(?<=[="])[\w-]{43}(?=["&])/g, 'example'.padEnd(43, '0')],
  [/(?<="hint":"|\/hooks\/)[\w-]{4}(?=["…])/g, '0000'],
  [/admin-token-of-the-test/g, '<admin token>'],
] as const;
const START = Date.parse('2026-01-15T10:30:00.000Z');
const MINUTE_MS = 60_000;

/** Calls operations, and keeps what was sent and answered. */
export class RecordedExamples {
  private readonly recorded = new Map<string, Example>();

  /** @param startedAt by the clock of the hub */
  constructor(
    private readonly api: DescribedApi,
    private readonly startedAt: number,
  ) {}

  has(operationId: string): boolean {
    return this.recorded.has(operationId);
  }

  /** @returns the answer, which is a success that the document declares */
  async call(
    wire: HttpClient,
    operationId: string,
    { path: names = {}, query = {}, body, headers = [] }: ExampleInput = {},
  ): Promise<TestResponse> {
    const { method, path } = this.api.operations.find((one) => one.operation.operationId === operationId)!;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(names[name]!));
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    const address = search.size === 0 ? filled : `${filled}?${search.toString()}`;
    const response = await wire.send(address, { method, headers, ...(body !== undefined && { json: body }) });
    if (response.status >= 400) throw new Error(`${operationId}: ${response.status} ${response.text}`);
    expect({ operationId, faults: this.api.undeclared(method, address, response) }).toEqual({
      operationId,
      faults: [],
    });
    const type = response.headers['content-type']?.split(';')[0];
    const lines = response.text.split('\n').slice(0, MAX_LINES);
    const answer = type === 'application/json' ? shortened(response.json) : lines.join('\n');
    this.recorded.set(operationId, {
      ...(body !== undefined && { body }),
      status: response.status,
      ...(type !== undefined && { type }),
      ...(response.text !== '' && JSON.stringify(answer).length <= MAX_CHARACTERS && { answer }),
    });
    return response;
  }

  /**
   * All of them, the same each time: ids, times, secrets and addresses are made up.
   * @param hosts names in place of `localhost`, by port; others are ports of the hub @param folder with the data
   */
  text(hosts: Readonly<Record<string, string>>, folder: string): string {
    const sorted = [...this.recorded].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const ids = new Map<string, string>();
    const numbered = (id: string, prefix: string) => {
      const number = [...ids.keys()].filter((one) => one.startsWith(prefix)).length + 1;
      if (!ids.has(id)) ids.set(id, `${prefix}_${String(number).padStart(26, '0')}`);
      return ids.get(id)!;
    };
    const text =
      `{\n${sorted.map(([id, one]) => `${JSON.stringify(id)}: ${JSON.stringify(one)}`).join(',\n')}\n}`
        .replaceAll(folder, '/var/lib/switchboard')
        .replaceAll(
          /http(:\/\/|%3A%2F%2F)(?:localhost|127\.0\.0\.1)(?::|%3A)(\d+)/g,
          (_, slashes: string, port: string) => `https${slashes}${hosts[port] ?? 'hub'}.example.com`,
        )
        .replaceAll(/(?:localhost|127\.0\.0\.1):\d+/g, 'hub.example.com')
        .replaceAll(/\b([a-z]{3})_[0-9a-z]{26}\b/g, numbered)
        .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => this.shownTime(time));
    return `${SECRETS.reduce((all, [secret, shown]) => all.replaceAll(secret, shown), text)}\n`;
  }

  /** To the minute, as from the start of the recording. */
  private shownTime(time: string): string {
    const minutes = Math.round((Date.parse(time) - this.startedAt) / MINUTE_MS);
    return new Date(START + minutes * MINUTE_MS).toISOString();
  }
}

/** Long lists cut, and what was measured replaced. */
function shortened(value: unknown, name = ''): unknown {
  if (typeof value === 'number' && MEASURED.test(name)) return 12;
  if (Array.isArray(value) && value.every((one) => typeof one === 'object'))
    return value.slice(0, MAX_ITEMS).map((one) => shortened(one, name));
  if (Array.isArray(value)) return value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shortened(part, key)]));
}
