import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import pagedList from './paged-list.module.css';

interface ShowAllProps<Item> {
  /** Newest first. */
  items: readonly Item[];
  initiallyShown: number;
  children: (shown: readonly Item[]) => ReactNode;
}

/** The newest of the items, with a button that shows all of them. */
export function ShowAll<Item>({ items, initiallyShown, children }: ShowAllProps<Item>) {
  const [all, setAll] = useState(false);
  return (
    <>
      {children(all ? items : items.slice(0, initiallyShown))}
      {items.length > initiallyShown && (
        <div className={pagedList.more}>
          <Button aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? 'Show newest only' : `Show all ${items.length}`}
          </Button>
        </div>
      )}
    </>
  );
}
