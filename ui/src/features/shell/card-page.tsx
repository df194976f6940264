import type { ReactNode } from 'react';
import { useDocumentTitle } from '../../components/screen';
import { Brand } from './brand';
import classes from './card-page.module.css';

/** A page without header and navigation: a card with the brand, like the pages that the daemon itself renders. */
export function CardPage({ title, children }: { title: string; children: ReactNode }) {
  useDocumentTitle(title);
  return (
    <main className={classes.screen}>
      <div className={classes.card}>
        <Brand />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
