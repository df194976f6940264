import type { Locator, Page } from 'playwright-core';
import type { EventSummary } from '../../../src/contract/event';
import type { Page as ListPage } from '../../../src/contract/page';
import type { Daemon } from '../daemon/daemon';

const READ_WITHIN_MS = 300_000;

/** The list of the live tail. */
export const tail = (page: Page): Locator => page.getByRole('region', { name: 'Events', exact: true });

/** The button that shows the number of new events and inserts them. */
export const newEventsButton = (page: Page): Locator => tail(page).getByRole('button', { name: /new$/ });

/** Scrolls the live list from its newest event to the end. @returns the ids of all events in order */
export const readWholeList = async (page: Page): Promise<string[]> =>
  (await readList(page, Number.MAX_SAFE_INTEGER)).map(({ id }) => id);

/**
 * Scrolls the live list from its newest event to its end, or until that many rows were shown. @returns their events in order
 * @throws Error if two events have the same position, or a position has no event
 */
export async function readList(page: Page, rows: number): Promise<{ id: string; name: string }[]> {
  const read = await page.evaluate(
    async ([wanted, withinMs]) => {
      const scroller = document.querySelector<HTMLElement>('[data-tail]')!;
      const found: { id: string; name: string }[] = [];
      const conflicts: string[] = [];
      const deadline = Date.now() + withinMs;
      scroller.scrollTop = 0;
      for (let atEnd = 0; atEnd < 3 && found.length < wanted && Date.now() < deadline;) {
        await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
        const view = scroller.getBoundingClientRect();
        let last = -Infinity;
        for (const row of scroller.querySelectorAll('li')) {
          last = Math.max(last, row.getBoundingClientRect().bottom);
          const at = Number(row.ariaPosInSet) - 1;
          const id = new URL(row.querySelector('a')!.href).pathname.split('/').at(-1)!;
          const before = found[at]?.id ?? id;
          if (before !== id) conflicts.push(`${at}: ${before}, ${id}`);
          found[at] = { id, name: row.querySelector('bdi')?.textContent ?? '' };
        }
        const { scrollTop, clientHeight, scrollHeight } = scroller;
        const ended = scroller.textContent.includes('No older events.');
        atEnd = ended && scrollTop + clientHeight >= scrollHeight - 1 ? atEnd + 1 : 0;
        // No row may be skipped: those in view are waited for, except near the end, where no row may be left below.
        const isNearEnd = ended && scrollHeight - scrollTop < 2 * clientHeight;
        if (isNearEnd) scroller.scrollTop = scrollTop + clientHeight / 2;
        else if (last >= view.bottom) scroller.scrollTop = scrollTop + clientHeight * 0.8;
      }
      const empty = Array.from(found).indexOf(undefined as never);
      return { found, conflicts, empty, late: Date.now() >= deadline };
    },
    [rows, READ_WITHIN_MS] as const,
  );
  if (read.late || read.conflicts.length > 0 || read.empty !== -1)
    throw new Error(`The list could not be read: ${JSON.stringify({ ...read, found: read.found.length })}`);
  return read.found.slice(0, rows);
}

/** The ids of the visible rows, with their top edges in the window. */
export const visibleRows = (page: Page): Promise<{ id: string; top: number }[]> =>
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

/** The ids of the system events so far, which the list shows too. */
export async function systemEvents(daemon: Daemon): Promise<string[]> {
  const { data } = await daemon.get<ListPage<EventSummary>>('/events?type=relay.*&limit=200');
  return data.map(({ id }) => id);
}
