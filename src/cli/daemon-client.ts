import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Problem } from '../contract/problem';
import { ADMIN_TOKEN_FILE } from '../relay/secrets/secret-files';
import type { Environment } from '../relay/settings/read-settings';
import { ADDRESS_FILE } from '../relay/start-relay';

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

  async request<Answer>(method: 'GET' | 'POST', path: string): Promise<Answer> {
    const headers = { authorization: `Bearer ${this.token}` };
    const answer = await fetch(`${this.base}${path}`, { method, headers }).catch((error: unknown) => {
      throw new DaemonUnavailable(`The daemon at ${this.base} does not answer. Is it running?`, {
        cause: error,
      });
    });
    const body = (await answer.json()) as Answer | Problem;
    if (answer.ok) return body as Answer;
    const { detail, remedy } = body as Problem;
    throw new Error(remedy === undefined ? detail : `${detail} ${remedy}`);
  }
}
