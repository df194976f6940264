import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** An e-mail as a mail server accepted it. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** Header fields and body, with unfolded lines. */
  text: string;
  /** Whether the connection was encrypted. */
  isSecure: boolean;
}

export const MAIL_USER = 'hub@example.com';
export const MAIL_PASSWORD = 'p@ss:word of the mail server';

/** A mail server on loopback that requires a login and rejects the recipient `nobody@example.com`. */
export class MailServer {
  private constructor(
    private readonly server: SMTPServer,
    readonly mails: ReceivedMail[],
  ) {}

  /** @param options such as `secure` with a certificate; without TLS by default */
  static async start(options: SMTPServerOptions): Promise<MailServer> {
    const mails: ReceivedMail[] = [];
    const server = new SMTPServer({
      ...options,
      onAuth: ({ username, password }, _, callback) => {
        if (username === MAIL_USER && password === MAIL_PASSWORD) callback(null, { user: username });
        else callback(Object.assign(new Error('Invalid login'), { responseCode: 535 }));
      },
      onRcptTo: ({ address }, _, callback) =>
        callback(
          address === 'nobody@example.com'
            ? Object.assign(new Error('No such mailbox'), { responseCode: 550 })
            : undefined,
        ),
      onData: (stream, session, callback) => {
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => parts.push(part));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          const raw = Buffer.concat(parts).toString('utf8');
          mails.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            text: raw.replaceAll(/\r\n[ \t]/g, ' '),
            isSecure: session.secure,
          });
          callback();
        });
      },
    });
    server.on('error', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server.server, 'listening');
    return new MailServer(server, mails);
  }

  get port(): number {
    return (this.server.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.server.close(resolve));
  }
}
