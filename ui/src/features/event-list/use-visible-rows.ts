import { useMediaQuery } from '@mantine/hooks';
import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useReducer, useRef, useState, type RefObject } from 'react';
import type { EventSummary } from '@contract/event';
import { density as chosenDensity } from '../../format/density';

interface Rows {
  rows: readonly EventSummary[];
  /** The id of the selected row. */
  activeId: string | null;
  /** The scroll container. */
  list: RefObject<HTMLDivElement | null>;
  /** The initial scroll offset. */
  offset: number;
}

type Options = VirtualizerOptions<HTMLDivElement, HTMLLIElement>;

/** In px, as in the style sheet. */
const ROW_HEIGHT = { comfortable: 40, compact: 28, narrow: 58 };
/** In px, of the sticky column headings; phones show none. */
const HEAD_HEIGHT = { wide: 28, narrow: 0 };
/** Rows rendered above and below the visible ones, so that fast scrolling shows no gaps. */
const OVERSCAN = 12;

/**
 * Virtualizes rows of equal height and scrolls to the active one. The library's own hook returns a mutable
 * object that breaks memoization; this one returns plain values.
 */
export function useVisibleRows({ rows, activeId, list, offset }: Rows) {
  const density = chosenDensity.use();
  const narrow = useMediaQuery('(max-width: 720px)', undefined, { getInitialValueInEffect: false });
  const rowHeight = ROW_HEIGHT[narrow ? 'narrow' : density];
  const headHeight = narrow ? HEAD_HEIGHT.narrow : HEAD_HEIGHT.wide;
  const active = rows.findIndex(({ id }) => id === activeId);
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0);
  const options: Options = {
    count: rows.length,
    getScrollElement: () => list.current,
    estimateSize: () => rowHeight,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: redraw,
    overscan: OVERSCAN,
    scrollMargin: headHeight,
    scrollPaddingStart: headHeight,
    initialOffset: offset,
    getItemKey: (index) => rows[index]?.id ?? index,
    // The selected row is always rendered, so that it keeps the focus.
    rangeExtractor: (range) => {
      const seen = defaultRangeExtractor(range);
      return active === -1 || seen.includes(active)
        ? seen
        : [...seen, active].sort((one, other) => one - other);
    },
  };
  const [virtual] = useState(() => new Virtualizer(options));
  virtual.setOptions(options);
  // Lifecycle methods that a framework binding must call.
  const { _didMount: mount, _willUpdate: update } = virtual;
  useLayoutEffect(() => mount(), [mount]);
  useLayoutEffect(() => update());
  const measuredSize = useRef(rowHeight);
  useLayoutEffect(() => {
    if (measuredSize.current === rowHeight) return;
    measuredSize.current = rowHeight;
    virtual.measure();
  }, [virtual, rowHeight]);
  useEffect(() => {
    if (active !== -1) virtual.scrollToIndex(active, { align: 'auto' });
  }, [virtual, active]);

  const items = virtual.getVirtualItems();
  const inRange = items.filter(({ index }) => index !== active);
  const first = inRange[0]?.index ?? 0;
  const last = inRange.at(-1)?.index ?? 0;
  return { list, rows, items, first, last, active, height: virtual.getTotalSize(), rowHeight, headHeight };
}

export type VisibleRows = ReturnType<typeof useVisibleRows>;
