import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Problem } from '../contract/problem';
import { ADDRESS_FILE } from '../relay/address-file';
import { ADMIN_TOKEN_FILE } from '../relay/secrets/secret-files';
import type { Environment } from '../relay/settings/read-settings';
import { COMMAND_LINE_AGENT } from '../relay/version';
import { CommandFailed } from './command-failed';

/** The daemon cannot be asked; exit code 69. */
export class DaemonUnavailable extends Error {}

/** Talks to the running daemon through its API, with what the daemon left in `DATA_DIR`. */
export class DaemonClient {
  private readonly base: string;
  private readonly token: string;

  /** @throws DaemonUnavailable when no daemon runs on `DATA_DIR`, or its token cannot be read */
  constructor(environment: Environment) {
    const dataDir = resolve(environment['DATA_DIR']?.trim() || 'data');
    const address = join(dataDir, ADDRESS_FILE);
    if (!existsSync(address)) {
      throw new DaemonUnavailable(
        `No daemon runs on ${dataDir}. Start it with: switchboard serve, or name its --data-dir.`,
      );
    }
    this.base = readFileSync(address, 'utf8').trim();
    const given = environment['SWITCHBOARD_ADMIN_TOKEN']?.trim();
    const file = environment['SWITCHBOARD_ADMIN_TOKEN_FILE']?.trim() || join(dataDir, ADMIN_TOKEN_FILE);
    try {
      this.token = given || readFileSync(file, 'utf8').trim();
    } catch (error) {
      throw new DaemonUnavailable(
        `${file} cannot be read (${(error as NodeJS.ErrnoException).code}). Run this as the daemon's user.`,
      );
    }
  }

  /** @throws CommandFailed with what the daemon says where it refuses, DaemonUnavailable where it does not answer */
  async request<Answer>(method: 'GET' | 'POST', path: string, body?: object): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${this.token}`,
      'user-agent': COMMAND_LINE_AGENT,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${this.base}${path}`, sent).catch((error: unknown) => {
      throw new DaemonUnavailable(`The daemon at ${this.base} does not answer. Is it running?`, {
        cause: error,
      });
    });
    const told = (await answer.json().catch((error: unknown) => {
      throw new DaemonUnavailable(`What answers at ${this.base} is no daemon of this version.`, {
        cause: error,
      });
    })) as Answer | Problem;
    if (answer.ok) return told as Answer;
    const { detail, remedy } = told as Problem;
    throw new CommandFailed(1, remedy === undefined ? detail : `${detail} ${remedy}`);
  }
}
