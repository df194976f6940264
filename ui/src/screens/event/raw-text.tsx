import { Button } from '@mantine/core';
import { useState } from 'react';
import { formatBytes } from '../../format/number';
import classes from './raw-text.module.css';

const SHOWN = 20_000;

/** Text as it came. A long one is cut until it is asked for, so that opening an event stays quick. */
export function RawText({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > SHOWN;
  return (
    <>
      <pre className={classes.raw}>{cut ? text.slice(0, SHOWN) : text}</pre>
      {cut && (
        <div className={classes.more}>
          <Button onClick={() => setWhole(true)}>Show all {formatBytes(text.length)}</Button>
        </div>
      )}
    </>
  );
}
