import { Kbd } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { lazy, Suspense, useCallback, useEffect, useState } from 'react';
import classes from './palette-button.module.css';

const CommandPalette = lazy(() =>
  import('./command-palette').then((part) => ({ default: part.CommandPalette })),
);

const KEY = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

/** The field in the header that opens the command palette, as Ctrl+K or ⌘K does. */
export function PaletteButton({ openHelp }: { openHelp: () => void }) {
  const [opened, setOpened] = useState(false);
  // Loaded when it is opened for the first time; then it stays, for its closing transition.
  const [isLoaded, setLoaded] = useState(false);
  const open = useCallback(() => {
    setLoaded(true);
    setOpened(true);
  }, []);
  useEffect(() => {
    const onKeyDown = (press: KeyboardEvent) => {
      const isKey = press.key.toLowerCase() === 'k' && (press.ctrlKey || press.metaKey);
      if (!isKey || press.altKey || press.shiftKey) return;
      // Also over a dialog: the browser would otherwise focus its own address field.
      press.preventDefault();
      if (document.querySelector('[role=dialog]') === null) open();
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
      {isLoaded && (
        <Suspense>
          <CommandPalette opened={opened} close={() => setOpened(false)} openHelp={openHelp} />
        </Suspense>
      )}
    </>
  );
}
