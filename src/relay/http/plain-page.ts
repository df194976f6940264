import { html } from 'ghtml';

/** Content-Security-Policy of a page that needs only its inline style. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/**
 * A page that does not need the dashboard.
 * @param body inserted as is
 * @param reloadAfterS after how many seconds the browser loads it again; never if missing
 */
export function plainPage(title: string, body: string, reloadAfterS?: number): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        !${reloadAfterS === undefined ? '' : html`<meta http-equiv="refresh" content="${reloadAfterS}" />`}
        <title>${title} – Switchboard</title>
        <style>
          body {
            font:
              16px/1.5 system-ui,
              sans-serif;
            max-width: 34rem;
            margin: 15vh auto;
            padding: 0 1.5rem;
          }
        </style>
      </head>
      <body>
        <h1>${title}</h1>
        !${body}
      </body>
    </html>`;
}
