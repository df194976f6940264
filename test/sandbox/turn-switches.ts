import type { Sandbox } from '../../src/sandbox/start-sandbox';

/** Turns switches of a running sandbox over HTTP, as its panel does. */
export async function turn(
  sandbox: Sandbox,
  kind: 'readings' | 'faults' | 'traffic',
  changes: object,
): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(`${sandbox.baseUrl}/panel/${kind}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(changes),
  });
  return { status: answer.status, body: await answer.json() };
}
