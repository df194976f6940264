import { html } from 'ghtml';

/** Content-Security-Policy of a page that needs only its inline style. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** A page without the dashboard. @param head inserted as is, like `body` */
export const htmlPage = (title: string, { head = '', body }: { head?: string; body: string }): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${title} · Switchboard</title>
        !${head}
      </head>
      <body>
        !${body}
      </body>
    </html>`;
