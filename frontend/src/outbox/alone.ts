/** How long to wait for another tab that is sending; it gives up a request after 20 seconds. */
const PATIENCE_MS = 25_000;

/**
 * Runs work while no other tab of this browser runs work of the same name. Without Web Locks, or if a tab
 * holds the lock for too long, it runs anyway: sending twice changes nothing and is merely avoided.
 */
export function alone(
  name: string,
  locks: Pick<LockManager, "request"> | undefined = navigator.locks,
): (work: () => Promise<void>) => Promise<void> {
  return async (work) => {
    if (!locks) return work();
    let hasBegun = false;
    try {
      await locks.request(name, { signal: AbortSignal.timeout(PATIENCE_MS) }, () => {
        hasBegun = true;
        return work();
      });
    } catch (error) {
      if (hasBegun) throw error;
      await work();
    }
  };
}
