import type { Ledger } from '../../src/contract/ledger';
import type { Daemon } from './daemon';

/** Whether the books of a running daemon balance, as `doctor --ledger` asks it. */
export async function assertBalanced(daemon: Daemon): Promise<void> {
  const { status, body } = await daemon.request('POST', '/ledger', {});
  const { balanced, findings } = body as Ledger;
  if (status !== 200 || !balanced)
    throw new Error(`The books do not balance (${status}): ${JSON.stringify(findings)}`);
}
