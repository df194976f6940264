import { html } from 'ghtml';
import { PAGE_STYLE } from './page-style';

/** Content-Security-Policy of a page that needs only its inline style and the font of the dashboard. */
export const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; font-src 'self'; frame-ancestors 'none'";

const BRAND = `<header>
  <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="var(--ink)" />
    <path d="M8 16h5c5 0 5-7 11-7M13 16c5 0 5 7 11 7M13 16h11" fill="none" stroke="var(--surface)" stroke-width="2.4" stroke-linecap="round" />
    <circle cx="8" cy="16" r="3" fill="#4cc38a" />
  </svg>
  Switchboard
</header>`;

interface HtmlPage {
  /** Inserted as is, like `body` and `after`. */
  head?: string;
  /** What the card contains. */
  body: string;
  /** Follows the card. */
  after?: string;
}

/** A page without the dashboard, a card with the brand. It loads nothing but a font. */
export const htmlPage = (title: string, { head = '', body, after = '' }: HtmlPage): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · Switchboard</title>
        !${PAGE_STYLE} !${head}
      </head>
      <body>
        <main>!${BRAND} !${body}</main>
        !${after}
      </body>
    </html>`;

/** A heading and a text, inserted as is. @param reloadAfterS when the browser loads it again; default: never */
export const plainPage = (title: string, text: string, reloadAfterS?: number): string =>
  htmlPage(title, {
    ...(reloadAfterS !== undefined && {
      head: html`<meta http-equiv="refresh" content="${reloadAfterS}" />`,
    }),
    body: html`<h1>${title}</h1>
      !${text}`,
  });
