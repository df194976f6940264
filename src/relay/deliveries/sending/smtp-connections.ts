import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { SMTPTransportOptions } from 'nodemailer';
import type { AttemptError } from '../../../contract/delivery';
import type { AddressGuard } from '../../targets/address-guard';
import { failedOutcome, type AttemptOutcome } from './attempt-outcome';
import type { ConnectionSettings } from './connection-settings';
import { excerptOf } from './excerpt';
import { describeNetworkError, type NetworkFailure } from './network-error';
import { tlsOptions } from './tls-options';

/** A mail server's reply to an accepted message (RFC 5321, 4.2.2). */
const ACCEPTED = 250;

/** Ports of message submission: with TLS from the start (RFC 8314, 3.3), and with STARTTLS (RFC 6409, 3.1). */
const PORTS: Record<string, number> = { 'smtps:': 465, 'smtp:': 587 };

/** Sends e-mails to one mail server, each with a connection of its own. */
export class SmtpConnections {
  private readonly url: URL;
  private readonly stopping = new AbortController();

  constructor(
    private readonly target: ConnectionSettings,
    private readonly guard: AddressGuard,
  ) {
    this.url = new URL(target.url);
  }

  /** @param headers the header fields of the e-mail, and the `authorization` at the mail server */
  async send(
    headers: Record<string, string>,
    body: Uint8Array,
    secrets: readonly string[],
  ): Promise<AttemptOutcome | null> {
    const started = performance.now();
    const timeout = AbortSignal.timeout(this.target.policy.timeout_ms);
    const signal = AbortSignal.any([timeout, this.stopping.signal]);
    try {
      const connection = await this.connect(signal);
      // Loaded when it is needed: few hubs send e-mails.
      const { createTransport } = await import('nodemailer');
      const transport = createTransport(this.transportOptions(connection, headers['authorization']));
      const { response } = await transport.sendMail({
        ...this.envelope(),
        subject: headers['subject'],
        messageId: headers['message-id'],
        references: headers['references'],
        headers: { 'auto-submitted': headers['auto-submitted'] ?? 'auto-generated' },
        text: Buffer.from(body).toString('utf8'),
        signal,
      });
      const durationMs = Math.round(performance.now() - started);
      const excerpt = excerptOf(Buffer.from(response), secrets);
      return { status: ACCEPTED, error: null, durationMs, excerpt, retryAfter: null };
    } catch (error) {
      if (this.stopping.signal.aborted) return null;
      if (timeout.aborted) return failedOutcome('timeout', started);
      const { response } = error as { response?: string };
      const { error: name, code } = describeSmtpError(error);
      const excerpt = response === undefined ? code : excerptOf(Buffer.from(response), secrets);
      return failedOutcome(name, started, excerpt);
    }
  }

  /** Each connection ends with its e-mail. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  abort(): Promise<void> {
    this.stopping.abort();
    return Promise.resolve();
  }

  /** Opens the connection itself, so that only allowed addresses are used, and errors have their codes. */
  private connect(signal: AbortSignal): Promise<Socket> {
    const denied = this.guard.literalCheckFor(this.url)();
    if (denied !== null) return Promise.reject(Object.assign(new Error('address denied'), { code: denied }));
    const { protocol, hostname, port } = this.url;
    const host = hostname.replace(/^\[|\]$/g, '');
    const options = {
      host,
      port: port === '' ? PORTS[protocol]! : Number(port),
      lookup: this.guard.lookupFor(this.url),
    };
    const isTls = protocol === 'smtps:';
    const socket = isTls
      ? connectTls({
          ...options,
          ...tlsOptions(this.target.tls),
          ...(isIP(host) === 0 && { servername: host }),
        })
      : connectTcp(options);
    const stop = () => socket.destroy(new Error('aborted'));
    signal.addEventListener('abort', stop, { once: true });
    socket.once('close', () => signal.removeEventListener('abort', stop));
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.once(isTls ? 'secureConnect' : 'connect', () => {
        socket.off('error', reject);
        resolve(socket);
      });
    });
  }

  private transportOptions(connection: Socket, authorization: string | undefined): SMTPTransportOptions {
    const { protocol, hostname } = this.url;
    const auth = authorization === undefined ? null : readBasic(authorization);
    return {
      host: hostname,
      getSocket: (_, callback) => callback(null, { connection, secured: protocol === 'smtps:' }),
      secure: protocol === 'smtps:',
      tls: tlsOptions(this.target.tls),
      // A password is sent encrypted or not at all.
      ...(auth !== null && { auth, requireTLS: protocol === 'smtp:' }),
      disableFileAccess: true,
      disableUrlAccess: true,
    };
  }

  private envelope() {
    const { searchParams } = this.url;
    return { from: searchParams.get('from') ?? '', to: searchParams.getAll('to').join(',') };
  }
}

/** The user name and password of Basic credentials (RFC 7617, 2). */
function readBasic(authorization: string): { user: string; pass: string } {
  const text = Buffer.from(authorization.slice(authorization.indexOf(' ') + 1), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return { user: text.slice(0, colon), pass: text.slice(colon + 1) };
}

/** A failure: a reply of the server, or an error of the connection. */
function describeSmtpError(error: unknown): NetworkFailure {
  const { responseCode, code = '' } = error as { responseCode?: number; code?: string };
  if (responseCode !== undefined) return { error: 'smtp_reply', code: null };
  const named = NODEMAILER_ERRORS[code];
  return named === undefined ? describeNetworkError(error) : { error: named, code };
}

/** Nodemailer, "Error codes". */
const NODEMAILER_ERRORS: Record<string, AttemptError> = {
  ECONNECTION: 'connection_reset',
  ESOCKET: 'connection_reset',
  ETLS: 'tls',
  EPROTOCOL: 'response_invalid',
};
