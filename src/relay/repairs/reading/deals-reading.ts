import { ENDPOINTS } from '../../../protocol/endpoints';
import { withParameter } from '../../connection/next-page';
import type { DealsPage, ListedDeal } from './read-deals';

const MAX_PAGES = 2_000;
const MAX_RECORDS = 200_000;

/** So many records in the only page may be cut off. */
const ROUND_COUNTS = [10, 20, 25, 30, 50, 100, 200, 250, 500, 1_000];
/** With fewer, nobody asks for a second page. */
const MIN_TO_PROBE = 10;

/** What was read so far. */
export interface ReadProgress {
  pages: number;
  records: number;
  /** Whether every deal that the token may read is certainly among them. */
  complete: boolean;
  /** Why not; null if it is, or before the end. */
  incomplete_because: string | null;
  /** Of the first page. */
  shape: string | null;
}

/** Walks through the pages of the list of deals, and knows where it ends. */
export class DealsReading {
  readonly progress: ReadProgress = {
    pages: 0,
    records: 0,
    complete: false,
    incomplete_because: null,
    shape: null,
  };
  /** The ids of all deals. */
  readonly seen = new Set<string>();
  /** The path of the page to read; null at the end. */
  next: string | null = ENDPOINTS.deals;
  private readonly firstIds = new Set<string>();
  /** The number of the page that is tried although the list does not speak of pages. */
  private tried: number | null = null;

  /** Takes the page that was read. @returns the deals that no page before had */
  take({ deals, next, says, shape }: DealsPage): ListedDeal[] {
    const { progress } = this;
    const path = this.next!;
    progress.pages += 1;
    progress.shape ??= shape;
    const firstId = deals[0]?.id;
    const isRepeated = firstId !== undefined && this.firstIds.has(firstId);
    if (firstId !== undefined) this.firstIds.add(firstId);
    const added = isRepeated ? [] : deals.filter(({ id }) => !this.seen.has(id));
    for (const { id } of added) this.seen.add(id);
    progress.records = this.seen.size;
    if (isRepeated) this.endRepeated();
    else if (deals.length === 0)
      this.end(says === 'more' ? 'an empty page says that another one follows' : null);
    else if (progress.records > MAX_RECORDS) this.end('it has too many deals');
    else if (progress.pages >= MAX_PAGES) this.end('it has too many pages');
    else if (next !== null) this.next = next === path ? this.end('a page links to itself') : next;
    else if (says === 'more') this.end('the link to the next page leads elsewhere');
    else if (says === 'last') this.end(null);
    else if (this.tried === null && deals.length < MIN_TO_PROBE) this.end(null);
    else {
      this.tried = (this.tried ?? 1) + 1;
      this.next = withParameter(ENDPOINTS.deals, 'page', String(this.tried));
    }
    return added;
  }

  /** The page could not be read. @returns whether the list ended before it: it was only tried */
  refuse(): boolean {
    if (this.tried !== 2) return false;
    this.endOnlyPage();
    return true;
  }

  private endRepeated(): void {
    if (this.tried === 2) this.endOnlyPage();
    else if (this.tried === null) this.end('a page has the deals of an earlier one');
    else this.end(null);
  }

  private endOnlyPage(): void {
    const { size } = this.seen;
    const isRound = ROUND_COUNTS.includes(size) || size % 1_000 === 0;
    this.end(isRound ? `it has exactly ${size} deals and no word about a next page` : null);
  }

  private end(because: string | null): null {
    this.next = null;
    this.progress.complete = because === null;
    this.progress.incomplete_because = because && `The list may be incomplete: ${because}.`;
    return null;
  }
}
