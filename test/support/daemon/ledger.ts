import { ledger } from '../../../src/contract/ledger';

/** Whether the books of a running daemon balance, as `doctor --ledger` asks it. */
export async function assertBalanced({ url, token }: { url: string; token: string }): Promise<void> {
  const answer = await fetch(`${url}/api/v1/ledger`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The books could not be checked (${answer.status}): ${text}`);
  const { balanced, findings } = ledger.parse(JSON.parse(text));
  if (!balanced) throw new Error(`The books do not balance: ${JSON.stringify(findings)}`);
}
