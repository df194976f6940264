import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FakeWebhook } from './copilot-webhooks';

/** The document's timeout for a response (6.3). */
export const RESPONSE_TIMEOUT_MS = 5_000;
/** The time of a hang, so that a test does not depend on the speed of the machine. */
const PATIENT_TIMEOUT_MS = 60_000;

/** The outcome of one attempt to notify. */
export interface AttemptOutcome {
  /** Null if there was no complete response in time. */
  status: number | null;
  retryAfter: string | null;
  /** The id of the event from a 200, or null. */
  id: string | null;
  /** `accepted` or `duplicate` from a 200, the code of an error response, or the network error. */
  code: string | null;
  /** Ms since 1970. */
  sentAt: number;
  respondedAt: number;
}

type ExchangeResult = { status: number; headers: string; text: string } | { error: string };

/**
 * Sends notifications to a webhook as the service does (document, 5.6 and 6.3): the lowercase hex HMAC-SHA256 of the
 * bytes in a header, and a keep-alive connection for each concurrent request. It writes HTTP/1.1
 * itself at a tenth of a client's cost, because a run sends a hundred thousand on the machine that the daemon runs on.
 */
export class WebhookSender {
  /** The number of requests without a response yet. */
  unanswered = 0;
  private readonly idle: Connection[] = [];
  private readonly all = new Set<Connection>();
  private readonly port: number;
  private readonly head: string;

  constructor(
    private readonly webhook: FakeWebhook,
    header = 'x-signature',
    private readonly timeoutMs = PATIENT_TIMEOUT_MS,
  ) {
    const { port, pathname, host } = new URL(webhook.url);
    this.port = Number(port);
    this.head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n${header}: `;
  }

  /** One attempt; it never throws. */
  async send(body: Buffer): Promise<AttemptOutcome> {
    const signature = createHmac('sha256', this.webhook.secret).update(body).digest('hex');
    const head = `${this.head}${signature}\r\ncontent-length: ${body.length}\r\n\r\n`;
    const sentAt = Date.now();
    this.unanswered += 1;
    const ended = await this.exchange(Buffer.concat([Buffer.from(head, 'latin1'), body]));
    this.unanswered -= 1;
    const answeredAt = Date.now();
    if ('error' in ended)
      return { status: null, retryAfter: null, id: null, code: ended.error, sentAt, respondedAt: answeredAt };
    const retryAfter = /\r\nretry-after: *([^\r]*)/i.exec(ended.headers)?.[1] ?? null;
    return { status: ended.status, retryAfter, ...readResponse(ended.text), sentAt, respondedAt: answeredAt };
  }

  close(): void {
    for (const connection of this.all) connection.close();
  }

  private async exchange(request: Buffer): Promise<ExchangeResult> {
    // After a stall, a timer may run before it is read that the daemon has closed a connection.
    await nextTurn();
    const connection = this.idle.pop() ?? this.open();
    const ended = await connection.exchange(request, this.timeoutMs);
    if (connection.isOpen) this.idle.push(connection);
    return ended;
  }

  private open(): Connection {
    const connection = new Connection(this.port, () => {
      this.all.delete(connection);
      const at = this.idle.indexOf(connection);
      if (at >= 0) this.idle.splice(at, 1);
    });
    this.all.add(connection);
    return connection;
  }
}

/** One connection, one request at a time. */
class Connection {
  isOpen = true;
  private readonly socket: Socket;
  private received = '';
  private waiting: ((ended: ExchangeResult) => void) | null = null;
  private timer: NodeJS.Timeout | undefined;
  private failure = 'closed without a response';

  constructor(port: number, onClose: () => void) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setEncoding('latin1').on('data', (text: string) => this.receive(text));
    this.socket.on('error', (error: NodeJS.ErrnoException) => (this.failure = error.code ?? error.message));
    const forget = () => {
      this.isOpen = false;
      onClose();
    };
    // The event `close` comes a turn later.
    this.socket.on('end', forget);
    this.socket.on('close', () => {
      forget();
      this.end({ error: this.failure });
    });
  }

  exchange(request: Buffer, timeoutMs: number): Promise<ExchangeResult> {
    return new Promise((resolve) => {
      this.waiting = resolve;
      this.timer = setTimeout(() => {
        this.failure = 'timed out';
        this.close();
      }, timeoutMs);
      this.socket.write(request);
    });
  }

  close(): void {
    this.isOpen = false;
    this.socket.destroy();
  }

  private receive(text: string): void {
    this.received += text;
    const end = this.received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const headers = this.received.slice(0, end);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(headers)?.[1] ?? 0);
    if (this.received.length < end + 4 + length) return;
    const body = this.received.slice(end + 4);
    this.received = '';
    if (/\r\nconnection: *close/i.test(headers)) this.close();
    this.end({ status: Number(headers.slice(9, 12)), headers, text: body });
  }

  private end(ended: ExchangeResult): void {
    clearTimeout(this.timer);
    const { waiting } = this;
    this.waiting = null;
    waiting?.(ended);
  }
}

function readResponse(text: string): { id: string | null; code: string | null } {
  const { id, status, code } = JSON.parse(text) as { id?: string; status?: string | number; code?: string };
  return { id: id ?? null, code: code ?? (typeof status === 'string' ? status : null) };
}
