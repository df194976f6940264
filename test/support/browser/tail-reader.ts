import type { Locator, Page } from 'playwright-core';
import type { EventSummary } from '../../../src/contract/event';
import type { Page as ListPage } from '../../../src/contract/page';
import type { Daemon } from '../daemon/daemon';

const READ_WITHIN_MS = 300_000;

/** The list of the live tail. */
export const tail = (page: Page): Locator => page.getByRole('region', { name: 'Events', exact: true });

/** The button that tells how many events wait and lets them in. */
export const waiting = (page: Page): Locator => tail(page).getByRole('button', { name: /new$/ });

/**
 * Scrolls the live list from its newest event to the end, as somebody would who looks for one; answers with the ids in
 * their order.
 * @throws where two events claim one place, or a place has none
 */
export async function readThrough(page: Page): Promise<string[]> {
  const read = await page.evaluate(async (withinMs) => {
    const scroller = document.querySelector<HTMLElement>('[data-tail]')!;
    const found: string[] = [];
    const clashes: string[] = [];
    const deadline = Date.now() + withinMs;
    scroller.scrollTop = 0;
    for (let atEnd = 0; atEnd < 3 && Date.now() < deadline;) {
      await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
      for (const row of scroller.querySelectorAll('li')) {
        const at = Number(row.ariaPosInSet) - 1;
        const id = new URL(row.querySelector('a')!.href).pathname.split('/').at(-1)!;
        if (found[at] !== undefined && found[at] !== id) clashes.push(`${at}: ${found[at]}, ${id}`);
        found[at] = id;
      }
      const { scrollTop, clientHeight, scrollHeight } = scroller;
      const ended = scroller.textContent.includes('No older events.');
      atEnd = ended && scrollTop + clientHeight >= scrollHeight - 1 ? atEnd + 1 : 0;
      scroller.scrollTop = scrollTop + clientHeight / 2;
    }
    return {
      found: Array.from(found, (id: string | undefined) => id ?? ''),
      clashes,
      late: Date.now() >= deadline,
    };
  }, READ_WITHIN_MS);
  const empty = read.found.indexOf('');
  if (read.late || read.clashes.length > 0 || empty !== -1)
    throw new Error(
      `The list could not be read: ${JSON.stringify({ ...read, found: read.found.length, empty })}`,
    );
  return read.found;
}

/** The ids of the rows that are drawn, and where they stand in the window. */
export const rowsInSight = (page: Page): Promise<{ id: string; top: number }[]> =>
  page.evaluate(() => {
    const list = document.querySelector('[data-tail]')!.getBoundingClientRect();
    return [...document.querySelectorAll('[data-tail] li')]
      .map((row) => ({
        id: row.querySelector('a')!.pathname.split('/').at(-1)!,
        box: row.getBoundingClientRect(),
      }))
      .filter(({ box }) => box.bottom > list.top && box.top < list.bottom)
      .map(({ id, box }) => ({ id, top: box.top }));
  });

/** What Switchboard has told of itself so far: it is in the list too. */
export async function ownEvents(daemon: Daemon): Promise<string[]> {
  const { data } = await daemon.get<ListPage<EventSummary>>('/events?type=relay.*&limit=200');
  return data.map(({ id }) => id);
}
