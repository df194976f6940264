import { createHmac } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { FakeWebhook } from './copilot';

/** The document's time for an answer (6.3). */
const ANSWER_WITHIN_MS = 5_000;

/** What came of one attempt to notify. */
export interface Answered {
  /** Null where no whole answer came in time. */
  status: number | null;
  retryAfter: string | null;
  /** The event's id in a 200, or null. */
  id: string | null;
  /** `accepted` or `duplicate` in a 200, the problem's code in a refusal, or the network's error. */
  word: string | null;
  /** Ms since 1970. */
  sentAt: number;
  answeredAt: number;
}

type Ended = { status: number; headers: string; text: string } | { error: string };

/**
 * Sends notifications to a webhook as the service does (document, 5.6 and 6.3): the lowercase hex HMAC-SHA256 of the
 * bytes in a header, five seconds for the answer, connections kept alive, and as many of them as there are requests, so
 * that none waits for the answer to another. HTTP/1.1 by hand: a tenth of a client's cost, where a run sends a hundred
 * thousand beside the daemon that it watches.
 */
export class WebhookSender {
  /** Requests whose answer is not here yet. */
  unanswered = 0;
  private readonly idle: Connection[] = [];
  private readonly all = new Set<Connection>();
  private readonly port: number;
  private readonly head: string;

  constructor(
    private readonly webhook: FakeWebhook,
    header = 'x-signature',
  ) {
    const { port, pathname, host } = new URL(webhook.url);
    this.port = Number(port);
    this.head = `POST ${pathname} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n${header}: `;
  }

  /** One attempt; it never throws. */
  async send(body: Buffer): Promise<Answered> {
    const signature = createHmac('sha256', this.webhook.secret).update(body).digest('hex');
    const head = `${this.head}${signature}\r\ncontent-length: ${body.length}\r\n\r\n`;
    const sentAt = Date.now();
    this.unanswered += 1;
    const ended = await this.exchange(Buffer.concat([Buffer.from(head, 'latin1'), body]));
    this.unanswered -= 1;
    const answeredAt = Date.now();
    if ('error' in ended)
      return { status: null, retryAfter: null, id: null, word: ended.error, sentAt, answeredAt };
    const retryAfter = /\r\nretry-after: *([^\r]*)/i.exec(ended.headers)?.[1] ?? null;
    return { status: ended.status, retryAfter, ...readAnswer(ended.text), sentAt, answeredAt };
  }

  close(): void {
    for (const connection of this.all) connection.close();
  }

  private async exchange(request: Buffer): Promise<Ended> {
    const connection = this.idle.pop() ?? this.open();
    const ended = await connection.exchange(request);
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
  private waiting: ((ended: Ended) => void) | null = null;
  private timer: NodeJS.Timeout | undefined;
  private failure = 'closed without an answer';

  constructor(port: number, onClose: () => void) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.setEncoding('latin1').on('data', (text: string) => this.take(text));
    this.socket.on('error', (error: NodeJS.ErrnoException) => (this.failure = error.code ?? error.message));
    this.socket.on('close', () => {
      this.isOpen = false;
      this.end({ error: this.failure });
      onClose();
    });
  }

  exchange(request: Buffer): Promise<Ended> {
    return new Promise((resolve) => {
      this.waiting = resolve;
      this.timer = setTimeout(() => {
        this.failure = 'no answer in time';
        this.close();
      }, ANSWER_WITHIN_MS);
      this.socket.write(request);
    });
  }

  close(): void {
    this.isOpen = false;
    this.socket.destroy();
  }

  private take(text: string): void {
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

  private end(ended: Ended): void {
    clearTimeout(this.timer);
    const { waiting } = this;
    this.waiting = null;
    waiting?.(ended);
  }
}

function readAnswer(text: string): { id: string | null; word: string | null } {
  const { id, status, code } = JSON.parse(text) as { id?: string; status?: string | number; code?: string };
  return { id: id ?? null, word: code ?? (typeof status === 'string' ? status : null) };
}
