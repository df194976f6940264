import { readStaticFile } from './read-static-file';

/** Safe markup: every interpolated value has been escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | readonly Html[];

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function markup(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(markup).join('');
  return String(part).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

/** Tagged template that escapes its values, except those that are `Html` already. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(texts.map((text, i) => text + (i < parts.length ? markup(parts[i] ?? '') : '')).join(''));
}

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
export function htmlPage(title: string, body: Html, css = ''): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        ${style(PAGE_CSS)}${style(css)}
      </head>
      <body>
        ${body}
      </body>
    </html>`.text;
}

// Not escaped: browsers do not decode entities inside <style>, and the files are our own.
function style(css: string): Html {
  return new Html(css && `<style>${css}</style>`);
}
