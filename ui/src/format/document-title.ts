import { HUB_NAME } from './hub-name';

let name = '';
let prefix = '';

const show = () => (document.title = `${prefix}${name === '' ? '' : `${name} · `}${HUB_NAME} · Switchboard`);

/** The name of the screen in the browser tab. */
export function setScreenName(shown: string): void {
  name = shown;
  show();
}

/** What the tab says before the name of the screen, such as `(2) `. */
export function setTitlePrefix(shown: string): void {
  prefix = shown;
  show();
}
