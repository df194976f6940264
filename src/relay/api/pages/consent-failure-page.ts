import { html } from 'ghtml';
import type { ConsentFailure } from '../../connection/consent-failure';
import { htmlPage } from '../../http/html-page';

/** Shown if a consent failed. Plain HTML, because the browser may have no session for the dashboard. */
export const consentFailurePage = ({ code, title, sentence, remedy }: ConsentFailure): string =>
  htmlPage(title, {
    body: html`<h1>${title}</h1>
      <p>${sentence}</p>
      <h2>What to do</h2>
      <p>${remedy}</p>
      <nav><a href="/oauth/connect">Try again</a><a href="/connection">View connection</a></nav>
      <small><code>${code}</code></small>`,
  });
