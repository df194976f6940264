import type { Sandbox } from '../../src/sandbox/start-sandbox';

/** Changes quirks, faults or traffic of a running sandbox with a request that its panel also sends. */
export async function patchSandbox(
  sandbox: Sandbox,
  route: 'quirks' | 'faults' | 'traffic',
  changes: object,
): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${sandbox.baseUrl}/panel/${route}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(changes),
  });
  return { status: response.status, body: await response.json() };
}
