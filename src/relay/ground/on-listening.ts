import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

/** A provider whose work begins once the daemon listens: only then is its URL known, and only then requests arrive. */
export interface OnListening {
  onListening(): void;
}

/** Calls `onListening` of every provider that has it, in the order of the modules and of their providers. */
export function callOnListening(app: INestApplicationContext): void {
  for (const { providers } of app.get(ModulesContainer).values())
    for (const { instance } of providers.values()) if (hasHook(instance)) instance.onListening();
}

function hasHook(instance: unknown): instance is OnListening {
  return typeof (instance as Partial<OnListening> | null | undefined)?.onListening === 'function';
}
