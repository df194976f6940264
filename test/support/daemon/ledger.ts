import { ledger } from '../../../src/contract/ledger';
import { HttpClient } from '../http';

/** Expects the consistency check of a running daemon to find nothing. */
export async function assertBalanced({ url, token }: { url: string; token: string }): Promise<void> {
  // On its own connection: reading the database in a test blocks the event loop for so long that the daemon may
  // have closed an idle one.
  const headers = { authorization: `Bearer ${token}`, connection: 'close' };
  const client = new HttpClient(Number(new URL(url).port));
  const { status, text, json } = await client.send('/api/v1/ledger', { method: 'POST', headers });
  if (status !== 200) throw new Error(`The consistency check failed (${status}): ${text}`);
  const { balanced, findings } = ledger.parse(json);
  if (!balanced) throw new Error(`The data is inconsistent: ${JSON.stringify(findings)}`);
}
