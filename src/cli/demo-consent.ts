/**
 * Goes the way of the operator's browser: from the hub to Co-Pilot's consent, and back with the code. The sandbox of the
 * demo consents at once, so the way has no page to click on.
 */
export async function consentInDemo(hub: string, adminToken: string): Promise<void> {
  const begun = await follow(`${hub}/oauth/connect`, { authorization: `Bearer ${adminToken}` });
  const given = await follow(begun.location, {});
  // The hub takes the answer from the browser only that it sent away.
  await follow(given.location, { cookie: begun.cookie });
}

async function follow(
  address: string,
  headers: Record<string, string>,
): Promise<{ location: string; cookie: string }> {
  const answer = await fetch(address, { headers, redirect: 'manual' });
  const location = answer.headers.get('location');
  const cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? '';
  if (location !== null) return { location: new URL(location, address).href, cookie };
  const { origin, pathname } = new URL(address);
  throw new Error(`The demo could not connect: ${origin}${pathname} answered ${answer.status}.`);
}
