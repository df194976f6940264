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
import type { EventSummary } from '../../../../src/contract/event';

interface Rows {
  rows: readonly EventSummary[];
  /** The chosen one. */
  activeId: string | null;
  /** What scrolls. */
  list: RefObject<HTMLDivElement | null>;
  /** How far it is scrolled at the beginning. */
  offset: number;
}

type Options = VirtualizerOptions<HTMLDivElement, HTMLLIElement>;

const ROW = { wide: 36, narrow: 58 };
/** The heads of the columns stay at the top; a phone has no columns. */
const HEAD = { wide: 28, narrow: 0 };
const OVERSCAN = 12;

/**
 * Virtualizes rows of equal height and scrolls to the active one. The library's own hook returns a mutable
 * object that breaks memoization; this one returns plain values.
 */
export function useVisibleRows({ rows, activeId, list, offset }: Rows) {
  const narrow = useMediaQuery('(max-width: 720px)', undefined, { getInitialValueInEffect: false });
  const size = narrow ? ROW.narrow : ROW.wide;
  const head = narrow ? HEAD.narrow : HEAD.wide;
  const active = rows.findIndex(({ id }) => id === activeId);
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0);
  const options: Options = {
    count: rows.length,
    getScrollElement: () => list.current,
    estimateSize: () => size,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: redraw,
    overscan: OVERSCAN,
    scrollMargin: head,
    scrollPaddingStart: head,
    initialOffset: offset,
    getItemKey: (index) => rows[index]?.id ?? index,
    // The chosen row stays in the document even out of sight, or the keyboard would lose its place.
    rangeExtractor: (range) => {
      const seen = defaultRangeExtractor(range);
      return active === -1 || seen.includes(active)
        ? seen
        : [...seen, active].sort((one, other) => one - other);
    },
  };
  const [virtual] = useState(() => new Virtualizer(options));
  virtual.setOptions(options);
  // What the library asks of whoever binds it to a framework.
  const { _didMount: begin, _willUpdate: follow } = virtual;
  useLayoutEffect(() => begin(), [begin]);
  useLayoutEffect(() => follow());
  const measured = useRef(size);
  useLayoutEffect(() => {
    if (measured.current === size) return;
    measured.current = size;
    virtual.measure();
  }, [virtual, size]);
  useEffect(() => {
    if (active !== -1) virtual.scrollToIndex(active, { align: 'auto' });
  }, [virtual, active]);

  const inSight = virtual.getVirtualItems();
  // The chosen row may be far from the others.
  const around = inSight.filter(({ index }) => index !== active);
  const first = around[0]?.index ?? 0;
  const last = around.at(-1)?.index ?? 0;
  return { list, rows, inSight, first, last, active, height: virtual.getTotalSize(), size, head };
}

export type VisibleRows = ReturnType<typeof useVisibleRows>;
