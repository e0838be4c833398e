/**
 * - `asking`: briefly, at the start.
 * - `mine`: this tab works.
 * - `elsewhere`: another tab of this browser works.
 */
export type Claim = "asking" | "mine" | "elsewhere";

type Parts = {
  locks?: Pick<LockManager, "request"> | undefined;
  channel?: BroadcastChannel | undefined;
};

/** A reloaded page has to wait for its former self to release the lock. */
const MOMENT_MS = 400;

/**
 * One tab of a browser at a time does the named work. The lock's holder works; the others wait, take their turn
 * when that tab is closed, or take the lock away if the person says so. Without Web Locks, the newest tab works
 * and tells the others; without any of that, every tab works, and the server refuses contradictions.
 */
export class TabClaim {
  state: Claim = "asking";
  private readonly name: string;
  private readonly parts: Parts;
  private listeners = new Set<() => void>();
  private letGo: (() => void) | undefined;
  private queue: AbortController | undefined;
  private soon: ReturnType<typeof setTimeout> | undefined;
  private isStopped = false;

  constructor(name: string, parts: Parts) {
    this.name = name;
    this.parts = parts;
  }

  start(): void {
    this.isStopped = false;
    const { locks, channel } = this.parts;
    if (locks) {
      this.ask(locks, false);
      this.soon = setTimeout(() => this.state === "asking" && this.set("elsewhere"), MOMENT_MS);
      return;
    }
    channel?.addEventListener("message", () => this.set("elsewhere"));
    this.announce();
  }

  /** Works here from now on, whichever tab did before. */
  take(): void {
    if (this.parts.locks) this.ask(this.parts.locks, true);
    else this.announce();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.soon);
    this.queue?.abort();
    this.letGo?.();
    this.parts.channel?.close();
    this.state = "asking";
  }

  snapshot = (): Claim => this.state;

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private announce(): void {
    this.parts.channel?.postMessage(this.name);
    this.set("mine");
  }

  private ask(locks: NonNullable<Parts["locks"]>, steal: boolean): void {
    this.queue?.abort();
    const queue = new AbortController();
    this.queue = queue;
    const hold = () =>
      new Promise<void>((resolve) => {
        this.letGo = resolve;
        this.set("mine");
      });
    locks.request(this.name, steal ? { steal } : { signal: queue.signal }, hold).catch(() => {
      // Rejected because another tab has taken it, or because this one no longer asks.
      if (this.isStopped || queue.signal.aborted || this.queue !== queue) return;
      this.set("elsewhere");
      this.ask(locks, false);
    });
  }

  private set(state: Claim): void {
    if (this.isStopped || state === this.state) return;
    this.state = state;
    for (const listener of this.listeners) listener();
  }
}

/** This tab's claim, for as long as the component is mounted. */
export function claimFor(name: string): TabClaim {
  // Only secure contexts (https, localhost) have locks, and old browsers have none.
  const locks = "locks" in navigator ? navigator.locks : undefined;
  const channel =
    !locks && "BroadcastChannel" in globalThis ? new BroadcastChannel(name) : undefined;
  return new TabClaim(name, { locks, channel });
}
