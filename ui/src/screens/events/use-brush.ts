import { useState, type KeyboardEvent, type PointerEvent } from 'react';

type Selection = readonly [first: number, last: number];

/** Selects consecutive items of a row by dragging over them or by keyboard. */
export function useBrush(count: number, apply: (first: number, last: number) => void) {
  const [cursor, setCursor] = useState<number | null>(null);
  /** Where the selection began; null if nothing is selected. */
  const [anchor, setAnchor] = useState<number | null>(null);
  const [isDragging, setDragging] = useState(false);
  const selected: Selection | null =
    anchor === null || cursor === null ? null : [Math.min(anchor, cursor), Math.max(anchor, cursor)];
  const clear = () => {
    setAnchor(null);
    setDragging(false);
  };

  const onKeyDown = (press: KeyboardEvent<HTMLElement>, index: number) => {
    const to = targetOf(press.key, index, count);
    if (to !== null) {
      setAnchor(press.shiftKey ? (anchor ?? index) : null);
      setCursor(to);
      (press.currentTarget.parentElement?.children[to] as HTMLElement | undefined)?.focus();
    } else if (press.key === 'Enter' || press.key === ' ') {
      apply(...(selected ?? [index, index]));
      clear();
    } else if (press.key === 'Escape' && anchor !== null) clear();
    else return;
    press.preventDefault();
  };
  const onPointerDown = (press: PointerEvent<HTMLElement>) => {
    if (press.button !== 0) return;
    const index = indexAt(press, count);
    // The pointer may leave the strip while it is held down.
    press.currentTarget.setPointerCapture(press.pointerId);
    setAnchor(index);
    setCursor(index);
    setDragging(true);
  };
  const onPointerMove = (move: PointerEvent<HTMLElement>) => {
    if (isDragging) setCursor(indexAt(move, count));
  };
  const onPointerUp = () => {
    if (isDragging && selected !== null) apply(...selected);
    clear();
  };
  return {
    cursor,
    selected,
    onKeyDown,
    pointerHandlers: { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: clear },
  };
}

/** The item that a key moves to; null if it is no such key. */
function targetOf(key: string, index: number, count: number): number | null {
  const last = count - 1;
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  if (key === 'ArrowLeft') return Math.max(0, index - 1);
  if (key === 'ArrowRight') return Math.min(last, index + 1);
  return null;
}

function indexAt({ clientX, currentTarget }: PointerEvent<HTMLElement>, count: number): number {
  const { left, width } = currentTarget.getBoundingClientRect();
  return Math.min(count - 1, Math.max(0, Math.floor(((clientX - left) / width) * count)));
}
