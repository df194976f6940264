import { Kbd } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { notifyFailure } from '../../components/notify-failure';
import type { CommandPalette } from './command-palette';
import classes from './palette-button.module.css';

const KEY = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

/** The field in the header that opens the command palette, as Ctrl+K or ⌘K does. */
export function PaletteButton({ openHelp }: { openHelp: () => void }) {
  const [opened, setOpened] = useState(false);
  // Loaded when it is opened for the first time, which fails while the daemon is down; then it stays.
  const [loaded, setLoaded] = useState<{ Palette: typeof CommandPalette } | null>(null);
  const early = useEarlyKeys(opened);
  const open = useCallback(() => {
    setOpened(true);
    import('./command-palette').then(
      (part) => setLoaded({ Palette: part.CommandPalette }),
      (error: unknown) => {
        setOpened(false);
        notifyFailure('Could not load the command palette')(error);
      },
    );
  }, []);
  useEffect(() => {
    const onKeyDown = (press: KeyboardEvent) => {
      const isKey = press.key.toLowerCase() === 'k' && (press.ctrlKey || press.metaKey);
      if (!isKey || press.altKey || press.shiftKey) return;
      // Also over a dialog: the browser would otherwise focus its own address field.
      press.preventDefault();
      if (document.querySelector('[aria-modal=true]') === null) open();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [open]);
  return (
    <>
      <button type="button" className={classes.button} onClick={open} aria-haspopup="dialog">
        <IconSearch size={16} stroke={1.6} aria-hidden />
        <span className={classes.text}>Search or run a command…</span>
        <Kbd size="xs" className={classes.key} aria-hidden>
          {KEY}
        </Kbd>
      </button>
      {loaded !== null && (
        <loaded.Palette
          opened={opened}
          close={() => setOpened(false)}
          openHelp={openHelp}
          takeEarlyKeys={early}
        />
      )}
    </>
  );
}

/**
 * Collects what is typed between the opening of the palette and the moment its field has the focus; the screen would
 * take it for shortcuts. @returns a function that takes the text
 */
function useEarlyKeys(opened: boolean): () => string {
  const text = useRef('');
  useEffect(() => {
    if (!opened) return undefined;
    text.current = '';
    const onKeyDown = (press: KeyboardEvent) => {
      const isText = press.key.length === 1 && !press.ctrlKey && !press.metaKey && !press.altKey;
      if (!isText || document.activeElement?.closest('[role=dialog]')) return;
      press.preventDefault();
      press.stopPropagation();
      text.current += press.key;
    };
    document.addEventListener('keydown', onKeyDown, { capture: true });
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true });
  }, [opened]);
  return useCallback(() => {
    const typed = text.current;
    text.current = '';
    return typed;
  }, []);
}
