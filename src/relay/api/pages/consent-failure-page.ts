import { html } from 'ghtml';
import type { ConsentFailure } from '../../connection/consent-failure';
import { htmlPage } from '../../http/html-page';

const STYLE = `<style>
  :root {
    --ground: #f7f7f9;
    --surface: #fff;
    --line: #e4e6ea;
    --ink: #16181d;
    --muted: #59606d;
    --accent: #4448b5;
    --on-accent: #fff;
    --bad: #b3261e;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --ground: #0f1115;
      --surface: #15181e;
      --line: #272c36;
      --ink: #e8eaef;
      --muted: #9ba2af;
      --accent: #a5abff;
      --on-accent: #0f1115;
      --bad: #ff8a80;
    }
  }
  body {
    margin: 0;
    background: var(--ground);
    color: var(--ink);
    font:
      1rem/1.6 system-ui,
      sans-serif;
  }
  main {
    max-width: 34rem;
    margin: 12vh auto 2rem;
    padding: 1.75rem;
    background: var(--surface);
    border: 1px solid var(--line);
    border-top: 3px solid var(--bad);
    border-radius: 8px;
    box-sizing: border-box;
  }
  h1 {
    margin: 0 0 0.75rem;
    font-size: 1.35rem;
    line-height: 1.3;
  }
  h2 {
    margin: 1.25rem 0 0.25rem;
    font-size: 1rem;
  }
  p {
    margin: 0 0 0.5rem;
  }
  nav {
    display: flex;
    flex-wrap: wrap;
    gap: 0.75rem;
    margin: 1.5rem 0;
  }
  nav a {
    padding: 0.5rem 1rem;
    border: 1px solid var(--accent);
    border-radius: 8px;
    color: var(--accent);
    text-decoration: none;
  }
  nav a:first-child {
    background: var(--accent);
    color: var(--on-accent);
  }
  nav a:hover {
    text-decoration: underline;
  }
  small {
    color: var(--muted);
  }
  @media (max-width: 36rem) {
    main {
      margin: 1rem;
      padding: 1.25rem;
    }
  }
</style>`;

/** Shown if a consent failed. Plain HTML, because the browser may have no session for the dashboard. */
export const consentFailurePage = ({ code, title, sentence, remedy }: ConsentFailure): string =>
  htmlPage(title, {
    head: STYLE,
    body: html`<main>
      <h1>${title}</h1>
      <p>${sentence}</p>
      <h2>What to do</h2>
      <p>${remedy}</p>
      <nav><a href="/oauth/connect">Start again</a><a href="/connection">View connection</a></nav>
      <small>Switchboard · <code>${code}</code></small>
    </main>`,
  });
