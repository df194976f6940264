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

const STYLE = `<style>
  body {
    font: 16px/1.5 system-ui, sans-serif;
    max-width: 34rem;
    margin: 15vh auto;
    padding: 0 1.5rem;
  }
</style>`;

/** A heading and a text, inserted as is. @param reloadAfterS when the browser loads it again; default: never */
export function plainPage(title: string, text: string, reloadAfterS?: number): string {
  const reload =
    reloadAfterS === undefined ? '' : html`<meta http-equiv="refresh" content="${reloadAfterS}" />`;
  return htmlPage(title, {
    head: STYLE + reload,
    body: html`<h1>${title}</h1>
      !${text}`,
  });
}
