import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Problem } from '../contract/problem';
import { addressFile, readAddress, type DaemonAddress } from '../relay/settings/address-file';
import { PROOF_PATH, proofOf } from '../relay/access/daemon-proof';
import { ADMIN_TOKEN_FILE } from '../relay/secrets/secret-files';
import type { Environment } from '../relay/settings/read-settings';
import { COMMAND_LINE_AGENT } from '../relay/ground/version';
import { CommandFailed } from './command-failed';
import { oneLine } from './printable';

const NONCE_BYTES = 32;
const PROOF_TIMEOUT_MS = 5_000;
/** Longer than Co-Pilot may take where the daemon has to ask it. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The daemon cannot be asked; exit code 69. */
export class DaemonUnavailable extends Error {}

/**
 * Talks to the running daemon through its API, with what the daemon left in `DATA_DIR`. After a daemon that was killed its
 * address stays, and anybody on the machine may listen there: whoever does has to prove first that he is the daemon.
 */
export class DaemonClient {
  private readonly dataDir: string;
  private readonly address: DaemonAddress;
  private readonly token: string;
  private verified: Promise<void> | null = null;

  /** @throws DaemonUnavailable when no daemon runs on `DATA_DIR`, or what it left there cannot be read */
  constructor(environment: Environment) {
    this.dataDir = resolve(environment['DATA_DIR']?.trim() || 'data');
    const address = readOrExplain(addressFile(this.dataDir), () => readAddress(this.dataDir));
    if (address === null) throw this.notRunning();
    this.address = address;
    const given = environment['SWITCHBOARD_ADMIN_TOKEN']?.trim();
    const file = environment['SWITCHBOARD_ADMIN_TOKEN_FILE']?.trim() || join(this.dataDir, ADMIN_TOKEN_FILE);
    this.token = given || readOrExplain(file, () => readFileSync(file, 'utf8').trim());
  }

  /**
   * @param withinMs how long to wait for the answer
   * @throws CommandFailed with what the daemon says where it refuses, DaemonUnavailable where it does not answer
   */
  async request<Answer>(
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    withinMs = REQUEST_TIMEOUT_MS,
  ): Promise<Answer> {
    this.verified ??= this.verify();
    await this.verified;
    const headers = {
      authorization: `Bearer ${this.token}`,
      'user-agent': COMMAND_LINE_AGENT,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const { ok, told } = await this.send(path, sent, withinMs);
    if (ok) return told as Answer;
    const { detail, remedy } = told as Problem;
    throw new CommandFailed(1, oneLine(remedy === undefined ? detail : `${detail} ${remedy}`));
  }

  /** Sends no secret. */
  private async verify(): Promise<void> {
    const nonce = randomBytes(NONCE_BYTES).toString('hex');
    const { told } = await this.send(`${PROOF_PATH}?nonce=${nonce}`, {}, PROOF_TIMEOUT_MS);
    const given = Buffer.from(String((told as { proof?: unknown }).proof));
    const wanted = Buffer.from(proofOf(this.address.secret, nonce));
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw this.notRunning();
  }

  private async send(
    path: string,
    request: RequestInit,
    withinMs: number,
  ): Promise<{ ok: boolean; told: object }> {
    const { url } = this.address;
    const signal = AbortSignal.timeout(withinMs);
    const silent = (error: unknown) => {
      throw new DaemonUnavailable(`The daemon at ${url} does not answer. Is it running?`, { cause: error });
    };
    const answer = await fetch(`${url}${path}`, { ...request, redirect: 'error', signal }).catch(silent);
    const text = await answer.text().catch(silent);
    const told = parseObject(text);
    if (told === null) throw new DaemonUnavailable(`What answers at ${url} is no daemon of this version.`);
    return { ok: answer.ok, told };
  }

  private notRunning(): DaemonUnavailable {
    return new DaemonUnavailable(
      `No daemon runs on ${this.dataDir}. Start it with: switchboard serve, or name its --data-dir.`,
    );
  }
}

function parseObject(text: string): object | null {
  try {
    const told: unknown = JSON.parse(text);
    return typeof told === 'object' ? told : null;
  } catch {
    return null;
  }
}

function readOrExplain<Content>(file: string, read: () => Content): Content {
  try {
    return read();
  } catch (error) {
    throw new DaemonUnavailable(
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code}). Run this as the daemon's user.`,
    );
  }
}
