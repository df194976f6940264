import { runCommand } from '../support/daemon/run-command';

/** By the parameters of SGR (ECMA-48, 8.3.117) that the command line uses. */
const COLOURS: Readonly<Record<string, string>> = {
  1: 'font-weight: 600',
  2: 'color: #8b949e',
  31: 'color: #ff7b72',
  32: 'color: #7ee787',
  33: 'color: #e3b341',
  36: 'color: #79c0ff',
};

const STYLE = `
  body { margin: 0; padding: 20px 24px; background: #161b22; color: #e6edf3; width: max-content; }
  pre { margin: 0; font: 14px/1.5 'DejaVu Sans Mono', monospace; }
  b { font-weight: 400; color: #7ee787; }`;

/** Runs commands, and returns a page that shows them with what they printed in a terminal. */
export async function terminalPage(dataDir: string, commands: readonly string[][]): Promise<string> {
  const shown: string[] = [];
  for (const words of commands) {
    const { code, out, err } = await runCommand(dataDir, words, { FORCE_COLOR: '1' });
    if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${err}`);
    const line = words.map((word) => (/^[\w:/.-]+$/.test(word) ? word : `'${word}'`)).join(' ');
    shown.push(`<b>$</b> switchboard ${escape(line)}\n${colours(escape(out))}`);
  }
  return `<!doctype html><style>${STYLE}</style><pre>${shown.join('\n').trimEnd()}</pre>`;
}

const escape = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Each part after the first begins with the parameters of an SGR sequence. */
function colours(text: string): string {
  let open = 0;
  const [plain, ...sequences] = text.split('\x1b[');
  const spans = sequences.map((part) => {
    const [, code = '', rest = ''] = /^(\d+)m([^]*)$/.exec(part) ?? [];
    const style = COLOURS[code];
    if (style === undefined) return `${open-- > 0 ? '</span>' : ''}${rest}`;
    open += 1;
    return `<span style="${style}">${rest}`;
  });
  return [plain, ...spans].join('');
}
