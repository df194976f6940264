import { setTimeout as pause } from 'node:timers/promises';
import type { HubFlags } from '../definitions/hub-flags';
import { EXIT } from '../exit-codes';
import { jsonLine, oneLine } from '../printable';
import type { RequestOptions } from './hub-client';
import { note, writeLine } from './output';
import { untilSignal } from './until-signal';

const FIRST_POLL_MS = 100;
const POLL_MS = 1_000;
/** Without a terminal. */
const LINE_MS = 10_000;
const BAR_WIDTH = 20;
const PERCENT_WIDTH = 9;
/** Signals as shells report them. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, timeout: EXIT.timedOut } as const;

/** Something that the hub works on. */
export interface Work<State> {
  read: (options: RequestOptions) => Promise<State>;
  isEnded: (state: State) => boolean;
  /** How much of how much is done, and the same in words. */
  progress: (state: State) => { done: number; total: number; text: string };
  /** What it waits for, and what to do; empty while it goes on. */
  waits: (state: State) => string;
  /** What is said if it is left to itself. */
  detached: string;
}

export interface FollowFlags extends HubFlags {
  /** Seconds. */
  wait?: number;
}

/** How the progress is shown. */
interface Display<State> {
  show(state: State): Promise<void> | void;
  say: (sentence: string) => void;
  end: () => void;
}

/**
 * Shows the progress until the work has ended: as a bar, without a terminal as a line from time to time, or as JSON at
 * each change. What it waits for is said once. Ctrl-C, SIGTERM and the end of `--wait` end only this; a second signal
 * ends the program.
 * @returns the final state; null if it was left to itself
 */
export async function follow<State>(work: Work<State>, { json, wait }: FollowFlags): Promise<State | null> {
  const display = json ? asJson<State>() : process.stderr.isTTY ? await asBar(work) : asLines(work);
  let ended: State | null = null;
  let waitsFor = '';
  const poll = async (signal: AbortSignal) => {
    for (let delayMs = FIRST_POLL_MS; ended === null; delayMs = Math.min(2 * delayMs, POLL_MS)) {
      const state = await work.read({ patient: true, signal, say: display.say });
      await display.show(state);
      const before = waitsFor;
      waitsFor = work.waits(state);
      if (!json && waitsFor !== '' && waitsFor !== before) display.say(waitsFor);
      if (work.isEnded(state)) ended = state;
      else await pause(delayMs, undefined, { signal });
    }
  };
  const detach = (why: keyof typeof EXIT_CODES) => {
    display.say(work.detached);
    process.exitCode = EXIT_CODES[why];
  };
  await untilSignal(poll, detach, wait).finally(display.end);
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
  let last = '';
  return {
    show: (state) => {
      const { text } = progress(state);
      if (text === last || performance.now() - shownAt < LINE_MS) return;
      shownAt = performance.now();
      last = text;
      note(text);
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
