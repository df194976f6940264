import { formatExact } from './exact';

const INSTANT = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;
const MILLISECONDS_AND_ZONE = /\.\d{3} \S+$/;

/** A sentence of the daemon, which knows UTC only, with its times in the reader's own zone. */
export const localizeTimes = (sentence: string): string =>
  sentence.replace(INSTANT, (at) => formatExact(at).replace(MILLISECONDS_AND_ZONE, ''));
