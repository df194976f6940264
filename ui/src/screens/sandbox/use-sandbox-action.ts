import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Sandbox } from '../../../../src/contract/sandbox';
import { sandboxQuery } from '../../api/sandbox';

/** Something done to the sandbox; what it then says of itself is what the screen shows. */
export function useSandboxAction<Wish>(request: (input: Wish) => Promise<Sandbox>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (wish: Wish) => {
      // An older answer that is still under way would show what was before.
      await cache.cancelQueries({ queryKey: sandboxQuery.queryKey });
      return request(wish);
    },
    onSuccess: (sandbox) => cache.setQueryData(sandboxQuery.queryKey, sandbox),
  });
}
