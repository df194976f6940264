/**
 * Follows the redirects that an operator's browser would: from the hub to the consent page, and back with the code.
 * The sandbox of the demo consents automatically, so no page needs a click.
 */
export async function consentInDemo(hub: string, adminToken: string): Promise<void> {
  const started = await follow(`${hub}/oauth/connect`, { authorization: `Bearer ${adminToken}` });
  const consented = await follow(started.location, {});
  // The hub accepts the callback only from the browser that started the authorization.
  await follow(consented.location, { cookie: started.cookie });
}

async function follow(
  url: string,
  headers: Record<string, string>,
): Promise<{ location: string; cookie: string }> {
  const response = await fetch(url, { headers, redirect: 'manual' });
  const location = response.headers.get('location');
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
  if (location !== null) return { location: new URL(location, url).href, cookie };
  const { origin, pathname } = new URL(url);
  throw new Error(`The demo could not connect: ${origin}${pathname} responded with ${response.status}.`);
}
