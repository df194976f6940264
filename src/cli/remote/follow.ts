import { setTimeout as pause } from 'node:timers/promises';
import type { HubFlags } from '../definitions/hub-flags';
import { jsonLine, oneLine } from '../printable';
import type { HubClient } from './hub-client';
import { note, writeLine } from './output';
import { untilSignal } from './until-signal';

const FIRST_POLL_MS = 100;
const POLL_MS = 1_000;
/** Without a terminal. */
const LINE_MS = 10_000;
const BAR_WIDTH = 20;
const PERCENT_WIDTH = 9;
/** As shells report them. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Something that the hub works on. */
export interface Work<State> {
  path: string;
  isEnded: (state: State) => boolean;
  /** How much of how much is done, and the same in words. */
  progress: (state: State) => { done: number; total: number; text: string };
  /** What is said if it is left to itself. */
  detached: string;
}

/** How the progress is shown. */
interface Display<State> {
  show(state: State): Promise<void> | void;
  say: (sentence: string) => void;
  end: () => void;
}

/**
 * Shows the progress until the work has ended: as a bar, without a terminal as a line from time to time, or as JSON at
 * each change. Ctrl-C and SIGTERM end only this, with the exit code that shells give them; a second one ends the program.
 * @returns the final state; null if it was left to itself
 */
export async function follow<State>(
  hub: HubClient,
  work: Work<State>,
  { json }: HubFlags,
): Promise<State | null> {
  const display = json ? asJson<State>() : process.stderr.isTTY ? await asBar(work) : asLines(work);
  let ended: State | null = null;
  const poll = async (signal: AbortSignal) => {
    for (let delayMs = FIRST_POLL_MS; ended === null; delayMs = Math.min(2 * delayMs, POLL_MS)) {
      const state = await hub.request<State>('GET', work.path, { patient: true, signal, say: display.say });
      await display.show(state);
      if (work.isEnded(state)) ended = state;
      else await pause(delayMs, undefined, { signal });
    }
  };
  await untilSignal(poll, (signal) => {
    display.say(work.detached);
    process.exitCode = EXIT_CODES[signal];
  }).finally(display.end);
  return ended;
}

function asJson<State>(): Display<State> {
  let last = '';
  return {
    show: async (state) => {
      const line = jsonLine(state);
      if (line !== last) await writeLine(line);
      last = line;
    },
    say: note,
    end: () => undefined,
  };
}

function asLines<State>({ progress }: Work<State>): Display<State> {
  let shownAt = -Infinity;
  return {
    show: (state) => {
      if (performance.now() - shownAt < LINE_MS) return;
      shownAt = performance.now();
      note(progress(state).text);
    },
    say: note,
    end: () => undefined,
  };
}

async function asBar<State>({ progress }: Work<State>): Promise<Display<State>> {
  const { SingleBar } = await import('cli-progress');
  const bar = new SingleBar({
    format: '{bar} {percentage} %  {text}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: BAR_WIDTH,
    stream: process.stderr,
    clearOnComplete: true,
    // Otherwise a killed program would leave the terminal unable to wrap lines.
    linewrap: true,
    gracefulExit: false,
  });
  return {
    show: (state) => {
      const { done, total, text } = progress(state);
      const room = Math.max(0, process.stderr.columns - BAR_WIDTH - PERCENT_WIDTH);
      const shown = { text: oneLine(text).slice(0, room) };
      // An estimate may be too low.
      const all = Math.max(done, total, 1);
      if (!bar.isActive) bar.start(all, done, shown);
      bar.setTotal(all);
      bar.update(done, shown);
    },
    say: (sentence) => {
      bar.stop();
      note(sentence);
    },
    end: () => bar.stop(),
  };
}
