import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Sandbox } from '@contract/sandbox';
import { sandboxQuery } from '../../api/sandbox';

/** A change to the sandbox; the response becomes the displayed state. */
export function useSandboxAction<Input>(request: (input: Input) => Promise<Sandbox>) {
  const cache = useQueryClient();
  return useMutation({
    mutationFn: async (input: Input) => {
      // A response to an earlier query would show the old state.
      await cache.cancelQueries({ queryKey: sandboxQuery.queryKey });
      return request(input);
    },
    onSuccess: (sandbox) => cache.setQueryData(sandboxQuery.queryKey, sandbox),
  });
}
