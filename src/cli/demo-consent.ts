/**
 * Goes the way of the operator's browser: from the hub to Co-Pilot's consent, and back with the code. The sandbox of the
 * demo consents at once, so the way has no page to click on.
 */
export async function consentInDemo(hub: string, adminToken: string): Promise<void> {
  const toConsent = await follow(`${hub}/oauth/connect`, { authorization: `Bearer ${adminToken}` });
  const toCallback = await follow(toConsent, {});
  await follow(toCallback, {});
}

async function follow(address: string, headers: Record<string, string>): Promise<string> {
  const answer = await fetch(address, { headers, redirect: 'manual' });
  const location = answer.headers.get('location');
  if (location !== null) return new URL(location, address).href;
  const { origin, pathname } = new URL(address);
  throw new Error(`The demo could not connect: ${origin}${pathname} answered ${answer.status}.`);
}
