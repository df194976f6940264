import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { INestApplicationContext } from '@nestjs/common';
import { IoAdapter } from '@nestjs/platform-socket.io';
import type { Server } from 'socket.io';
import { Clock } from '../ground/clock';
import { describeProblem } from '../http/describe-problem';
import type { RelayError } from '../ground/relay-error';
import { AdmitSockets } from './admit-sockets';
import { limitPackets } from './limit-packets';

type Options = Parameters<IoAdapter['createIOServer']>[1];
type AllowRequest = NonNullable<NonNullable<Options>['allowRequest']>;

/** Clients send nothing but who they are and what they saw last. */
const MESSAGE_BYTES = 4_096;
/** A client that has not joined the namespace by then is closed. */
const JOINS_WITHIN_MS = 5_000;

/** Only WebSockets: long polling would spread one dashboard over many requests, each with its own login check. */
export class LiveSocketAdapter extends IoAdapter {
  constructor(private readonly app: INestApplicationContext) {
    super(app);
  }

  override createIOServer(port: number, options?: Options): Server {
    const server = super.createIOServer(port, {
      ...options,
      transports: ['websocket'],
      perMessageDeflate: false,
      serveClient: false,
      maxHttpBufferSize: MESSAGE_BYTES,
      connectTimeout: JOINS_WITHIN_MS,
      allowRequest: (request, allow) => this.admit(request, allow),
      // Upgrades elsewhere are ignored, and their requests answered: those sockets are not for this one to end.
      destroyUpgrade: false,
    } as Options);
    limitPackets(server, this.app.get(Clock));
    // It is there by itself, and nothing is told in it.
    server.of('/').use((_, next) => next(new Error('There is nothing in this namespace.')));
    return server;
  }

  /** The engine would answer any refusal with 400 and a line of text; so it is not told of one. */
  private admit(request: IncomingMessage, allow: Parameters<AllowRequest>[1]): void {
    const refusal = this.app.get(AdmitSockets).refuse(request);
    if (refusal === null) allow(null, true);
    else answerHandshake(request, refusal);
  }
}

function answerHandshake({ socket }: IncomingMessage, refusal: RelayError): void {
  const { status, retryAfterSeconds } = refusal;
  const body = JSON.stringify(describeProblem(refusal));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'cache-control: no-store',
    'content-type: application/problem+json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(status === 401 ? ['www-authenticate: Bearer realm="switchboard"'] : []),
    ...(retryAfterSeconds === undefined ? [] : [`retry-after: ${retryAfterSeconds}`]),
  ];
  socket.on('error', () => undefined);
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
