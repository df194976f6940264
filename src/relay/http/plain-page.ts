import { html } from 'ghtml';
import { htmlPage } from './html-page';

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
