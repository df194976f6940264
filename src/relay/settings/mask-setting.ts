import { parseMaskedPath, PayloadMask } from '../filters/payload-mask';
import { fail, list } from './setting-schemas';

export const mask = list.transform((entries, context): PayloadMask | null => {
  const masked = entries.flatMap((entry) => {
    const parsed = parseMaskedPath(entry);
    if (typeof parsed !== 'string') return [parsed];
    return fail(
      context,
      `contains "${entry}": ${parsed}.`,
      'Set paths such as data.email,contact.*:data.name.',
    );
  });
  return masked.length === 0 ? null : new PayloadMask(masked);
});
