/** Markup that is safe to send: what was interpolated into it is escaped. */
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
  return String(part).replace(/[&<>"']/g, (sign) => ESCAPES[sign] ?? sign);
}

/** A template whose values are escaped, unless they are such templates themselves. */
export function html(texts: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(texts.map((text, i) => text + (i < parts.length ? markup(parts[i] ?? '') : '')).join(''));
}

/** Headers of every page: no frame (clickjacking of the consent), nothing loaded from elsewhere, no address leaked. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

const STYLE = html`
  <style>
    :root {
      color-scheme: light dark;
      --line: #8884;
      --edge: #767676;
      --accent: #2f5bd7;
      --link: #2f5bd7;
      --good: #14692f;
      --bad: #b3261e;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --edge: #8c8c8c;
        --link: #9db7ff;
        --good: #6fd08c;
        --bad: #ff9c92;
      }
    }
    html {
      background: Canvas;
      color: CanvasText;
    }
    body {
      font:
        16px/1.5 system-ui,
        sans-serif;
      margin: 0 auto;
      padding: 2rem 1rem;
      max-width: 60rem;
    }
    main.narrow {
      max-width: 28rem;
      margin: 8vh auto 0;
    }
    h1 {
      font-size: 1.5rem;
      margin: 0 0 1rem;
    }
    h2 {
      font-size: 1.1rem;
      margin: 0 0 0.75rem;
    }
    section {
      border: 1px solid var(--line);
      border-radius: 0.5rem;
      padding: 1rem;
      margin: 0 0 1rem;
    }
    form {
      display: flex;
      flex-wrap: wrap;
      gap: 0.5rem;
      align-items: end;
      margin: 0.75rem 0 0;
    }
    label {
      display: grid;
      font-size: 0.875rem;
      gap: 0.25rem;
      flex: 1 1 12rem;
    }
    input,
    select,
    textarea,
    button {
      font: inherit;
      padding: 0.4rem 0.6rem;
      border: 1px solid var(--edge);
      border-radius: 0.35rem;
    }
    button {
      cursor: pointer;
      flex: none;
      white-space: nowrap;
    }
    button.primary {
      background: var(--accent);
      color: #fff;
      border-color: transparent;
    }
    table {
      border-collapse: collapse;
      width: 100%;
      font-size: 0.875rem;
    }
    th,
    td {
      text-align: left;
      padding: 0.3rem 0.5rem;
      border-bottom: 1px solid var(--line);
      vertical-align: top;
    }
    code {
      overflow-wrap: anywhere;
    }
    .quiet {
      opacity: 0.75;
      font-size: 0.875rem;
    }
    :focus-visible {
      outline: 2px solid var(--link);
      outline-offset: 2px;
    }
  </style>
`;

/** A whole page in the sandbox's one plain style; `style` is what it adds to that. */
export function htmlPage(title: string, body: Html, style: Html = html``): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        ${STYLE}${style}
      </head>
      <body>
        ${body}
      </body>
    </html>`.text;
}
