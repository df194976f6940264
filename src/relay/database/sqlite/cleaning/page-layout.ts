/**
 * The parts of SQLite's file format (sqlite.org/fileformat2.html) that say which bytes of a page are in use. Numbers are
 * big-endian, pages are numbered from 1.
 */

/** From byte `start` up to, and without, byte `end` of a page. */
export type Range = [start: number, end: number];

/** A value that is too long for its page continues there. */
export interface Overflow {
  page: number;
  /** How many bytes continue. */
  bytes: number;
}

const TABLE_INTERIOR = 5;
const TABLE_LEAF = 13;
const INDEX_INTERIOR = 2;
const INDEX_LEAF = 10;

/** Of the first page. */
const FILE_HEADER_BYTES = 100;
const MAX_CONTENT_START = 65_536;

/** The page does not have the expected form: nothing of it may be changed. */
export class UnknownLayout extends Error {}

/** What of a b-tree page is free, and where its values continue. @param usable bytes of each page @throws UnknownLayout */
export function readTreePage(
  page: Buffer,
  number: number,
  usable: number,
): { free: Range[]; overflows: Overflow[] } {
  const header = number === 1 ? FILE_HEADER_BYTES : 0;
  const type = page[header]!;
  const isInterior = type === TABLE_INTERIOR || type === INDEX_INTERIOR;
  if (!isInterior && type !== TABLE_LEAF && type !== INDEX_LEAF)
    throw new UnknownLayout(`page ${number} has the type ${type}`);
  const cells = page.readUInt16BE(header + 3);
  const contentStart = page.readUInt16BE(header + 5) || MAX_CONTENT_START;
  const pointers = header + (isInterior ? 12 : 8);
  const pointersEnd = pointers + 2 * cells;
  assertOrder(number, pointersEnd, contentStart, usable);
  const free: Range[] = [[pointersEnd, contentStart]];
  for (let block = page.readUInt16BE(header + 1); block !== 0;) {
    const next = page.readUInt16BE(block);
    const end = block + page.readUInt16BE(block + 2);
    assertOrder(number, contentStart, block, block + 4, end, next === 0 ? usable : next);
    free.push([block + 4, end]);
    block = next;
  }
  const overflows = Array.from({ length: type === TABLE_INTERIOR ? 0 : cells }, (_, i) => {
    const cell = page.readUInt16BE(pointers + 2 * i);
    assertOrder(number, contentStart, cell, usable);
    return overflowOf(page, cell + (isInterior ? 4 : 0), type === TABLE_LEAF, usable);
  });
  return { free, overflows: overflows.filter((one) => one !== null) };
}

function overflowOf(page: Buffer, at: number, isTable: boolean, usable: number): Overflow | null {
  const [payload, afterSize] = readVarint(page, at);
  const start = isTable ? readVarint(page, afterSize)[1] : afterSize;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
  if (payload <= most) return null;
  const fitting = least + ((payload - least) % (usable - 4));
  const local = fitting <= most ? fitting : least;
  return { page: page.readUInt32BE(start + local), bytes: payload - local };
}

function readVarint(page: Buffer, at: number): [value: number, end: number] {
  let value = 0;
  for (let i = 0; i < 8; i += 1) {
    const byte = page[at + i]!;
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return [value, at + i + 1];
  }
  return [value * 256 + page[at + 8]!, at + 9];
}

function assertOrder(number: number, ...offsets: number[]): void {
  if (offsets.some((offset, i) => i > 0 && offset < offsets[i - 1]!))
    throw new UnknownLayout(`page ${number} has offsets that overlap (${offsets.join(', ')})`);
}

/** What a page is, as the map of a file with `auto_vacuum` says. */
export const PAGE_KINDS = { tree: [1, 5], free: [2], overflow: [3, 4] } as const;

/** SQLite locks this byte; its page is not used. */
const LOCKED_BYTE = 0x4000_0000;

/** Where the map of pages says what a page is; null for a page of the map itself. */
export function placeInMap(
  number: number,
  pageBytes: number,
  usable: number,
): { page: number; at: number } | null {
  const covered = Math.floor(usable / 5) + 1;
  let page = Math.floor((number - 2) / covered) * covered + 2;
  if (page === lockedPage(pageBytes)) page += 1;
  return number <= page ? null : { page, at: 5 * (number - page - 1) };
}

export const lockedPage = (pageBytes: number): number => LOCKED_BYTE / pageBytes + 1;
