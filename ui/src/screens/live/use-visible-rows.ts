import {
  defaultRangeExtractor,
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions,
} from '@tanstack/react-virtual';
import { useCallback, useLayoutEffect, useReducer, useRef, useState, type RefObject } from 'react';
import type { EventSummary } from '../../../../src/contract/event';

interface Rows {
  rows: readonly EventSummary[];
  /** The place of the chosen row, or -1. */
  active: number;
  size: number;
  /** The height of what stays at the top of the list. */
  head: number;
  list: RefObject<HTMLDivElement | null>;
  offset: number;
}

type Options = VirtualizerOptions<HTMLDivElement, HTMLLIElement>;

const OVERSCAN = 12;

/**
 * Which of the rows are in sight, each of one height. The library's own hook hands out an object that stays the same
 * while its answers change, which must not be memoized; this one hands out the answers.
 */
export function useVisibleRows({ rows, active, size, head, list, offset }: Rows) {
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
  const reveal = useCallback((index: number) => virtual.scrollToIndex(index, { align: 'auto' }), [virtual]);
  return { inSight: virtual.getVirtualItems(), height: virtual.getTotalSize(), reveal };
}
