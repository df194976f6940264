import { html as template } from 'ghtml';
import { readStaticFile } from './read-static-file';

/** Markup made by `html`. A plain string is not assignable, so functions that take markup cannot be given text. */
export type Html = string & { readonly isHtml: true };

/** Tagged template that escapes its values; `!${…}` inserts a value unescaped, for markup from another template. */
export const html = template as (
  texts: TemplateStringsArray,
  ...values: (string | number | readonly Html[])[]
) => Html;

/** Headers of every page. Framing is forbidden to prevent clickjacking of the consent page. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const PAGE_CSS = readStaticFile('page.css');

/** A complete page with the common styles; `css` is added to them. */
export function htmlPage(title: string, body: Html, css = ''): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <style>
          !${PAGE_CSS}!${css}
        </style>
      </head>
      <body>
        !${body}
      </body>
    </html>`;
}
