import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Problem } from '../contract/problem';
import { addressFile, readAddress, type DaemonAddress } from '../relay/settings/address-file';
import { PROOF_PATH, proofOf } from '../relay/access/daemon-proof';
import { isSameSecret } from '../relay/secrets/is-same-secret';
import { ADMIN_TOKEN_FILE } from '../relay/secrets/secret-files';
import { decodeText } from '../relay/settings/decode-text';
import type { Environment } from '../relay/settings/read-settings';
import { COMMAND_LINE_AGENT } from '../relay/ground/version';
import { CommandFailed } from './command-failed';
import { EXIT } from './exit-codes';
import { oneLine } from './printable';

const NONCE_BYTES = 32;
const PROOF_TIMEOUT_MS = 5_000;
/** Longer than the daemon's own timeout for requests to Co-Pilot, which some routes wait for. */
const REQUEST_TIMEOUT_MS = 60_000;

/** The daemon is not running or cannot be reached; exit code 69. */
export class DaemonUnavailable extends Error {
  /** @param what happened @param remedy what to do */
  constructor(
    readonly what: string,
    readonly remedy: string,
    options?: ErrorOptions,
  ) {
    super(`${what} ${remedy}`, options);
  }
}

/**
 * Calls the API of the running daemon, with the address and token that it saved in `DATA_DIR`. A killed daemon leaves
 * its address behind and any local process may then listen there, so the other side has to prove that it is the
 * daemon before it is sent the token.
 */
export class DaemonClient {
  private readonly dataDir: string;
  private readonly address: DaemonAddress;
  private readonly token: string;
  private verification: Promise<void> | null = null;

  /** @throws DaemonUnavailable if no daemon is running on `DATA_DIR`, or its files cannot be read */
  constructor(environment: Environment) {
    this.dataDir = resolve(environment['DATA_DIR']?.trim() || 'data');
    const address = readOrExplain(addressFile(this.dataDir), () => readAddress(this.dataDir));
    if (address === null) throw this.notRunning();
    this.address = address;
    const configured = environment['SWITCHBOARD_ADMIN_TOKEN']?.trim();
    const file = environment['SWITCHBOARD_ADMIN_TOKEN_FILE']?.trim() || join(this.dataDir, ADMIN_TOKEN_FILE);
    this.token = configured || readOrExplain(file, () => decodeText(readFileSync(file)).trim());
  }

  /**
   * @param timeoutMs how long to wait for the response
   * @throws CommandFailed with the daemon's error message, DaemonUnavailable if it does not respond
   */
  async request<Result>(
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    timeoutMs = REQUEST_TIMEOUT_MS,
  ): Promise<Result> {
    this.verification ??= this.verify();
    await this.verification;
    const headers = {
      authorization: `Bearer ${this.token}`,
      'user-agent': COMMAND_LINE_AGENT,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const { ok, result } = await this.send(path, request, timeoutMs);
    if (ok) return result as Result;
    const { detail, remedy } = result as Problem;
    throw new CommandFailed(EXIT.failed, oneLine(remedy === undefined ? detail : `${detail} ${remedy}`));
  }

  /** Challenge-response: the daemon proves that it knows the secret in the address file, which is not sent. */
  private async verify(): Promise<void> {
    const nonce = randomBytes(NONCE_BYTES).toString('hex');
    const { result } = await this.send(`${PROOF_PATH}?nonce=${nonce}`, {}, PROOF_TIMEOUT_MS);
    const { proof } = result as { proof?: unknown };
    if (!isSameSecret(String(proof), proofOf(this.address.secret, nonce))) throw this.notRunning();
  }

  private async send(
    path: string,
    request: RequestInit,
    timeoutMs: number,
  ): Promise<{ ok: boolean; result: object }> {
    const { url } = this.address;
    const signal = AbortSignal.timeout(timeoutMs);
    const onNoResponse = (error: unknown) => {
      throw new DaemonUnavailable(`The daemon at ${url} does not respond.`, 'Check that it is running.', {
        cause: error,
      });
    };
    const response = await fetch(`${url}${path}`, { ...request, redirect: 'error', signal }).catch(
      onNoResponse,
    );
    const text = await response.text().catch(onNoResponse);
    const result = parseObject(text);
    if (result === null)
      throw new DaemonUnavailable(
        `The process at ${url} is not a Switchboard daemon of this version.`,
        'Start the daemon of this version.',
      );
    return { ok: response.ok, result };
  }

  private notRunning(): DaemonUnavailable {
    return new DaemonUnavailable(
      `No daemon is running on ${this.dataDir}.`,
      'Start it with "switchboard serve", or set --data-dir to its folder.',
    );
  }
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

function readOrExplain<Content>(file: string, read: () => Content): Content {
  try {
    return read();
  } catch (error) {
    throw new DaemonUnavailable(
      `${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
      'Run the command as the user that runs the daemon.',
    );
  }
}
