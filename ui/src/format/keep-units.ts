const BEFORE_UNIT = /(?<=\d) (?=(?:ms|s|min|h|d)\b)/g;

/** A sentence whose numbers stay beside their units where it is broken into lines. */
export const keepUnits = (sentence: string): string => sentence.replace(BEFORE_UNIT, '\u00A0');
