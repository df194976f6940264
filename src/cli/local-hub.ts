import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PROOF_PATH, proofOf } from '../relay/access/daemon-proof';
import { isSameSecret } from '../relay/secrets/is-same-secret';
import { ADMIN_TOKEN_FILE } from '../relay/secrets/secret-files';
import { addressFile, readAddress } from '../relay/settings/address-file';
import { decodeText } from '../relay/settings/decode-text';
import { readEnvFile } from '../relay/settings/env-file';
import { EXIT } from './exit-codes';
import type { Hub, LocalHub } from './remote/hub';
import { NotNow } from './remote/hub-failures';

const NAMES = ['DATA_DIR', 'SWITCHBOARD_ADMIN_TOKEN', 'SWITCHBOARD_ADMIN_TOKEN_FILE'];
const NONCE_BYTES = 32;
const PROOF_TIMEOUT_MS = 5_000;

/**
 * The daemon that runs on a folder of this machine, with the address and the token that it saved there. A killed daemon
 * leaves its address behind and any local process may then listen there, so the other side has to prove that it is the
 * daemon before it is sent the token.
 * @param dataDirFlag the folder; otherwise `DATA_DIR`, also from `.env`
 * @throws StartupError if `.env` cannot be read; `open` NotNow if no daemon runs there
 */
export function localHub(dataDirFlag: string | undefined): LocalHub {
  const environment = { ...readEnvFile(NAMES).values, ...process.env };
  const named = dataDirFlag ?? (environment['DATA_DIR']?.trim() || undefined);
  const dataDir = resolve(named ?? 'data');
  return {
    isNamed: named !== undefined,
    async open(): Promise<Hub> {
      const address = readOrExplain(addressFile(dataDir), () => readAddress(dataDir));
      if (address === null) throw notRunning(dataDir);
      const configured = environment['SWITCHBOARD_ADMIN_TOKEN']?.trim();
      const file = environment['SWITCHBOARD_ADMIN_TOKEN_FILE']?.trim() || join(dataDir, ADMIN_TOKEN_FILE);
      const token = configured || readOrExplain(file, () => decodeText(readFileSync(file)).trim());
      const nonce = randomBytes(NONCE_BYTES).toString('hex');
      const proof = await askForProof(address.url, nonce);
      if (!isSameSecret(proof, proofOf(address.secret, nonce))) throw notRunning(dataDir);
      return { url: address.url, source: 'this machine', token, caFile: null, isLocal: true };
    },
  };
}

/** Challenge-response: the daemon proves that it knows the secret in the address file, which is not sent. */
async function askForProof(url: string, nonce: string): Promise<string> {
  const signal = AbortSignal.timeout(PROOF_TIMEOUT_MS);
  const text = await fetch(`${url}${PROOF_PATH}?nonce=${nonce}`, { redirect: 'error', signal })
    .then((response) => response.text())
    .catch(() => {
      throw unavailable(`The daemon at ${url} does not respond.`, 'Check that it is running.');
    });
  try {
    return String((JSON.parse(text) as { proof?: unknown } | null)?.proof);
  } catch {
    throw unavailable(
      `The process at ${url} is not a Switchboard daemon of this version.`,
      'Start the daemon of this version.',
    );
  }
}

const unavailable = (what: string, remedy: string) =>
  new NotNow(EXIT.unavailable, what, remedy, 'hub_unreachable');

const notRunning = (dataDir: string) =>
  unavailable(
    `No daemon is running on ${dataDir}.`,
    'Start it with "switchboard serve", or name another hub with --data-dir, --hub or "switchboard login".',
  );

function readOrExplain<Content>(file: string, read: () => Content): Content {
  try {
    return read();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw unavailable(
      `${file} cannot be read (${code}).`,
      'Run the command as the user that runs the daemon.',
    );
  }
}
